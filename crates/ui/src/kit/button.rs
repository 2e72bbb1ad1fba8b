//! Buttons. They are plain functions: a component adds some kilobytes to the program, and buttons
//! have no state.

use web_sys::HtmlInputElement;
use yew::{Callback, Event, Html, MouseEvent, TargetCast, classes, html};

use super::{Icon, icon};

/// The style of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ButtonKind {
    /// One of several equal actions.
    Plain,
    /// The main action; at most one in a pane.
    Primary,
    /// A tool, without a background until it is pointed at.
    Quiet,
}

/// Draws a button with a text. Without a callback it is disabled.
pub fn push(
    label: &str,
    icon: Option<Icon>,
    kind: ButtonKind,
    on_click: impl Into<Option<Callback<()>>>,
) -> Html {
    let class = match kind {
        ButtonKind::Plain => "button",
        ButtonKind::Primary => "button primary",
        ButtonKind::Quiet => "button quiet",
    };
    draw(Drawing { label, icon, class, title: None, name: None, pressed: None, on_click: on_click.into() })
}

/// Draws a quiet button that saves a file. Its accessible name says what the file contains, if
/// there are several.
pub fn save_file(label: &str, name: &str, on_click: Callback<()>) -> Html {
    let (icon, on_click) = (Some(Icon::Download), Some(on_click));
    draw(Drawing {
        label,
        icon,
        class: "button quiet",
        title: None,
        name: Some(name),
        pressed: None,
        on_click,
    })
}

/// Draws a button with an icon only. The label is its accessible name and its tooltip. Without a
/// callback it is disabled.
pub fn tool(label: &str, icon: Icon, on_click: impl Into<Option<Callback<()>>>) -> Html {
    let (class, on_click) = ("button quiet icon-only", on_click.into());
    draw(Drawing {
        label: "",
        icon: Some(icon),
        class,
        title: Some(label),
        name: Some(label),
        pressed: None,
        on_click,
    })
}

/// A toggle button.
pub struct Toggle<'a> {
    /// The text on the button.
    pub label: &'a str,
    /// Before the text.
    pub icon: Icon,
    /// Whether the text is only the accessible name and the tooltip.
    pub icon_only: bool,
    /// Whether the button is on.
    pub pressed: bool,
    /// Called when the button is pressed, on or off.
    pub on_click: Callback<()>,
}

/// Draws a toggle button.
pub fn toggle(toggle: Toggle) -> Html {
    let Toggle { label, icon, icon_only, pressed, on_click } = toggle;
    let pressed = Some(if pressed { "true" } else { "false" });
    let (class, label, name) = match Some(label).filter(|_| icon_only) {
        Some(name) => ("button quiet icon-only", "", Some(name)),
        None => ("button quiet", label, None),
    };
    draw(Drawing { label, icon: Some(icon), class, title: name, name, pressed, on_click: Some(on_click) })
}

/// Returns the listener of a button that a view draws itself. `name` is its accessible name.
pub fn clicked(name: &str, on_click: &Callback<()>) -> Callback<MouseEvent> {
    #[cfg(test)]
    crate::browser::used::note_button(name, on_click);
    #[cfg(not(test))]
    let _ = name;
    on_click.reform(|_: MouseEvent| ())
}

/// Returns the listener of a checkbox that a view draws itself. `name` is its accessible name.
pub fn checked(name: &str, on_change: &Callback<bool>) -> Callback<Event> {
    #[cfg(test)]
    crate::browser::used::note_checkbox(name, on_change);
    #[cfg(not(test))]
    let _ = name;
    on_change.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked())
}

struct Drawing<'a> {
    label: &'a str,
    icon: Option<Icon>,
    class: &'static str,
    title: Option<&'a str>,
    name: Option<&'a str>,
    pressed: Option<&'static str>,
    /// `None` for a disabled button.
    on_click: Option<Callback<()>>,
}

fn draw(button: Drawing) -> Html {
    let name = button.name.unwrap_or(button.label);
    let text = |text: Option<&str>| text.map(str::to_owned);
    html! {
        <button
            type="button"
            class={classes!(button.class)}
            disabled={button.on_click.is_none()}
            title={text(button.title)}
            aria-label={text(button.name)}
            aria-pressed={button.pressed}
            onclick={button.on_click.map(|on_click| clicked(name, &on_click))}
        >
            { for button.icon.map(icon) }
            if !button.label.is_empty() { <span class="button-text">{button.label.to_owned()}</span> }
        </button>
    }
}
