//! Suggestions below a text area while the user types. They never take a key that the text needs:
//! arrows choose only in an open list, Enter and Tab take only what is chosen, and Escape closes.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use tabletop_texts::{Locale, locale, messages};
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlTextAreaElement, InputEvent, InputEventInit, KeyboardEvent};
use yew::{AttrValue, Callback, Component, Context, Html, MouseEvent, Properties, html};

use crate::browser::{self, byte_at, units_at};

/// A text that can be inserted into another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The bytes that it replaces.
    pub replaces: Range<usize>,
    /// The text.
    pub text: String,
    /// The bytes of the text before the caret.
    pub caret: usize,
}

/// Returns the completions of a text at a byte.
pub type Complete = Callback<(String, usize), Vec<Completion>>;

/// Properties of [`Completions`].
#[derive(Clone, Properties, PartialEq)]
pub struct CompletionsProps {
    /// Id of the text area.
    pub area: AttrValue,
    /// Returns what can be inserted at a position.
    pub complete: Complete,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// A list of completions of a text area that is drawn elsewhere.
pub struct Completions {
    open: Rc<[Completion]>,
    chosen: Option<usize>,
    /// What the keys act on. They can come faster than messages and drawings, so each records its
    /// effect at once.
    keys: Rc<Cell<Keys>>,
    listeners: Vec<EventListener>,
}

/// A list, for the keys.
#[derive(Clone, Copy, Default)]
struct Keys {
    /// The number of completions.
    count: usize,
    /// Whether one of the completions is chosen.
    is_chosen: bool,
}

/// What happens to the list.
pub enum CompletionMsg {
    /// The text or the caret has changed.
    Typed,
    /// The list is requested.
    Asked,
    /// The completion after the chosen one is chosen, or the first.
    Next,
    /// The completion before the chosen one is chosen, or the last.
    Previous,
    /// The chosen completion is taken.
    TakeChosen,
    /// A completion is taken.
    Take(usize),
    /// The list is closed.
    Close,
}

impl Component for Completions {
    type Message = CompletionMsg;
    type Properties = CompletionsProps;

    fn create(_: &Context<Self>) -> Self {
        Completions { open: Rc::default(), chosen: None, keys: Rc::default(), listeners: Vec::new() }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        let Some(area) = area(&ctx.props().area) else { return };
        if first {
            self.listen(&area, ctx);
            // The text was typed before the list existed.
            ctx.link().send_message(CompletionMsg::Typed);
        }
        describe(&area, &self.list_id(ctx), (!self.open.is_empty()).then_some(self.chosen));
    }

    fn update(&mut self, ctx: &Context<Self>, message: CompletionMsg) -> bool {
        let Some(area) = area(&ctx.props().area) else { return false };
        match message {
            CompletionMsg::Typed | CompletionMsg::Asked => {
                let text = area.value();
                let units = area.selection_start().ok().flatten();
                let at = byte_at(&text, units);
                self.open = ctx.props().complete.emit((text, at)).into();
                self.chosen = None;
            }
            CompletionMsg::Next => self.chosen = next(self.chosen, self.open.len()),
            CompletionMsg::Previous => self.chosen = previous(self.chosen, self.open.len()),
            CompletionMsg::TakeChosen => self.take(&area, self.chosen),
            CompletionMsg::Take(at) => self.take(&area, Some(at)),
            CompletionMsg::Close => self.close(),
        }
        self.keys.set(Keys { count: self.open.len(), is_chosen: self.chosen.is_some() });
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let id = self.list_id(ctx);
        let line = |(at, completion): (usize, &Completion)| {
            // The text area keeps the focus.
            let onmousedown = Callback::from(|event: MouseEvent| event.prevent_default());
            let onclick = ctx.link().callback(move |_: MouseEvent| CompletionMsg::Take(at));
            html! {
                <li key={at} id={format!("{id}-{at}")} role="option" class="mono" aria-selected={(self.chosen == Some(at)).to_string()} {onmousedown} {onclick}>
                    { completion.text.trim_end_matches('}').to_owned() }
                </li>
            }
        };
        let lines: Html = self.open.iter().enumerate().map(line).collect();
        html! {
            <div class="completions">
                if !self.open.is_empty() {
                    <ul {id} role="listbox" aria-label={messages().common.completions}>{lines}</ul>
                }
                <p class="visually-hidden" role="status">
                    if !self.open.is_empty() { { (messages().common.completion_count)(self.open.len() as u64) } }
                </p>
            </div>
        }
    }

