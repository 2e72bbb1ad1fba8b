//! Fields with labels: a number, a text, a list of choices.

use std::cell::Cell;

use tabletop_texts::common::{NumberKind, figure};
use tabletop_texts::{Locale, locale, messages};
use wasm_bindgen::JsValue;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{
    AttrValue, Callback, Component, Context, Event, Html, InputEvent, NodeRef, Properties, TargetCast, html,
};

use super::{Icon, icon};

/// A number within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The current value.
    pub value: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The step of the arrow keys.
    pub step: f64,
    /// Which kinds of numbers are valid.
    pub kind: NumberKind,
}

impl Number {
    /// Reads a number.
    ///
    /// # Errors
    /// The allowed numbers, if the text is not one of them.
    fn read(&self, text: &str) -> Result<f64, String> {
        let typed = text.trim().parse().ok().filter(|typed: &f64| typed.is_finite());
        let fits = |typed: &f64| {
            (self.min..=self.max).contains(typed) && (self.kind == NumberKind::Any || typed.fract() == 0.0)
        };
        typed.filter(fits).ok_or_else(|| self.allowed(typed))
    }

    fn allowed(&self, typed: Option<f64>) -> String {
        let says = &messages().common.numbers;
        // A bound that is out of reach is not mentioned.
        let far = |bound: f64| bound.abs() > 1e15;
        let is_too_large = typed.is_some_and(|typed| typed > self.max);
        match (far(self.min), far(self.max) && !is_too_large) {
            (true, true) => (says.any)(self.kind),
            (false, true) => (says.at_least)(self.kind, self.min),
            _ => (says.between)(self.kind, self.min, self.max),
        }
    }
}

/// Draws a field for a number. It calls back when the field is left, Enter is pressed or a step is
/// made. A number out of bounds stays in the field with a note on the bounds, and the last valid
/// number is used.
pub fn number_field(label: &str, number: Number, on_change: Callback<f64>) -> Html {
    number_field_labelled(Label::Shown(label), number, on_change)
}

/// Draws a field for a number, like [`number_field`], with a label that may be only for screen
/// readers.
pub fn number_field_labelled(label: Label, number: Number, on_change: Callback<f64>) -> Html {
    let (label, label_hidden) = match label {
        Label::Shown(label) => (label.to_owned(), false),
        Label::Hidden(label) => (label.to_owned(), true),
    };
    let on_text = Callback::from(move |text: String| {
        if let Some(typed) = number.read(&text).ok().filter(|typed| *typed != number.value) {
            on_change.emit(typed);
        }
    });
    html! { <Field {label} {label_hidden} text={number.value.to_string()} {number} {on_text} /> }
}

/// Draws a field for a number that can be absent: an empty field is `None`.
pub fn optional_number_field(
    label: &str,
    value: Option<f64>,
    number: Number,
    on_change: Callback<Option<f64>>,
) -> Html {
    let on_text = Callback::from(move |text: String| {
        let typed = if text.is_empty() { Some(None) } else { number.read(&text).ok().map(Some) };
        if let Some(typed) = typed.filter(|typed| *typed != value) {
            on_change.emit(typed);
        }
    });
    let text = value.map(|value| value.to_string()).unwrap_or_default();
    html! { <Field label={label.to_owned()} {text} {number} optional=true {on_text} /> }
}

/// Draws a field for a text. It calls back after every keystroke, but not with an empty text.
pub fn text_field(label: &str, text: &str, on_text: Callback<String>) -> Html {
    html! { <Field label={label.to_owned()} text={text.to_owned()} {on_text} /> }
}

/// Draws a field for a text that `refuses` can refuse, with a reason. Such a text stays in the
/// field with the reason, and the last accepted one is used.
pub fn checked_text_field(
    label: &str,
    text: &str,
    refuses: Callback<String, Option<String>>,
    on_text: Callback<String>,
) -> Html {
    html! { <Field label={label.to_owned()} text={text.to_owned()} {refuses} {on_text} /> }
}

