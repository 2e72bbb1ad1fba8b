//! Components that give way to the functions beside them.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::{
    AttrValue, Callback, Event, Html, KeyboardEvent, MouseEvent, Properties, TargetCast, classes, function_component, html,
    use_callback, use_effect_with, use_node_ref,
};

use super::{ButtonKind, Icon};

/// Properties of [`IconView`].
#[derive(Properties, PartialEq)]
pub struct IconProps {
    /// Which one.
    pub icon: Icon,
}

/// Draws an icon.
#[function_component]
pub fn IconView(props: &IconProps) -> Html {
    super::icon(props.icon)
}

/// Properties of [`Button`].
#[derive(Properties, PartialEq)]
pub struct ButtonProps {
    /// Its name; its text unless it is `icon_only`.
    pub label: AttrValue,
    /// Before the text.
    #[prop_or_default]
    pub icon: Option<Icon>,
    /// How much it asks for attention.
    #[prop_or(ButtonKind::Plain)]
    pub kind: ButtonKind,
    /// Shows no text; the label is its name and its tooltip.
    #[prop_or_default]
    pub icon_only: bool,
    /// Cannot be pressed now.
    #[prop_or_default]
    pub disabled: bool,
    /// A tooltip; an `icon_only` button shows its label.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// It is one that stays down, and is.
    #[prop_or_default]
    pub pressed: Option<bool>,
    /// Pressed.
    pub on_click: Callback<()>,
}

/// A button.
#[function_component]
pub fn Button(props: &ButtonProps) -> Html {
    let onclick = use_callback(props.on_click.clone(), |_: MouseEvent, on_click| on_click.emit(()));
    let kind = match props.kind {
        ButtonKind::Plain => None,
        ButtonKind::Primary => Some("primary"),
        ButtonKind::Quiet => Some("quiet"),
    };
    let title = props.title.clone().or_else(|| props.icon_only.then(|| props.label.clone()));
    html! {
        <button
            type="button"
            class={classes!("button", kind, props.icon_only.then_some("icon-only"))}
            disabled={props.disabled}
            {title}
            aria-label={props.icon_only.then(|| props.label.clone())}
            aria-pressed={props.pressed.map(|pressed| pressed.to_string())}
            {onclick}
        >
            if let Some(icon) = props.icon { <IconView {icon} /> }
            if !props.icon_only { <span class="button-text">{props.label.clone()}</span> }
        </button>
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

/// Properties of [`Segmented`].
#[derive(Properties, PartialEq)]
pub struct SegmentedProps {
    /// Name of the group.
    pub label: AttrValue,
    /// Value and text of each choice.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// The value that is taken; none of them if it is another.
    pub selected: AttrValue,
    /// Another was taken.
    pub on_select: Callback<AttrValue>,
    /// In smaller type, for dense places.
    #[prop_or_default]
    pub small: bool,
    /// In place of the texts, which become names and tooltips: one for each choice, or none at all.
    #[prop_or_default]
    pub icons: Vec<Icon>,
    /// None can be taken now.
    #[prop_or_default]
    pub disabled: bool,
}

/// A radiogroup; arrow keys, Home and End move and take at once, as radios do.
#[function_component]
pub fn Segmented(props: &SegmentedProps) -> Html {
    let count = props.options.len();
    let current = props.options.iter().position(|(value, _)| *value == props.selected);
    let on_key = {
        let values: Vec<AttrValue> = props.options.iter().map(|(value, _)| value.clone()).collect();
        let on_select = props.on_select.clone();
        Callback::from(move |event: KeyboardEvent| {
            let at = current.unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (at + 1) % count,
                "ArrowLeft" | "ArrowUp" => (at + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            focus_child(&event, next);
            on_select.emit(values[next].clone());
        })
    };
    html! {
        <div
            class={classes!("segmented", props.small.then_some("small"))}
            role="radiogroup"
            aria-label={props.label.clone()}
            onkeydown={on_key}
        >
            { for props.options.iter().enumerate().map(|(at, (value, text))| {
                let checked = current == Some(at);
                let stop = checked || (current.is_none() && at == 0);
                let onclick = props.on_select.reform({
                    let value = value.clone();
                    move |_| value.clone()
                });
                let icon = props.icons.get(at).copied();
                html! {
                    <button
                        key={value.to_string()}
                        type="button"
                        role="radio"
                        aria-checked={checked.to_string()}
                        tabindex={if stop { "0" } else { "-1" }}
                        disabled={props.disabled}
                        aria-label={icon.map(|_| text.clone())}
                        title={icon.map(|_| text.clone())}
                        {onclick}
                    >
                        if let Some(icon) = icon { <IconView {icon} /> } else { {text.clone()} }
                    </button>
                }
            }) }
        </div>
    }
}

/// Moves the focus to the child `at` of the element that listens.
fn focus_child(event: &KeyboardEvent, at: usize) {
    let group = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let child = group.and_then(|group| group.children().item(at as u32));
    if let Some(child) = child.and_then(|child| child.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown, and this one has the focus within its group.
        let _ = child.focus();
    }
}
