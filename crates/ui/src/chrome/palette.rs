//! The dialog with all actions: a field, and the actions whose names contain the words typed.

use tabletop_texts::{Locale, locale, messages};
use web_sys::HtmlInputElement;
use yew::{
    Callback, Component, Context, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast,
    classes, html,
};

use super::all_actions::{Entry, all_actions};
use crate::browser;
use crate::kit::{Icon, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, PageState, Part, WorkspaceWish};

const DIALOG: &str = "palette";
const LIST: &str = "palette-actions";

/// The dialog with all actions.
#[derive(Clone, Default)]
pub struct PaletteLook {
    /// Whether the list is open.
    pub open: bool,
}

impl Part for PaletteLook {}

/// Opens the dialog.
pub fn open_palette(act: &Callback<Action>) {
    act.emit(Action::part(|look: &mut PaletteLook| look.open = true));
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
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the dialog while it is open.
#[inline(never)]
pub fn all_actions_dialog(state: &PageState, actions: &Actions) -> Html {
    let on_close = actions.part(|look: &mut PaletteLook| look.open = false);
    html! { <PaletteDialog entries={all_actions(state, actions)} {on_close} /> }
}

/// The lines of a page, for Page Up and Page Down.
const PAGE: usize = 8;

/// The dialog. It is a component with messages, so that a key pressed before the screen is drawn
/// acts on the result of the keys before it.
struct PaletteDialog {
    typed: String,
    chosen: usize,
}

enum Msg {
    Typed(String),
    Up,
    Down,
    PageUp,
    PageDown,
    Run,
}

impl PaletteDialog {
    fn found<'a>(&self, props: &'a PaletteProps) -> Vec<&'a Entry> {
        props.entries.iter().filter(|entry| has_words(entry, &self.typed)).collect()
    }
}

impl Component for PaletteDialog {
    type Message = Msg;
    type Properties = PaletteProps;

    fn create(_: &Context<Self>) -> Self {
        PaletteDialog { typed: String::new(), chosen: 0 }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let found = self.found(ctx.props());
        let last = found.len().saturating_sub(1);
        let at = self.chosen.min(last);
        self.chosen = match msg {
            Msg::Typed(text) => {
                (self.typed, self.chosen) = (text, 0);
                return true;
            }
            Msg::Run => {
                found.get(at).map(|entry| &entry.on_run).into_iter().for_each(close_and_run);
                return false;
            }
            Msg::Up => at.checked_sub(1).unwrap_or(last),
            Msg::Down if at < last => at + 1,
            Msg::Down => 0,
            Msg::PageUp => at.saturating_sub(PAGE),
            Msg::PageDown => (at + PAGE).min(last),
        };
        browser::scroll_in_list(&entry_id(self.chosen));
        true
    }

    /// Keeps the chosen action when others appear before it, such as a fix that has been measured.
    fn changed(&mut self, ctx: &Context<Self>, old: &PaletteProps) -> bool {
        let chosen = self.found(old).get(self.chosen).map(|entry| (&entry.group, &entry.name));
        let is_chosen = |entry: &&Entry| Some((&entry.group, &entry.name)) == chosen;
        if let Some(at) = self.found(ctx.props()).into_iter().position(|entry| is_chosen(&entry)) {
            self.chosen = at;
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let (says, props, link) = (&messages().palette, ctx.props(), ctx.link());
        let found = self.found(props);
        let at = self.chosen.min(found.len().saturating_sub(1));
        let on_input = link.callback(|event: InputEvent| {
            Msg::Typed(event.target_unchecked_into::<HtmlInputElement>().value())
        });
        let on_key = link.batch_callback(|event: KeyboardEvent| {
            let msg = match event.key().as_str() {
                "ArrowUp" => Msg::Up,
                "ArrowDown" => Msg::Down,
                "PageUp" => Msg::PageUp,
                "PageDown" => Msg::PageDown,
                // While characters are composed, Enter ends the composition.
                "Enter" if !event.is_composing() => Msg::Run,
                _ => return None,
            };
            event.prevent_default();
            Some(msg)
        });
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
                    aria-activedescendant={(!found.is_empty()).then(|| entry_id(at))} value={self.typed.clone()}
                    oninput={on_input} onkeydown={on_key} />
                <p role="status" class={if found.is_empty() { "soft" } else { "visually-hidden" }}>
                    {if found.is_empty() { says.none.to_owned() } else { (says.found)(found.len()) }}
                </p>
                <ul id={LIST} class="palette-list" role="listbox" aria-label={says.list}>{ for found.iter().enumerate().map(line) }</ul>
            </dialog>
        }
    }
}

/// Returns whether the entry contains all words of a text, in any order.
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
        let entry = Entry {
            group: "Layout".into(),
            name: "Row per entity".into(),
            key: None,
            on_run: Callback::noop(),
        };
        let found = ["", "row", "ENTITY layout", "  per  row "].map(|text| has_words(&entry, text));
        assert_eq!(found, [true; 4]);
        assert!(!has_words(&entry, "row wide"));
    }
}
