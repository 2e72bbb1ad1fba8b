//! A labelled number and a labelled list of choices.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, TargetCast, html};

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
    let Number { value, min, max, step } = number;
    let onchange = Callback::from(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let typed = input.value_as_number();
        let kept = if typed.is_finite() { typed.clamp(min, max) } else { value };
        // The page renders nothing new when the number stays, so the field is put right here.
        input.set_value(&kept.to_string());
        if kept != value {
            on_change.emit(kept);
        }
    });
    html! {
        <label class="field">
            <span class="field-label">{label.to_owned()}</span>
            <input
                class="input num"
                type="number"
                inputmode="decimal"
                value={value.to_string()}
                min={min.to_string()}
                max={max.to_string()}
                step={step.to_string()}
                {onchange}
            />
        </label>
    }
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
