//! A button with a name, an icon or both.

use yew::{AttrValue, Callback, Html, MouseEvent, Properties, classes, function_component, html, use_callback};

use super::{Icon, IconView};

/// How much a button asks for attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonKind {
    /// One among others.
    #[default]
    Plain,
    /// The thing to do; at most one in a pane.
    Primary,
    /// In a row of tools: no ground until it is pointed at.
    Quiet,
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
    #[prop_or_default]
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