    fn destroy(&mut self, ctx: &Context<Self>) {
        if let Some(area) = area(&ctx.props().area) {
            describe(&area, "", None);
        }
    }
}

impl Completions {
    fn list_id(&self, ctx: &Context<Self>) -> String {
        format!("{}-completions", ctx.props().area)
    }

    /// Closes the list, and puts one of its completions into the text.
    fn take(&mut self, area: &HtmlTextAreaElement, at: Option<usize>) {
        let taken = at.and_then(|at| self.open.get(at)).cloned();
        self.close();
        if let Some(completion) = taken {
            take(area, &completion);
        }
    }

    fn close(&mut self) {
        self.open = Rc::default();
        self.chosen = None;
    }

    /// Listens at the text area itself, before the page does.
    fn listen(&mut self, area: &HtmlTextAreaElement, ctx: &Context<Self>) {
        let keys = self.keys.clone();
        let on_input = ctx.link().callback(move |event: Event| {
            // None of the new completions is chosen.
            keys.set(Keys { is_chosen: false, ..keys.get() });
            match event.dyn_ref::<InputEvent>().map(InputEvent::input_type) {
                // A text set by a program or by undo needs no suggestion.
                Some(kind) if kind.starts_with("insert") || kind.starts_with("delete") => {
                    CompletionMsg::Typed
                }
                _ => CompletionMsg::Close,
            }
        });
        let on_blur = ctx.link().callback(|_: Event| CompletionMsg::Close);
        let (link, keys) = (ctx.link().clone(), self.keys.clone());
        let on_key = move |event: &Event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            if let Some(message) = meaning(&event.key(), event.ctrl_key(), keys.get()) {
                keys.set(keys.get().after(&message));
                event.prevent_default();
                event.stop_propagation();
                link.send_message(message);
            }
        };
        let active = EventListenerOptions::enable_prevent_default();
        self.listeners = vec![
            EventListener::new(area, "input", move |event| on_input.emit(event.clone())),
            EventListener::new(area, "blur", move |event| on_blur.emit(event.clone())),
            EventListener::new_with_options(area, "keydown", active, on_key),
        ];
    }
}

impl Keys {
    /// Returns the list after a message of a key.
    fn after(self, message: &CompletionMsg) -> Keys {
        match message {
            CompletionMsg::Typed | CompletionMsg::Asked => Keys { is_chosen: false, ..self },
            CompletionMsg::Next | CompletionMsg::Previous => Keys { is_chosen: true, ..self },
            CompletionMsg::TakeChosen | CompletionMsg::Take(_) | CompletionMsg::Close => Keys::default(),
        }
    }
}

/// Returns the completion after the chosen one, the first after the last.
fn next(chosen: Option<usize>, count: usize) -> Option<usize> {
    let at = chosen.map_or(0, |at| at + 1);
    (count > 0).then(|| at % count)
}

/// Returns the completion before the chosen one, the last before the first.
fn previous(chosen: Option<usize>, count: usize) -> Option<usize> {
    let at = chosen.filter(|at| *at > 0).unwrap_or(count);
    at.checked_sub(1)
}

