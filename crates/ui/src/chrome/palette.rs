//! The dialog with all actions: a field, and the actions whose names have the words that are typed.

use web_sys::HtmlInputElement;
use yew::{
    Callback, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast, classes, function_component, html, use_state,
};

use super::all_actions::{Entry, all_actions};
use crate::actions::Actions;
use crate::browser;
use crate::messages::messages;
use crate::state::{Action, PageState, WorkspaceWish};
use crate::widgets::{Icon, tool};

const DIALOG: &str = "palette";
const LIST: &str = "palette-actions";

/// Opens the dialog.
pub fn open_palette(act: &Callback<Action>) {
    act.emit(Action::Look(Box::new(|look| look.palette = true)));
    // Saved workspaces are among the actions.
    act.emit(Action::Wish(WorkspaceWish::List));
    browser::open_dialog(DIALOG);
}

/// Properties of [`PaletteDialog`].
#[derive(Properties, PartialEq)]
pub struct PaletteProps {
    /// All actions.
    pub entries: Vec<Entry>,
    /// The dialog was closed.
    pub on_close: Callback<()>,
}

/// Draws the dialog while it is open.
#[inline(never)]
pub fn all_actions_dialog(state: &PageState, actions: &Actions) -> Html {
    let on_close = actions.look(|look| look.palette = false);
    html! { <PaletteDialog entries={all_actions(state, actions)} {on_close} /> }
}

#[function_component]
fn PaletteDialog(props: &PaletteProps) -> Html {
    let (typed, chosen) = (use_state(String::new), use_state(|| 0_usize));
    let says = &messages().palette;
    let found: Vec<&Entry> = props.entries.iter().filter(|entry| has_words(entry, &typed)).collect();
    let at = (*chosen).min(found.len().saturating_sub(1));
    let on_input = {
        let (typed, chosen) = (typed.clone(), chosen.clone());
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_unchecked_into::<HtmlInputElement>().value());
            chosen.set(0);
        })
    };
    let on_key = {
        let (chosen, last) = (chosen.clone(), found.len().saturating_sub(1));
        let run = found.get(at).map(|entry| entry.on_run.clone());
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowUp" => at.checked_sub(1).unwrap_or(last),
                "ArrowDown" => {
                    if at < last {
                        at + 1
                    } else {
                        0
                    }
                }
                "PageUp" => at.saturating_sub(8),
                "PageDown" => (at + 8).min(last),
                // While characters are composed, Enter ends the composition.
                "Enter" if !event.is_composing() => {
                    event.prevent_default();
                    return run.iter().for_each(close_and_run);
                }
                _ => return,
            };
            event.prevent_default();
            chosen.set(to);
            browser::scroll_in_list(&entry_id(to));
        })
    };
    let line = |(index, entry): (usize, &&Entry)| {
        let on_run = entry.on_run.clone();
        html! {
            <li id={entry_id(index)} role="option" aria-selected={(index == at).to_string()}
                class={classes!((index == at).then_some("chosen"))} onclick={move |_: MouseEvent| close_and_run(&on_run)}>
                <span><span class="soft">{entry.group.clone()}{": "}</span>{entry.name.clone()}</span>
                if let Some(key) = entry.key { <kbd>{key}</kbd> }
            </li>
        }
    };
    html! {
        <dialog id={DIALOG} class="palette" aria-labelledby="palette-title" onclose={props.on_close.reform(|_| ())}>
            <div class="dialog-head">
                <h2 id="palette-title">{says.title}</h2>
                { tool(messages().common.close, Icon::Close, Callback::from(|()| close())) }
            </div>
            <input class="input" type="text" role="combobox" autofocus=true autocomplete="off" spellcheck="false" data-undo="own"
                aria-label={says.search} placeholder={says.search} aria-expanded="true" aria-controls={LIST}
                aria-activedescendant={(!found.is_empty()).then(|| entry_id(at))} value={(*typed).clone()} oninput={on_input} onkeydown={on_key} />
            <p role="status" class={if found.is_empty() { "soft" } else { "visually-hidden" }}>
                {if found.is_empty() { says.none.to_owned() } else { (says.found)(found.len()) }}
            </p>
            <ul id={LIST} class="palette-list" role="listbox" aria-label={says.list}>{ for found.iter().enumerate().map(line) }</ul>
        </dialog>
    }
}

/// Returns whether the entry has all words of a text, in any order.
fn has_words(entry: &Entry, text: &str) -> bool {
    let name = format!("{} {}", entry.group, entry.name).to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

fn close_and_run(on_run: &Callback<()>) {
    close();
    on_run.emit(());
}

fn close() {
    browser::close_dialog(DIALOG);
}

fn entry_id(at: usize) -> String {
    format!("palette-{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_order_and_case() {
        let entry = Entry { group: "Layout".into(), name: "Row per entity".into(), key: None, on_run: Callback::noop() };
        let found = ["", "row", "ENTITY layout", "  per  row "].map(|text| has_words(&entry, text));
        assert_eq!(found, [true; 4]);
        assert!(!has_words(&entry, "row wide"));
    }
}
