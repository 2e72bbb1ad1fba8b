//! The versions of one column of a row, what its GC rule does with them, and manual writes: a
//! version is deleted, or gets another value. A first visit opens no cell, so this code is fetched
//! later.

use std::rc::Rc;

use tabletop_keys::time;
use tabletop_model::{Cell, GcRule, Mutation, Row, RowMutation, Timestamp, TimestampRange};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::results::plain;
use web_sys::HtmlTextAreaElement;
use yew::{
    Callback, Html, InputEvent, KeyboardEvent, Properties, TargetCast, function_component, html,
    use_effect_with, use_node_ref,
};

use super::by_hand::row_tools;
use super::dom::element;
use super::expired::{counted, expired_of_row, is_listed};
use super::grid::Grid;
use super::look::TypedValue;
use crate::kit::{ButtonKind, Icon, callback, push, tool};

/// The granularity of timestamps: each version has a millisecond of its own.
const MILLISECOND: i64 = 1_000;
/// The maximum number of versions that are listed.
const VERSIONS_MAX: usize = 100;

/// Draws the versions of the column of `cell`, and the editor of its value.
#[inline(never)]
pub fn versions(grid: &Rc<Grid>, row: &Row, cell: &Cell) -> Html {
    let says = &messages().results.details;
    let is_column = |other: &&Cell| other.family == cell.family && other.qualifier == cell.qualifier;
    let all: Vec<&Cell> = row.cells.iter().filter(is_column).collect();
    let rule = grid.props.rules.iter().find(|rule| rule.family == cell.family).map(|rule| &rule.gc_rule);
    let counted = counted(grid, &row.key);
    let line = |(at, version): (usize, &&Cell)| {
        let when = time::format(version.timestamp);
        let goes = counted.as_ref().is_some_and(|counted| is_listed(counted, version));
        let fate = rule
            .zip(grid.props.gc_time)
            .and_then(|(rule, now)| fate(rule, at as u64 + 1, version.timestamp, now));
        let delete = {
            let (on_write, key) = (grid.props.on_write.clone(), row.key.clone());
            let mutation = delete(version);
            Callback::from(move |()| {
                on_write.emit(RowMutation { key: key.clone(), mutations: vec![mutation.clone()] });
            })
        };
        html! {
            <li class="version" key={at} aria-current={(version.timestamp == cell.timestamp).then_some("true")}>
                <span class="mono">{when.clone()}</span>
                if goes {
                    <strong class="collected">{says.collected_next}</strong>
                } else if let Some(fate) = fate { <span class="soft">{fate}</span> }
                { tool(&(says.delete_version)(&when), Icon::Close, delete) }
            </li>
        }
    };
    html! {
        <>
            if !grid.props.strips { { editor(grid, row, cell) } }
            <p class="versions-title soft small">{(says.versions)(all.len() as u64, VERSIONS_MAX as u64)}</p>
            <ol class="versions small">{ for all.iter().take(VERSIONS_MAX).enumerate().map(line) }</ol>
            { expired_of_row(grid, &row.key) }
            { row_tools(grid, &row.key, cell) }
            <p class="soft small">{grid.props.hand_note}</p>
        </>
    }
}

/// Returns what a rule will do with a version, counted from 1. The engine says which versions
/// expire now.
fn fate(rule: &GcRule, version: u64, timestamp: Timestamp, now: Timestamp) -> Option<String> {
    let says = &messages().results.details;
    match rule.expires(version, timestamp) {
        Timestamp::MAX => Some(says.stays.into()),
        expires if expires <= now => None,
        expires => Some((says.collected_from)(&time::format(expires))),
    }
}

/// Returns the mutation that deletes one version.
fn delete(cell: &Cell) -> Mutation {
    let range = TimestampRange { start: cell.timestamp, end: cell.timestamp.saturating_add(MILLISECOND) };
    Mutation::DeleteFromColumn { family: cell.family.clone(), qualifier: cell.qualifier.clone(), range }
}