/// Returns the effect of a key in a list; `None` leaves it to the text.
fn meaning(key: &str, control: bool, Keys { count, is_chosen }: Keys) -> Option<CompletionMsg> {
    match key {
        "ArrowDown" if count > 0 => Some(CompletionMsg::Next),
        "ArrowUp" if count > 0 => Some(CompletionMsg::Previous),
        "Enter" | "Tab" if !control => is_chosen.then_some(CompletionMsg::TakeChosen),
        "Escape" if count > 0 => Some(CompletionMsg::Close),
        " " if control => Some(CompletionMsg::Asked),
        _ => None,
    }
}

fn area(id: &str) -> Option<HtmlTextAreaElement> {
    browser::document().get_element_by_id(id)?.dyn_into().ok()
}

/// Inserts a completion into the text, and tells the page as if it were typed: the arguments of a
/// function are offered next.
fn take(area: &HtmlTextAreaElement, completion: &Completion) {
    let text = area.value();
    let Range { start, end } = completion.replaces;
    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else { return };
    let whole = [before, &completion.text, after].concat();
    let caret = units_at(&whole, start + completion.caret);
    area.set_value(&whole);
    // Both fail only for an element that is not shown.
    drop(area.set_selection_range(caret, caret));
    let options = InputEventInit::new();
    options.set_bubbles(true);
    options.set_input_type("insertReplacementText");
    if let Ok(event) = InputEvent::new_with_event_init_dict("input", &options) {
        drop(area.dispatch_event(&event));
    }
}

/// Describes at the text area which list it has, and which line is chosen.
fn describe(area: &HtmlTextAreaElement, list: &str, open: Option<Option<usize>>) {
    let set = |name: &str, value: Option<&str>| {
        // Fails only for an invalid attribute name.
        drop(match value {
            Some(value) => area.set_attribute(name, value),
            None => area.remove_attribute(name),
        });
    };
    set("aria-autocomplete", Some("list"));
    set("aria-controls", open.map(|_| list));
    let chosen = open.flatten().map(|at| format!("{list}-{at}"));
    set("aria-activedescendant", chosen.as_deref());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_belong_to_the_text_until_a_line_is_chosen() {
        let (closed, open) = (Keys::default(), Keys { count: 3, is_chosen: false });
        for key in ["Enter", "Tab", "ArrowLeft", "a"] {
            assert!(meaning(key, false, open).is_none(), "{key}");
        }
        for key in ["ArrowDown", "ArrowUp", "Escape", "Enter", "Tab"] {
            assert!(meaning(key, false, closed).is_none(), "{key}");
        }
        assert!(matches!(meaning("ArrowDown", false, open), Some(CompletionMsg::Next)));
        assert!(matches!(meaning("ArrowUp", false, open), Some(CompletionMsg::Previous)));
        let chosen = Keys { is_chosen: true, ..open };
        assert!(matches!(meaning("Tab", false, chosen), Some(CompletionMsg::TakeChosen)));
        assert!(meaning("Enter", true, chosen).is_none(), "this runs the query");
        assert!(matches!(meaning(" ", true, closed), Some(CompletionMsg::Asked)));
    }

    #[test]
    fn a_key_acts_on_what_the_keys_before_it_have_done() {
        let open = Keys { count: 3, is_chosen: false };
        let chosen = open.after(&CompletionMsg::Next);
        assert!(matches!(meaning("Enter", false, chosen), Some(CompletionMsg::TakeChosen)));
        let taken = chosen.after(&CompletionMsg::TakeChosen);
        assert!(meaning("Enter", false, taken).is_none(), "the list is closed");
        assert!(
            meaning("Enter", false, chosen.after(&CompletionMsg::Typed)).is_none(),
            "none of the new list is chosen"
        );
    }

    #[test]
    fn arrows_go_around_the_list() {
        assert_eq!([None, Some(0), Some(2)].map(|at| next(at, 3)), [Some(0), Some(1), Some(0)]);
        assert_eq!([None, Some(0), Some(2)].map(|at| previous(at, 3)), [Some(2), Some(2), Some(1)]);
        assert_eq!((next(None, 0), previous(None, 0)), (None, None));
    }
}
