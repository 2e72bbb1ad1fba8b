//! A field in which a text need not be valid yet.
//!
//! A valid text is passed on immediately. An invalid one stays in the field with its problems
//! below, and the value stays the same. When the value is changed in another way (undo, the blocks
//! of the filter), the field shows the new one, and an unfinished filter is kept below it until the
//! user restores it, discards it or types another.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_model::{Problem, RowFilter};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::query::{Notation, Spot, place};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::functional::UseForceUpdateHandle;
use yew::{AttrValue, Callback, Html, InputEvent, NodeRef, Properties, function_component, html};
use yew::{use_force_update, use_mut_ref, use_node_ref};

use super::completing;
use super::filter_lines::{Marker, filter_lines, marked_text};
use crate::browser::units_at;
use crate::kit::{ButtonKind, Completions, push};
use crate::page::state::FilterCounts;

/// Properties of [`TextField`].
#[derive(Clone, Properties, PartialEq)]
pub struct TextFieldProps {
    /// The input of the query.
    pub spot: Spot,
    /// The label.
    pub label: AttrValue,
    /// A longer name for screen readers, which contains the label.
    pub full_name: Option<AttrValue>,
    /// Whether the label is only for screen readers.
    pub hide_label: bool,
    /// The notation of the text.
    pub notation: Notation,
    /// The value, as [`Notation::canonical`] writes it.
    pub value: AttrValue,
    /// An example.
    pub placeholder: &'static str,
    /// The id of a datalist.
    pub list: Option<AttrValue>,
    /// A class in addition to its own.
    pub class: &'static str,
    /// What the filter of the last answered query did, for the notation of filters.
    pub counts: Option<Rc<FilterCounts>>,
    /// A text with another value was typed.
    pub on_text: Callback<(Spot, String)>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

impl TextFieldProps {
    /// Describes a field with a visible label.
    pub fn new(
        spot: Spot,
        label: impl Into<AttrValue>,
        notation: Notation,
        value: String,
        on_text: &Callback<(Spot, String)>,
    ) -> Self {
        TextFieldProps {
            spot,
            label: label.into(),
            full_name: None,
            hide_label: false,
            notation,
            value: value.into(),
            placeholder: "",
            list: None,
            class: "",
            counts: None,
            on_text: on_text.clone(),
            locale: locale(),
        }
    }

