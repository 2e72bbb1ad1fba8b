//! Buttons. Plain functions, as most of the page is: a component costs some kilobytes of program, and these have no state.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::{Icon, icon};

/// How much a button asks for attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ButtonKind {
    /// One among others.
    Plain,
    /// The thing to do; at most one in a pane.
    Primary,
    /// In a row of tools: no ground until it is pointed at.
    Quiet,
}

/// A button with a text.
pub fn push(label: &str, icon: Option<Icon>, kind: ButtonKind, disabled: bool, on_click: Callback<()>) -> Html {
    let class = match kind {
        ButtonKind::Plain => "button",
        ButtonKind::Primary => "button primary",
        ButtonKind::Quiet => "button quiet",
    };
    draw(Draw { label, icon, class, title: None, name: None, pressed: None, disabled, on_click })
}

/// A button with nothing but an icon; the label is its name and its tooltip.
pub fn tool(label: &str, icon: Icon, disabled: bool, on_click: Callback<()>) -> Html {
    let class = "button quiet icon-only";
    draw(Draw { label: "", icon: Some(icon), class, title: Some(label), name: Some(label), pressed: None, disabled, on_click })
}

/// A button that stays down.
pub fn toggle(label: &str, icon: Icon, pressed: bool, on_click: Callback<()>) -> Html {
    let pressed = Some(if pressed { "true" } else { "false" });
    draw(Draw { label, icon: Some(icon), class: "button quiet", title: None, name: None, pressed, disabled: false, on_click })
}

struct Draw<'a> {
    label: &'a str,
    icon: Option<Icon>,
    class: &'static str,
    title: Option<&'a str>,
    name: Option<&'a str>,
    pressed: Option<&'static str>,
    disabled: bool,
    on_click: Callback<()>,
}

fn draw(button: Draw) -> Html {
    let text = |text: Option<&str>| text.map(str::to_owned);
    html! {
        <button
            type="button"
            class={classes!(button.class)}
            disabled={button.disabled}
            title={text(button.title)}
            aria-label={text(button.name)}
            aria-pressed={button.pressed}
            onclick={button.on_click.reform(|_: MouseEvent| ())}
        >
            { for button.icon.map(icon) }
            if !button.label.is_empty() { <span class="button-text">{button.label.to_owned()}</span> }
        </button>
    }
}
