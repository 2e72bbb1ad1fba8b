//! A few choices next to each other, one of them selected, with one tab stop: a radiogroup, or a list
//! of tabs.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Callback, Html, KeyboardEvent, html};

use super::callback;

/// The size of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentSize {
    /// The size of a button.
    Usual,
    /// A smaller size for a row of tools.
    Small,
}

/// Draws a radiogroup of texts. Arrow keys, Home and End select immediately, as in any radiogroup.
pub fn segmented(
    label: &str,
    texts: &[&str],
    selected: Option<usize>,
    size: SegmentSize,
    on_select: Callback<usize>,
) -> Html {
    let class = if size == SegmentSize::Small { "segmented small" } else { "segmented" };
    drawn(Drawing { label, texts, selected, class, panel: None, on_select })
}

/// Draws a list of tabs. The element with the id `panel` shows the content of the selected one.
pub fn tab_list(
    label: &str,
    texts: &[&str],
    selected: usize,
    panel: &'static str,
    on_select: Callback<usize>,
) -> Html {
    drawn(Drawing {
        label,
        texts,
        selected: Some(selected),
        class: "tab-list",
        panel: Some(panel),
        on_select,
    })
}

struct Drawing<'a> {
    label: &'a str,
    texts: &'a [&'a str],
    selected: Option<usize>,
    class: &'static str,
    /// The id of the panel of tabs; `None` for a radiogroup.
    panel: Option<&'static str>,
    on_select: Callback<usize>,
}

fn drawn(Drawing { label, texts, selected, class, panel, on_select }: Drawing) -> Html {
    let count = texts.len();
    let on_key = callback(&on_select, move |on_select, event: KeyboardEvent| {
        // Use the current choice, not the drawn one: keys can come faster than drawings.
        let at = focused_choice(&event).or(selected).unwrap_or(0);
        let Some(next) = moved(&event.key(), at, count) else { return };
        event.prevent_default();
        focus_choice(&event, next);
        on_select.emit(next);
    });
    let choice = |(at, text): (usize, &&str)| {
        let checked = selected == Some(at);
        let state = if checked { "true" } else { "false" };
        let stop = checked || (selected.is_none() && at == 0);
        let on_select = on_select.clone();
        #[cfg(test)]
        crate::browser::used::note_button(text, &on_select.reform(move |()| at));
        html! {
            <button
                type="button"
                role={if panel.is_some() { "tab" } else { "radio" }}
                aria-checked={panel.is_none().then_some(state)}
                aria-selected={panel.map(|_| state)}
                aria-controls={panel}
                tabindex={if stop { "0" } else { "-1" }}
                onclick={Callback::from(move |_| on_select.emit(at))}
            >
                {(*text).to_owned()}
            </button>
        }
    };
    html! {
        <div
            {class}
            role={if panel.is_some() { "tablist" } else { "radiogroup" }}
            aria-label={label.to_owned()}
            onkeydown={on_key}
        >
            { for texts.iter().enumerate().map(choice) }
        </div>
    }
}

/// Returns the choice that a key selects from another one; `None` for keys that the browser
/// handles.
fn moved(key: &str, from: usize, count: usize) -> Option<usize> {
    Some(match key {
        "ArrowRight" | "ArrowDown" => (from + 1) % count,
        "ArrowLeft" | "ArrowUp" => (from + count - 1) % count,
        "Home" => 0,
        "End" => count - 1,
        _ => return None,
    })
}

/// Returns the focused choice.
fn focused_choice(event: &KeyboardEvent) -> Option<usize> {
    let pressed = event.target()?.dyn_into::<Element>().ok()?;
    let choice = pressed.closest("[role=radio], [role=tab]").ok().flatten()?;
    Some(std::iter::successors(choice.previous_element_sibling(), Element::previous_element_sibling).count())
}

/// Moves the focus to another choice of the focused group.
fn focus_choice(event: &KeyboardEvent, at: usize) {
    let pressed = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let group =
        pressed.and_then(|pressed| pressed.closest("[role=radiogroup], [role=tablist]").ok().flatten());
    let choice = group.and_then(|group| group.children().item(at as u32));
    if let Some(choice) = choice.and_then(|choice| choice.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown.
        let _ = choice.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn keys_go_around_the_group() {
        let from = |at: usize| {
            ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Home", "End"].map(|key| moved(key, at, 3))
        };
        assert_eq!(from(0), [2, 2, 1, 1, 0, 2].map(Some));
        assert_eq!(from(2), [1, 1, 0, 0, 0, 2].map(Some));
        assert_eq!(moved("Tab", 0, 3), None);
    }
}