/// Draws a field for a text that has the focus when it appears, with its text selected.
pub fn focused_text_field(label: &str, text: &str, on_text: Callback<String>) -> Html {
    html! { <Field label={label.to_owned()} text={text.to_owned()} takes_focus=true {on_text} /> }
}

/// Properties of [`Field`].
#[derive(Clone, Properties, PartialEq)]
struct FieldProps {
    label: AttrValue,
    #[prop_or_default]
    label_hidden: bool,
    text: AttrValue,
    #[prop_or_default]
    number: Option<Number>,
    #[prop_or_default]
    optional: bool,
    #[prop_or_default]
    takes_focus: bool,
    #[prop_or_default]
    refuses: Option<Callback<String, Option<String>>>,
    on_text: Callback<String>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// A field of one line. It is redrawn only when its text has changed, so that a half-typed text
/// stays when the page is drawn.
struct Field {
    input: NodeRef,
    /// The number in the id of the problem.
    id: u32,
    /// A text that was refused, and the reason.
    wrong: Option<(String, String)>,
}

/// The text of a field after an edit.
struct Typed {
    text: String,
    /// The browser returns no text for input that is not a number.
    unreadable: bool,
}

impl FieldProps {
    /// Passes on a text, or returns why it is refused.
    fn take(&self, Typed { text, unreadable }: &Typed) -> Result<(), String> {
        match (self.number, &self.refuses) {
            (Some(_), _) if self.optional && text.is_empty() && !unreadable => {}
            (Some(number), _) => drop(number.read(text)?),
            (None, Some(refuses)) => refuses.emit(text.clone()).map_or(Ok(()), Err)?,
            (None, None) => {}
        }
        if self.number.is_some() || !text.is_empty() {
            self.on_text.emit(text.clone());
        }
        Ok(())
    }
}

impl Component for Field {
    type Message = Typed;
    type Properties = FieldProps;

