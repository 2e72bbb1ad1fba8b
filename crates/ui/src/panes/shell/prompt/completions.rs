//! The list of completions above the line.

use tabletop_shell::Completion;
use tabletop_texts::messages;
use yew::{Callback, Html, MouseEvent, html};

/// Id of the list.
pub const LIST_ID: &str = "shell-completions";

/// Draws the list with the completion that Enter takes marked. Pressing another one takes that.
pub fn completions(offered: &[Completion], active: usize, take: &Callback<usize>) -> Html {
    let option = |(at, completion): (usize, &Completion)| {
        let take = take.clone();
        // This event comes before the field loses the focus.
        let onmousedown = Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            take.emit(at);
        });
        html! {
            <li id={option_id(at)} role="option" aria-selected={if at == active { "true" } else { "false" }} {onmousedown}>
                <span class="mono">{completion.text.clone()}</span>
                <span class="soft small">{completion.about.clone()}</span>
            </li>
        }
    };
    html! {
        <ul id={LIST_ID} class="shell-completions" role="listbox" aria-label={messages().shell.completions}>
            { for offered.iter().enumerate().map(option) }
        </ul>
    }
}

/// Returns the id of a completion in the list.
pub fn option_id(at: usize) -> String {
    format!("shell-completion-{at}")
}

/// Returns the marked completion in words, for screen readers.
pub fn said(offered: &[Completion], active: usize) -> String {
    match offered.get(active) {
        None => String::new(),
        Some(completion) => (messages().shell.completion)(active + 1, offered.len(), &completion.text),
    }
}
