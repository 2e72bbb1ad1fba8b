//! The details of one cell: its whole key, column, time and value.

use std::rc::Rc;

use tabletop_keys::time;
use tabletop_model::{Cell, Row, escape};
use tabletop_texts::messages;
use tabletop_views::results::{
    ValueKind, WHOLE_BYTES_MAX, cell_whole, decoding_name, hex_dump, kind_name, offered, plain,
};
use tabletop_workspace::Decoding;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, html};

use super::chosen::ColumnAction;
use super::grid::Grid;
use super::key::key_parts;
use super::line::{column_name, decoding_of};
use super::look::{Copied, CopyOutcome};
use super::versions::versions;
use crate::browser;
use crate::kit::{ButtonKind, Icon, Label, callback, push, select, tool};
use crate::page::actions::ShellAction;
use crate::page::state::ResultLine;

/// Draws the details of the chosen cell. The key comes first if the cursor is in the column of
/// keys.
pub fn details(grid: &Rc<Grid>, line: ResultLine<'_>, column: usize) -> Html {
    let says = &messages().results.details;
    let copied = match grid.look(|look| look.copied) {
        Some((Copied::Key, CopyOutcome::Done)) => says.key_copied,
        Some((Copied::Key, CopyOutcome::Forbidden)) => says.key_not_copied,
        Some((Copied::Value, CopyOutcome::Done)) => says.value_copied,
        Some((Copied::Value, CopyOutcome::Forbidden)) => says.value_not_copied,
        None => "",
    };
    let close = callback(grid, move |grid, ()| grid.close());
    let cell = line.cell();
    let mut parts: Vec<Html> = cell.map(|cell| cell_part(grid, cell)).into_iter().collect();
    parts.extend(cell.map(|cell| versions(grid, line.row, cell)));
    parts.insert(if column == 0 { 0 } else { parts.len() }, key_part(grid, line.row));
    html! {
        <section class="details" aria-label={says.title}>
            <div class="details-tools">
                { copy_button(grid, Copied::Key, says.copy_key, escape(&line.row.key)) }
                { for cell.map(|cell| copy_button(grid, Copied::Value, says.copy_value, plain(&cell.value))) }
                { lookup(grid, line.row) }
                <span class="soft" role="status">{ copied }</span>
                { tool(says.close, Icon::Close, close) }
            </div>
            // The focus makes a scrolling box reachable by keyboard.
            <div class="details-body" tabindex="0" role="group" aria-label={says.content}>{ parts }</div>
        </section>
    }
}

/// Draws a button that reads the row in the shell.
fn lookup(grid: &Grid, row: &Row) -> Html {
    let command = grid.props.commands.lookup(&row.key);
    let on_click = {
        let command = command.clone();
        grid.props.on_action.reform(move |()| ShellAction::Show(command.clone()))
    };
    html! {
        <span class="details-command" title={command}>
            { push(messages().results.details.look_up, Some(Icon::Play), ButtonKind::Quiet, on_click) }
        </span>
    }
}

fn copy_button(grid: &Rc<Grid>, what: Copied, label: &str, text: String) -> Html {
    let grid = grid.clone();
    let on_click = Callback::from(move |()| {
        let (grid, text) = (grid.clone(), text.clone());
        spawn_local(async move {
            let outcome = if browser::copy(&text).await { CopyOutcome::Done } else { CopyOutcome::Forbidden };
            grid.change(|look| look.copied = Some((what, outcome)));
        });
    });
    push(label, Some(Icon::Copy), ButtonKind::Quiet, on_click)
}

fn key_part(grid: &Rc<Grid>, row: &Row) -> Html {
    let hex = grid.look(|look| look.hex);
    let on_hex = callback(grid, move |grid, ()| grid.change(|look| look.hex = !look.hex));
    let says = &messages().results.details;
    let sizes = (says.key_size)(row.key.len() as u64, row.cells.len() as u64);
    let label = if hex { says.hide_hex } else { says.show_hex };
    html! {
        <dl>
            <dt>{says.key}</dt>
            <dd>
                <div class="key-whole mono">{ key_parts(&grid.props.keys.view(&row.key), &grid.props.keys.colors) }</div>
                if hex { <pre class="dump">{ hex_dump(&row.key) }</pre> }
                <div class="soft">{ sizes }{ push(label, None, ButtonKind::Quiet, on_hex) }</div>
            </dd>
            { for grid.props.keys.template.decode(&row.key).into_iter().map(|(name, text)| html! {
                <div class="key-field"><dt>{ name }</dt><dd class="mono">{ text }</dd></div>
            }) }
        </dl>
    }
}

fn cell_part(grid: &Rc<Grid>, cell: &Cell) -> Html {
    let value = &cell.value;
    let (kind, text) = cell_whole(
        cell,
        decoding_of(&grid.chosen(), cell),
        grid.types().as_deref(),
        grid.props.keys.values.as_ref(),
    );
    let says = &messages().results.details;
    let mut sizes = (says.value_size)(value.len() as u64, kind_name(kind));
    if value.len() > WHOLE_BYTES_MAX && kind != ValueKind::Protobuf {
        sizes.push_str(&(says.value_cut)(WHOLE_BYTES_MAX as u64));
    }
    html! {
        <dl>
            <dt>{says.column}</dt>
            <dd class="mono">{ column_name(cell) }</dd>
            <dt>{says.time}</dt>
            <dd><span class="mono">{ time::format(cell.timestamp) }</span>{" "}<span class="soft num">{ (says.micros)(cell.timestamp) }</span></dd>
            if let Some(label) = &cell.label {
                <dt>{says.label}</dt>
                <dd><span class="label">{ label.clone() }</span></dd>
            }
            <dt>{says.value}</dt>
            <dd>
                // A long line scrolls, so it also needs the focus.
                <pre class="dump" tabindex="0" role="group" aria-label={says.value}>{ text }</pre>
                <div class="soft">{ sizes }</div>
                { column_decoding(grid, cell) }
            </dd>
        </dl>
    }
}

/// Draws the choice of how the values of the cell's column are decoded.
fn column_decoding(grid: &Rc<Grid>, cell: &Cell) -> Html {
    let (says, name, chosen) = (&messages().results, column_name(cell), grid.chosen());
    let all = (says.details.as_others)(decoding_name(chosen.values_as));
    let offered = offered(&chosen);
    let texts: Vec<&str> =
        std::iter::once(all.as_str()).chain(offered.iter().map(|one| decoding_name(*one))).collect();
    let own = chosen.get(&name).and_then(|column| column.values_as);
    let at = own.map_or(0, |own| Decoding::ALL.iter().position(|one| *one == own).map_or(0, |at| at + 1));
    let label = (says.details.values_of)(&name);
    let on_select = {
        let edits = grid.edits();
        Callback::from(move |at: usize| {
            let decoding = at.checked_sub(1).and_then(|at| Decoding::ALL.get(at)).copied();
            edits.choose(&name, ColumnAction::Decode(decoding), true);
        })
    };
    select(Label::Shown(&label), &texts, Some(at), on_select)
}