    fn create(_: &Context<Self>) -> Self {
        thread_local!(static NEXT: Cell<u32> = const { Cell::new(0) });
        let id = NEXT.with(|next| next.replace(next.get() + 1));
        Field { input: NodeRef::default(), id, wrong: None }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        if first_render
            && ctx.props().takes_focus
            && let Some(input) = self.input.cast::<HtmlInputElement>()
        {
            // Fails only for an element that is not shown.
            drop(input.focus());
            input.select();
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &FieldProps) -> bool {
        let new = ctx.props();
        let is_other = (&new.label, &new.text, new.number) != (&old.label, &old.text, old.number);
        if is_other {
            self.wrong = None;
        }
        is_other
    }

    fn update(&mut self, ctx: &Context<Self>, typed: Typed) -> bool {
        let was_wrong = self.wrong.is_some();
        self.wrong = ctx.props().take(&typed).err().map(|why| (typed.text, why));
        ctx.props().number.is_some() || was_wrong || self.wrong.is_some()
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let FieldProps { label, label_hidden, text, number, .. } = ctx.props();
        #[cfg(test)]
        crate::browser::used::note(label, {
            let props = ctx.props().clone();
            move |text| props.take(&Typed { text: text.into(), unreadable: false })
        });
        let label_class = if *label_hidden { "visually-hidden" } else { "field-label" };
        let problem = self.wrong.as_ref().map(|_| format!("field-problem-{}", self.id));
        let on = |element: HtmlInputElement| {
            let text = element.value();
            Typed { unreadable: text.is_empty() && !element.check_validity(), text }
        };
        // The text in the field has no separators.
        let used = number.and_then(|_| text.parse().ok()).map_or_else(|| text.to_string(), figure);
        let shown = self.wrong.as_ref().map_or_else(|| text.clone(), |(typed, _)| typed.clone().into());
        let input = match number {
            Some(Number { min, max, step, .. }) => html! {
                <input
                    class="input num"
                    type="number"
                    inputmode="decimal"
                    value={shown}
                    min={min.to_string()}
                    max={max.to_string()}
                    step={step.to_string()}
                    aria-invalid={problem.as_ref().map(|_| "true")}
                    aria-describedby={problem.clone()}
                    onchange={ctx.link().callback(move |event: Event| on(event.target_unchecked_into()))}
                />
            },
            None => html! {
                <input
                    ref={self.input.clone()}
                    class="input mono"
                    value={shown}
                    aria-invalid={problem.as_ref().map(|_| "true")}
                    aria-describedby={problem.clone()}
                    spellcheck="false"
                    autocomplete="off"
                    oninput={ctx.link().callback(move |event: InputEvent| on(event.target_unchecked_into()))}
                />
            },
        };
        html! {
            <>
                <label class="field"><span class={label_class}>{label.clone()}</span>{input}</label>
                if let Some((_, why)) = &self.wrong {
                    <p id={problem} class="problem small field-problem" role="alert">
                        {icon(Icon::Error)}
                        <span>{ why }{" "}{ if used.is_empty() { String::new() } else { (messages().common.numbers.still_used)(&used) } }</span>
                    </p>
                }
            </>
        }
    }
}

/// Returns the choices in ascending order, with one more if it is none of them.
pub fn choices_with<T: Copy + PartialOrd>(choices: &[T], one_more: Option<T>) -> Vec<T> {
    let mut all = choices.to_vec();
    if let Some(one) = one_more.filter(|one| !choices.contains(one)) {
        all.insert(choices.partition_point(|choice| *choice < one), one);
    }
    all
}

/// The name of a control.
#[derive(Clone, Copy, Debug)]
pub enum Label<'a> {
    /// Above the control.
    Shown(&'a str),
    /// Only for screen readers.
    Hidden(&'a str),
}

/// A list of choices in the browser's own control.
pub fn select(label: Label, texts: &[&str], selected: Option<usize>, on_select: Callback<usize>) -> Html {
    let option = |(at, text): (usize, &&str)| {
        html! { <option value={at.to_string()} selected={selected == Some(at)}>{(*text).to_owned()}</option> }
    };
    // The attributes of the options set the first choice; once the user has used the control, it
    // follows its property only.
    let value = selected.map(|at| at.to_string()).unwrap_or_default();
    // A property is a value of the browser, which a test does not have.
    let value = if cfg!(test) { JsValue::UNDEFINED } else { value.into() };
    let (class, label) = match label {
        Label::Shown(label) => ("field-label", label),
        Label::Hidden(label) => ("visually-hidden", label),
    };
    #[cfg(test)]
    crate::browser::used::note_choices(label, texts, &on_select);
    let onchange = Callback::from(move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        if let Ok(at) = usize::try_from(select.selected_index()) {
            on_select.emit(at);
        }
    });
    html! {
        <label class="field">
            <span {class}>{label.to_owned()}</span>
            <select class="select" ~value={value} {onchange}>{ for texts.iter().enumerate().map(option) }</select>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_bounds_is_refused_with_its_bounds() {
        let events = Number {
            value: 20_000.0,
            min: 1_000.0,
            max: 1_000_000.0,
            step: 1_000.0,
            kind: NumberKind::Whole,
        };
        assert_eq!(events.read(" 1500 "), Ok(1_500.0));
        for wrong in ["2000000", "-1", "1500.5", "", "many", "inf"] {
            assert_eq!(
                events.read(wrong),
                Err("Enter a whole number from 1,000 to 1,000,000.".into()),
                "{wrong}"
            );
        }
        let skew = Number { value: 1.0, min: 0.0, max: 2.0, step: 0.1, kind: NumberKind::Any };
        assert_eq!((skew.read("0.5"), skew.read("3")), (Ok(0.5), Err("Enter a number from 0 to 2.".into())));
        let degrees = Number { value: 0.0, min: f64::MIN, max: f64::MAX, step: 1.0, kind: NumberKind::Any };
        assert_eq!((degrees.read("-180.5"), degrees.read("x")), (Ok(-180.5), Err("Enter a number.".into())));
        let limit = Number { value: 0.0, min: 0.0, max: 9e15, step: 1.0, kind: NumberKind::Whole };
        assert_eq!(limit.read("-1"), Err("Enter a whole number, 0 or more.".into()));
        assert_eq!(limit.read("1e16"), Err("Enter a whole number from 0 to 9,000,000,000,000,000.".into()));
    }
}
