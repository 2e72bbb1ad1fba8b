//! The details of one tablet.

use tabletop_model::{RowKey, TableView, TabletId, TabletView};
use tabletop_texts::messages;
use tabletop_texts::numbers::{bytes, thousands};
use tabletop_views::tablets::words::{count, rate};
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, KeyboardEvent, html};

use super::look::StripLook;
use crate::browser;
use crate::kit::{Icon, callback, icon, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, PageState, RangeEnd};

/// Draws the row range of the chosen tablet, its size and its load.
pub fn inspector(selected: TabletId, state: &PageState, actions: &Actions) -> Html {
    let table = &state.view.table;
    let Some(at) = place_of(table, selected) else { return html! {} };
    let tablet = &table.tablets[at];
    let close = actions.act.reform(|()| Action::SelectTablet(None));
    let onkeydown = callback(&close, move |close, event: KeyboardEvent| {
        if event.key() == "Escape" {
            close.emit(());
        }
    });
    let says = &messages().tablets.inspector;
    // The counts of a tablet start when it is made.
    let is_split = tablet.parent.is_some();
    let numbers = [
        (says.rows, count(tablet, tablet.rows)),
        (says.cells, count(tablet, tablet.cells)),
        (says.stored, bytes(tablet.bytes)),
        (says.memtable, bytes(tablet.memtable_bytes)),
        (says.sstables, thousands(tablet.sstables.into())),
        (if is_split { says.writes_since_split } else { says.writes }, thousands(tablet.writes)),
        (says.writes_per_second, rate(tablet.writes_per_second)),
        (if is_split { says.reads_since_split } else { says.reads }, thousands(tablet.reads)),
        (says.reads_per_second, rate(tablet.reads_per_second)),
    ];
    html! {
        <section class="inspector" aria-labelledby="inspector-title" {onkeydown}>
            <div class="inspector-head">
                <h3 id="inspector-title">{(says.title)(at + 1, table.tablets.len())}</h3>
                if state.view.verdict.is_hot(at) { <span class="hot-badge">{icon(Icon::Hot)}{messages().tablets.hot}</span> }
                { tool(says.close, Icon::Close, close) }
            </div>
            <dl class="range">
                <dt>{says.start}</dt>
                <dd>{ key_end(&tablet.start, RangeEnd::Start, state, actions) }</dd>
                <dt>{says.end}</dt>
                <dd>{ key_end(&tablet.end, RangeEnd::End, state, actions) }</dd>
            </dl>
            <dl class="numbers">
                { for numbers.into_iter().map(|(name, value)| html! { <><dt>{name}</dt><dd class="num">{value}</dd></> }) }
            </dl>
        </section>
    }
}

/// Returns the position of a tablet, or of the first one that was split from it.
pub fn place_of(table: &TableView, id: TabletId) -> Option<usize> {
    let at = |matches: &dyn Fn(&TabletView) -> bool| table.tablets.iter().position(matches);
    at(&|tablet| tablet.id == id).or_else(|| at(&|tablet| tablet.parent == Some(id)))
}

/// Draws one end of the range, with a button that copies it. An empty key is an open end.
fn key_end(key: &RowKey, end: RangeEnd, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().tablets.inspector;
    let (open, copy, copied_text) = match end {
        RangeEnd::Start => (says.start_of_table, says.copy_start, says.start_copied),
        RangeEnd::End => (says.end_of_table, says.copy_end, says.end_copied),
    };
    if key.is_empty() {
        return html! { <span class="soft">{open}</span> };
    }
    let text = key.to_string();
    let copied = state.look.part::<StripLook>().copied == Some(end);
    let on_click = {
        let (text, actions) = (text.clone(), actions.clone());
        Callback::from(move |()| {
            let (text, actions) = (text.clone(), actions.clone());
            spawn_local(async move {
                if browser::copy(&text).await {
                    actions.part(move |look: &mut StripLook| look.copied = Some(end)).emit(());
                    actions.say(copied_text);
                } else {
                    actions.say(messages().common.copy_forbidden);
                }
            });
        })
    };
    html! {
        <>
            <span class="mono key-end">{text}</span>
            { tool(copy, if copied { Icon::Check } else { Icon::Copy }, on_click) }
        </>
    }
}
