//! A labelled number, a labelled text and a labelled list of choices.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{AttrValue, Callback, Component, Context, Event, Html, InputEvent, NodeRef, Properties, TargetCast, html};

/// A number within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// As it is.
    pub value: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Between two values that the arrow keys reach.
    pub step: f64,
}

/// A number that is given on when a person has finished typing it: when the field is left, Enter is pressed or a step is made. One
/// out of bounds becomes the nearest bound.
pub fn number_field(label: &str, number: Number, on_change: Callback<f64>) -> Html {
    let Number { value, min, max, .. } = number;
    let on_text = Callback::from(move |text: String| {
        let typed = text.parse().ok().filter(|typed: &f64| typed.is_finite());
        if let Some(kept) = typed.map(|typed| typed.clamp(min, max)).filter(|kept| *kept != value) {
            on_change.emit(kept);
        }
    });
    html! { <Field label={label.to_owned()} text={value.to_string()} number={number} {on_text} /> }
}

/// The same for a number that may be left away.
pub fn optional_number_field(label: &str, value: Option<f64>, number: Number, on_change: Callback<Option<f64>>) -> Html {
    let Number { min, max, .. } = number;
    let on_text = Callback::from(move |text: String| {
        let typed = text.parse().ok().filter(|typed: &f64| typed.is_finite()).map(|typed| typed.clamp(min, max));
        if typed != value && (typed.is_some() || text.is_empty()) {
            on_change.emit(typed);
        }
    });
    let text = value.map(|value| value.to_string()).unwrap_or_default();
    html! { <Field label={label.to_owned()} {text} {number} {on_text} /> }
}

/// A text that is given on with every keystroke, but never empty.
pub fn text_field(label: &str, text: &str, on_text: Callback<String>) -> Html {
    html! { <Field label={label.to_owned()} text={text.to_owned()} {on_text} /> }
}

/// The same for a text that a person has asked to type: the field has the focus when it appears, and its text is selected.
pub fn focused_text_field(label: &str, text: &str, on_text: Callback<String>) -> Html {
    html! { <Field label={label.to_owned()} text={text.to_owned()} takes_focus=true {on_text} /> }
}

/// Properties of [`Field`].
#[derive(Properties, PartialEq)]
struct FieldProps {
    label: AttrValue,
    text: AttrValue,
    #[prop_or_default]
    number: Option<Number>,
    #[prop_or_default]
    takes_focus: bool,
    on_text: Callback<String>,
}

/// One line to type in. It is drawn again only when its text has become another one: what is half-typed stays while the page
/// around it is drawn again.
#[derive(Default)]
struct Field {
    input: NodeRef,
}

impl Component for Field {
    type Message = String;
    type Properties = FieldProps;

    fn create(_: &Context<Self>) -> Self {
        Field::default()
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        if first_render
            && ctx.props().takes_focus
            && let Some(input) = self.input.cast::<HtmlInputElement>()
        {
            // A field that is shown takes the focus.
            drop(input.focus());
            input.select();
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &FieldProps) -> bool {
        let new = ctx.props();
        (&new.label, &new.text, new.number) != (&old.label, &old.text, old.number)
    }

    fn update(&mut self, ctx: &Context<Self>, text: String) -> bool {
        let is_number = ctx.props().number.is_some();
        if is_number || !text.is_empty() {
            ctx.props().on_text.emit(text);
        }
        // A number that was refused gives way to the one that stays.
        is_number
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let FieldProps { label, text, number, .. } = ctx.props();
        let input = match number {
            Some(Number { min, max, step, .. }) => html! {
                <input
                    class="input num"
                    type="number"
                    inputmode="decimal"
                    value={text.clone()}
                    min={min.to_string()}
                    max={max.to_string()}
                    step={step.to_string()}
                    onchange={ctx.link().callback(|event: Event| value_of(event.target_unchecked_into()))}
                />
            },
            None => html! {
                <input
                    ref={self.input.clone()}
                    class="input mono"
                    value={text.clone()}
                    spellcheck="false"
                    autocomplete="off"
                    oninput={ctx.link().callback(|event: InputEvent| value_of(event.target_unchecked_into()))}
                />
            },
        };
        html! { <label class="field"><span class="field-label">{label.clone()}</span>{input}</label> }
    }
}

fn value_of(input: HtmlInputElement) -> String {
    input.value()
}

/// Ascending choices, with one more at its place if it is none of them.
pub fn choices_with<T: Copy + PartialOrd>(choices: &[T], one_more: Option<T>) -> Vec<T> {
    let mut all = choices.to_vec();
    if let Some(one) = one_more.filter(|one| !choices.contains(one)) {
        all.insert(choices.partition_point(|choice| *choice < one), one);
    }
    all
}

/// A list of choices in the browser's own control. A hidden label is heard, not seen.
pub fn select(label: &str, texts: &[&str], selected: Option<usize>, hide_label: bool, on_select: Callback<usize>) -> Html {
    let onchange = Callback::from(move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        if let Ok(at) = usize::try_from(select.selected_index()) {
            on_select.emit(at);
        }
    });
    let option = |(at, text): (usize, &&str)| {
        html! { <option value={at.to_string()} selected={selected == Some(at)}>{(*text).to_owned()}</option> }
    };
    // The attributes of the options say it at first; once a person has used the control it follows its property only.
    let value = selected.map(|at| at.to_string()).unwrap_or_default();
    html! {
        <label class="field">
            <span class={if hide_label { "visually-hidden" } else { "field-label" }}>{label.to_owned()}</span>
            <select class="select" ~value={value} {onchange}>{ for texts.iter().enumerate().map(option) }</select>
        </label>
    }
}