    /// Draws the field.
    pub fn draw(self) -> Html {
        html! { <TextField ..self /> }
    }
}

/// The typed text, and the value of the page at that time.
struct Draft {
    text: String,
    value: AttrValue,
}

/// Draws a field for a value with a text form.
#[function_component]
pub fn TextField(props: &TextFieldProps) -> Html {
    let draft = use_mut_ref(|| None::<Draft>);
    let redraw = use_force_update();
    let input = use_node_ref();
    let mark = use_mut_ref(|| None);
    let replaced = use_mut_ref(|| None::<String>);
    // The value after the last change: letters can come faster than drawings.
    let latest = use_mut_ref(|| props.value.clone());
    latest.borrow_mut().clone_from(&props.value);
    if props.notation == Notation::Filter {
        keep_replaced(&mut draft.borrow_mut(), &mut replaced.borrow_mut(), &props.value);
    }
    // Only typed texts are checked here: the value is checked where its parts are shown.
    let (text, problems) = match &*draft.borrow() {
        Some(draft) if draft.value == props.value => {
            (draft.text.clone(), props.notation.canonical(&draft.text).err().unwrap_or_default())
        }
        _ => (props.value.to_string(), Vec::new()),
    };
    let oninput = {
        let (draft, notation, latest) = (draft.clone(), props.notation, latest);
        let (redraw, mark, replaced) = (redraw.clone(), mark.clone(), replaced.clone());
        let (spot, on_text) = (props.spot.clone(), props.on_text.clone());
        Callback::from(move |event: InputEvent| {
            let text = typed(&event);
            let value = latest.borrow().clone();
            let canonical = notation.canonical(&text).map_or_else(|_| value.clone(), AttrValue::from);
            let changed = canonical != value;
            latest.borrow_mut().clone_from(&canonical);
            *draft.borrow_mut() = Some(Draft { text: text.clone(), value: canonical });
            if changed {
                on_text.emit((spot.clone(), text));
            }
            *mark.borrow_mut() = None;
            *replaced.borrow_mut() = None;
            redraw.force_update();
        })
    };
    let counted = props.counts.as_ref().filter(|_| problems.is_empty());
    let id = props.spot.id();
    let problem_id = problems.first().map(|_| format!("{id}-problem"));
    let wrong = problem_id.as_ref().map(|_| "true");
    let class = if props.notation == Notation::Text { "input" } else { "input mono" };
    let area = matches!(props.notation, Notation::Lines | Notation::Filter);
    let label_class = if props.hide_label { "visually-hidden" } else { "field-label" };
    html! {
        <div class={format!("text-field {}", props.class)}>
            <label for={id.clone()} class={label_class}>{ props.label.clone() }</label>
            if area {
                <div class="text-area">
                    { for mark.borrow().map(|span| marked_text(&text, span)) }
                    <textarea
                        ref={input.clone()}
                        {id}
                        {class}
                        rows={(text.lines().count() + 1).clamp(2, 14).to_string()}
                        spellcheck="false"
                        placeholder={props.placeholder}
                        value={text.clone()}
                        aria-invalid={wrong}
                        aria-describedby={problem_id.clone()}
                        {oninput}
                    />
                </div>
            } else {
                <input
                    ref={input.clone()}
                    {id}
                    {class}
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    list={props.list.clone()}
                    placeholder={props.placeholder}
                    value={text.clone()}
                    aria-label={props.full_name.clone()}
                    aria-invalid={wrong}
                    aria-describedby={problem_id.clone()}
                    {oninput}
                />
            }
            if props.notation == Notation::Filter && draft.borrow().is_some() { { filter_completions(props.spot.id()) } }
            // A list with a varying number of children would make Yew rebuild the text area.
            if let Some(counts) = counted { { filter_lines(&text, counts, Marker { input: input.clone(), mark: mark.clone(), redraw: redraw.clone() }) } }
            if let Some(text) = replaced.borrow().clone() { { replaced_text(&text, &props.value, &draft, &replaced, &redraw) } }
            if let Some(id) = problem_id {
                <div {id}>{ for problems.iter().take(3).map(|problem| problem_line(&text, problem, &input)) }</div>
            }
        </div>
    }
}

/// Keeps an unfinished text that another value replaces: the typed text of a draft that never
/// became a value.
fn keep_replaced(draft: &mut Option<Draft>, replaced: &mut Option<String>, value: &AttrValue) {
    if let Some(lost) = draft.take_if(|draft| draft.value != *value)
        && Notation::Filter.canonical(&lost.text).is_err()
    {
        *replaced = Some(lost.text);
    }
}

/// Draws an unfinished text that another change has replaced, with a button that restores it.
#[inline(never)]
fn replaced_text(
    text: &str,
    value: &AttrValue,
    draft: &Rc<RefCell<Option<Draft>>>,
    replaced: &Rc<RefCell<Option<String>>>,
    redraw: &UseForceUpdateHandle,
) -> Html {
    let says = &messages().filter;
    let back = {
        let (draft, replaced, redraw) = (draft.clone(), replaced.clone(), redraw.clone());
        let (text, value) = (text.to_owned(), value.clone());
        Callback::from(move |()| {
            *draft.borrow_mut() = Some(Draft { text: text.clone(), value: value.clone() });
            *replaced.borrow_mut() = None;
            redraw.force_update();
        })
    };
    let drop_it = {
        let (replaced, redraw) = (replaced.clone(), redraw.clone());
        Callback::from(move |()| {
            *replaced.borrow_mut() = None;
            redraw.force_update();
        })
    };
    html! {
        <div class="filter-replaced small" role="status">
            <p>{says.replaced}</p>
            <p class="mono">{text.to_owned()}</p>
            { push(says.bring_back, None, ButtonKind::Plain, back) }
            { push(says.drop_text, None, ButtonKind::Quiet, drop_it) }
        </div>
    }
}

/// Draws the completions of a filter, once it is typed.
#[inline(never)]
fn filter_completions(area: String) -> Html {
    let complete = completing(RowFilter::complete);
    html! { <Completions {area} {complete} /> }
}

/// Draws a problem. If it has a position in the text, a button shows the position and selects it.
fn problem_line(text: &str, problem: &Problem, input: &NodeRef) -> Html {
    let (start, end) = (problem.span.start, problem.span.end);
    if start == 0 && end as usize == text.len() {
        return html! { <p class="problem">{ problem.message.clone() }</p> };
    }
    let onclick = {
        let (input, start, end) =
            (input.clone(), units_at(text, start as usize), units_at(text, end as usize));
        Callback::from(move |_| select(&input, start, end))
    };
    let said = (messages().query.at)(&place(text, start), &problem.message);
    html! { <button type="button" class="problem place" {onclick}>{ said }</button> }
}

fn select(input: &NodeRef, start: u32, end: u32) {
    // Both fail only for an element that is not shown.
    if let Some(area) = input.cast::<HtmlTextAreaElement>() {
        drop((area.focus(), area.set_selection_range(start, end)));
    } else if let Some(input) = input.cast::<HtmlInputElement>() {
        drop((input.focus(), input.set_selection_range(start, end)));
    }
}

/// Returns the text of the input or textarea that sent the event.
fn typed(event: &InputEvent) -> String {
    let Some(target) = event.target() else { return String::new() };
    match target.dyn_ref::<HtmlTextAreaElement>() {
        Some(area) => area.value(),
        None => target.unchecked_into::<HtmlInputElement>().value(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_text_is_kept_when_another_value_takes_its_place() {
        let draft = |text: &str| Some(Draft { text: text.into(), value: "block_all(true)".into() });
        let mut replaced = None;
        let mut typed = draft("chain(block_all(true), ");
        keep_replaced(&mut typed, &mut replaced, &"block_all(true)".into());
        assert!(typed.is_some() && replaced.is_none(), "the value is the same");
        keep_replaced(&mut typed, &mut replaced, &"pass_all(true)".into());
        assert_eq!((typed.is_none(), replaced.as_deref()), (true, Some("chain(block_all(true), ")));
        // A complete text is a step of the history: undo restores it.
        let mut replaced = None;
        keep_replaced(&mut draft("block_all"), &mut replaced, &"pass_all(true)".into());
        assert_eq!(replaced, None);
    }
}
