//! The versions of one column of a row, what its GC rule does with them, and writes by hand: a version is deleted, or has another
//! value. A first visit opens no cell, so this code is fetched later.

use std::rc::Rc;

use tabletop_model::{Cell, GcRule, Mutation, Row, RowMutation, Timestamp, TimestampRange};
use tabletop_schema::time;
use web_sys::HtmlTextAreaElement;
use yew::{Callback, Html, InputEvent, Properties, TargetCast, function_component, html, use_state};

use super::grid::Grid;
use crate::messages::messages;
use crate::widgets::{ButtonKind, Icon, push, tool};

/// The granularity of timestamps: a version is alone in its millisecond.
const MILLISECOND: i64 = 1_000;
/// The most versions that are listed.
const VERSIONS_MAX: usize = 100;

/// Draws the versions of the column of `cell`, and the editor of its value.
#[inline(never)]
pub fn versions(grid: &Rc<Grid>, row: &Row, cell: &Cell) -> Html {
    let says = &messages().results.details;
    let is_column = |other: &&Cell| other.family == cell.family && other.qualifier == cell.qualifier;
    let all: Vec<&Cell> = row.cells.iter().filter(is_column).collect();
    let rule = grid.rules.iter().find(|rule| rule.family == cell.family).map(|rule| &rule.gc_rule);
    let line = |(at, version): (usize, &&Cell)| {
        let when = time::format(version.timestamp);
        let fate = rule.zip(grid.gc_time).map(|(rule, now)| fate(rule, at as u64 + 1, version.timestamp, now));
        let delete = {
            let (on_write, key) = (grid.on_write.clone(), row.key.clone());
            let mutation = delete(version);
            Callback::from(move |()| on_write.emit(RowMutation { key: key.clone(), mutations: vec![mutation.clone()] }))
        };
        html! {
            <li class="version" key={version.timestamp.to_string()} aria-current={(version.timestamp == cell.timestamp).then_some("true")}>
                <span class="mono">{when.clone()}</span>
                if let Some(fate) = fate { <span class="soft">{fate}</span> }
                { tool(&(says.delete_version)(&when), Icon::Close, delete) }
            </li>
        }
    };
    let on_value = {
        let (on_write, key, cell) = (grid.on_write.clone(), row.key.clone(), cell.clone());
        Callback::from(move |text: String| {
            let (family, qualifier) = (cell.family.clone(), cell.qualifier.clone());
            let set = Mutation::SetCell { family, qualifier, timestamp: cell.timestamp, value: text.into() };
            on_write.emit(RowMutation { key: key.clone(), mutations: vec![set] });
        })
    };
    let text = std::str::from_utf8(&cell.value).ok().map(str::to_owned);
    let id = format!("{}-{}-{}", row.key, cell.timestamp, cell.value.len());
    html! {
        <>
            <CellEditor key={id} {text} {on_value} />
            <p class="versions-title soft small">{(says.versions)(all.len() as u64)}</p>
            <ol class="versions small">{ for all.iter().take(VERSIONS_MAX).enumerate().map(line) }</ol>
        </>
    }
}

/// Returns what a rule does with a version, counted from 1.
fn fate(rule: &GcRule, version: u64, timestamp: Timestamp, now: Timestamp) -> String {
    let says = &messages().results.details;
    match rule.expires(version, timestamp) {
        Timestamp::MAX => says.stays.into(),
        expires if expires <= now => says.collected_next.into(),
        expires => (says.collected_from)(&time::format(expires)),
    }
}

/// Returns the mutation that deletes one version.
fn delete(cell: &Cell) -> Mutation {
    let range = TimestampRange { start: cell.timestamp, end: cell.timestamp.saturating_add(MILLISECOND) };
    Mutation::DeleteFromColumn { family: cell.family.clone(), qualifier: cell.qualifier.clone(), range }
}

/// Properties of [`CellEditor`].
#[derive(Properties, PartialEq)]
struct CellEditorProps {
    /// The value; `None` if it is no text.
    text: Option<String>,
    on_value: Callback<String>,
}

/// A button that opens a field for another value.
#[function_component]
fn CellEditor(props: &CellEditorProps) -> Html {
    let says = &messages().results.details;
    let typed = use_state(|| None::<String>);
    let Some(text) = props.text.clone() else {
        return html! { <p class="soft small">{says.not_text}</p> };
    };
    let Some(now) = (*typed).clone() else {
        let open = {
            let typed = typed.clone();
            Callback::from(move |()| typed.set(Some(text.clone())))
        };
        return push(says.edit_value, None, ButtonKind::Quiet, open);
    };
    let cancel = {
        let typed = typed.clone();
        Callback::from(move |()| typed.set(None))
    };
    let save = {
        let (typed, now, on_value) = (typed.clone(), now.clone(), props.on_value.clone());
        Callback::from(move |()| {
            typed.set(None);
            on_value.emit(now.clone());
        })
    };
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| typed.set(Some(event.target_unchecked_into::<HtmlTextAreaElement>().value())))
    };
    html! {
        <div class="cell-editor" data-undo="own">
            <textarea class="input mono" rows="4" spellcheck="false" aria-label={says.new_value} value={now} {oninput} />
            <div>
                { push(says.save_value, None, ButtonKind::Primary, save) }
                { push(says.cancel, None, ButtonKind::Quiet, cancel) }
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_what_becomes_of_a_version() {
        let two = GcRule::MaxVersions(2);
        let hour = GcRule::MaxAge { micros: 3_600_000_000 };
        let now = 1_559_020_000_000_000;
        assert_eq!(fate(&two, 2, now, now), "stays");
        assert_eq!(fate(&two, 3, now, now), "goes with the next compaction");
        assert_eq!(fate(&hour, 1, now - 3_600_000_001, now), "goes with the next compaction");
        assert_eq!(fate(&hour, 1, now, now), "goes from 2019-05-28T06:06:40.000Z on");
        let both = GcRule::Intersection(vec![two, hour]);
        assert_eq!(fate(&both, 3, now, now), "goes from 2019-05-28T06:06:40.000Z on");
        assert_eq!(fate(&both, 1, now, now), "stays");
    }
}
