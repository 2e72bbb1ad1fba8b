//! A labelled number and a labelled list of choices.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{
    AttrValue, Callback, Event, Html, Properties, TargetCast, classes, function_component, html, use_effect_with, use_node_ref,
};

/// Properties of [`NumberField`].
#[derive(Properties, PartialEq)]
pub struct NumberFieldProps {
    /// Its name, before it.
    pub label: AttrValue,
    /// The number.
    pub value: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Between two values that the arrow keys reach.
    #[prop_or(1.0)]
    pub step: f64,
    /// Behind it.
    #[prop_or_default]
    pub unit: Option<AttrValue>,
    /// Another number, within the bounds: when the field is left, Enter is pressed or a step is made.
    pub on_change: Callback<f64>,
}

/// A number that is given on when a person has finished typing it; one out of bounds becomes the nearest bound.
#[function_component]
pub fn NumberField(props: &NumberFieldProps) -> Html {
    let onchange = {
        let (min, max, value) = (props.min, props.max, props.value);
        let on_change = props.on_change.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let typed = input.value_as_number();
            let kept = if typed.is_finite() { typed.clamp(min, max) } else { value };
            // The page renders nothing new when the number stays, so the field is put right here.
            input.set_value(&kept.to_string());
            if kept != value {
                on_change.emit(kept);
            }
        })
    };
    html! {
        <label class="field">
            <span class="field-label">{props.label.clone()}</span>
            <input
                class="input num"
                type="number"
                inputmode="decimal"
                value={props.value.to_string()}
                min={props.min.to_string()}
                max={props.max.to_string()}
                step={props.step.to_string()}
                {onchange}
            />
            if let Some(unit) = &props.unit { <span class="soft">{unit.clone()}</span> }
        </label>
    }
}

/// Properties of [`Select`].
#[derive(Properties, PartialEq)]
pub struct SelectProps {
    /// Its name, before it.
    pub label: AttrValue,
    /// Value and text of each choice.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// The value that is taken.
    pub selected: AttrValue,
    /// Another was taken.
    pub on_select: Callback<AttrValue>,
    /// The name is heard, not seen.
    #[prop_or_default]
    pub hide_label: bool,
    /// Cannot be changed now.
    #[prop_or_default]
    pub disabled: bool,
}

/// A list of choices in the browser's own control.
#[function_component]
pub fn Select(props: &SelectProps) -> Html {
    let select = use_node_ref();
    // Once a person has used it, the control no longer follows the attributes of its options.
    use_effect_with((props.selected.clone(), props.options.clone()), {
        let select = select.clone();
        move |(selected, _)| {
            if let Some(select) = select.cast::<HtmlSelectElement>() {
                select.set_value(selected);
            }
        }
    });
    let onchange = props.on_select.reform(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        AttrValue::from(select.value())
    });
    html! {
        <label class="field">
            <span class={classes!("field-label", props.hide_label.then_some("visually-hidden"))}>{props.label.clone()}</span>
            <select class="select" ref={select} {onchange} disabled={props.disabled}>
                { for props.options.iter().map(|(value, text)| html! {
                    <option key={value.to_string()} value={value.clone()} selected={*value == props.selected}>{text.clone()}</option>
                }) }
            </select>
        </label>
    }
}