/// Draws a button that opens a field for another value, or that field. The field belongs to its
/// cell, not to the position of the cursor: rows may arrive while the user types.
fn editor(grid: &Rc<Grid>, row: &Row, cell: &Cell) -> Html {
    let says = &messages().results.details;
    let Some(TypedValue { key, cell: of, text }) = grid.look(|look| look.typed.clone()) else {
        let Some(text) = typeable(&cell.value).map(str::to_owned) else {
            return html! { <p class="soft small">{says.not_text}</p> };
        };
        let open = {
            let (grid, key, cell) = (grid.clone(), row.key.clone(), cell.clone());
            Callback::from(move |()| {
                let typed = TypedValue { key: key.clone(), cell: cell.clone(), text: text.clone() };
                grid.change(|look| look.typed = Some(typed));
            })
        };
        return push(says.edit_value, None, ButtonKind::Quiet, open);
    };
    let cancel = callback(grid, move |grid, ()| close(&grid));
    let save = callback(grid, move |grid, ()| {
        if let Some(TypedValue { key, cell, text }) = grid.look(|look| look.typed.clone()) {
            let Cell { family, qualifier, timestamp, .. } = cell;
            let set = Mutation::SetCell { family, qualifier, timestamp, value: text.into() };
            grid.props.on_write.emit(RowMutation { key, mutations: vec![set] });
        }
        close(&grid);
    });
    // The field keeps what is typed, so nothing is redrawn.
    let on_text = callback(grid, move |grid, text: String| {
        if let Some(typed) = &mut grid.look.borrow_mut().typed {
            typed.text = text;
        }
    });
    let is_other = key != row.key
        || (&of.family, &of.qualifier, of.timestamp) != (&cell.family, &cell.qualifier, cell.timestamp);
    let other = is_other.then(|| {
        let column = [of.family.as_bytes(), b":", &of.qualifier].concat();
        (says.edits)(&time::format(of.timestamp), &plain(&column), &plain(&key))
    });
    html! {
        <div class="cell-editor" data-undo="own">
            if let Some(other) = other { <p class="small">{other}</p> }
            <ValueField {text} {on_text} on_escape={cancel.clone()} />
            <div>
                { push(says.save_value, None, ButtonKind::Primary, save) }
                { push(says.cancel, None, ButtonKind::Quiet, cancel) }
            </div>
        </div>
    }
}

/// Returns a value as a text that a field preserves: a field would change the ends of lines, and
/// lose other control characters.
fn typeable(value: &[u8]) -> Option<&str> {
    let is_typed = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    std::str::from_utf8(value).ok().filter(|text| text.chars().all(is_typed))
}

/// Closes the field. The focus goes back to the grid.
fn close(grid: &Grid) {
    grid.change(|look| look.typed = None);
    if let Some(lines) = element(&grid.look(|look| look.grid.clone())) {
        // Fails only for an element that is not shown.
        drop(lines.focus());
    }
}

/// Properties of [`ValueField`].
#[derive(Properties, PartialEq)]
struct ValueFieldProps {
    text: String,
    on_text: Callback<String>,
    on_escape: Callback<()>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// A field that takes the focus when it opens.
#[function_component]
fn ValueField(props: &ValueFieldProps) -> Html {
    let field = use_node_ref();
    use_effect_with((), {
        let field = field.clone();
        move |()| {
            if let Some(field) = element(&field) {
                // Fails only for an element that is not shown.
                drop(field.focus());
            }
        }
    });
    let on_escape = props.on_escape.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            on_escape.emit(());
        }
    });
    let oninput = props
        .on_text
        .reform(|event: InputEvent| event.target_unchecked_into::<HtmlTextAreaElement>().value());
    html! {
        <textarea ref={field} class="input mono" rows="4" spellcheck="false" aria-label={messages().results.details.new_value}
            value={props.text.clone()} {oninput} {onkeydown} />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_keeps_what_it_can_show() {
        assert_eq!(typeable("zwei\n\tZeilen".as_bytes()), Some("zwei\n\tZeilen"));
        assert_eq!(typeable(b"one\r\ntwo"), None);
        assert_eq!(typeable(b"\0"), None);
        assert_eq!(typeable(b"\xff"), None);
    }

    #[test]
    fn a_rule_says_what_becomes_of_a_version() {
        let two = GcRule::MaxVersions(2);
        let hour = GcRule::MaxAge { micros: 3_600_000_000 };
        let now = 1_559_020_000_000_000;
        assert_eq!(fate(&two, 2, now, now).as_deref(), Some("stays"));
        assert_eq!(fate(&two, 3, now, now), None);
        assert_eq!(fate(&hour, 1, now - 3_600_000_001, now), None);
        assert_eq!(fate(&hour, 1, now, now).as_deref(), Some("expires 2019-05-28T06:06:40.000Z"));
        let both = GcRule::Intersection(vec![two, hour]);
        assert_eq!(fate(&both, 3, now, now).as_deref(), Some("expires 2019-05-28T06:06:40.000Z"));
        assert_eq!(fate(&both, 1, now, now).as_deref(), Some("stays"));
    }
}
