//! Access patterns on designs: the cost of each pattern on each design, a total for each design,
//! and the sentence on the best one. One line per pattern, one column per design; on a narrow page,
//! one block per pattern.

use std::ops::Range;

use tabletop_advice::{DesignCosts, Figure, QueryOutcome, Ranking, Scoreboard, TableState, Total};
use tabletop_protocol::Playback;
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_views::{in_words::in_words, query::limit_count};
use tabletop_workspace::{QUERY_NAME_CHARS_MAX, READS_PER_SECOND_MAX, tables_of_designs};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Callback, Html, KeyboardEvent, TargetCast, classes, html};

use super::look::{PatternPart, PatternsLook};
use super::patterns::{delete, opener, prevents_name, rename, show, to_look_up, toggle, weigh};
use super::score_cell::score_cell;
use super::suggestions::suggestions;
use crate::kit::{
    ButtonKind, Cell, Column, Icon, Label, NameField, Number, Row, Table, clicked, icon, number_field, push,
    select,
};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};
use crate::panes::query::edit_pattern;
use crate::panes::query::limit_fields;

/// Draws the section: `costs` are the costs of the access patterns on the designs, and `board`
/// ranks them.
pub fn scoreboard(state: &PageState, actions: &Actions, board: &Scoreboard, costs: &[DesignCosts]) -> Html {
    let says = &messages().scoreboard;
    let queries = &state.workspace.queries;
    html! {
        <section class="scoreboard" aria-labelledby="scoreboard-title" onkeydown={Callback::from(on_key)}>
            <div class="score-head">
                <h3 id="scoreboard-title">{says.title}</h3>
                { progress(board, costs) }
                if !queries.is_empty() { { load_all(state, actions, costs) } }
            </div>
            if queries.is_empty() {
                <p class="soft">{says.none}</p>
                <p>{ to_look_up(state, actions) }</p>
            } else {
                if matches!(board.ranking, Ranking::NoPatterns | Ranking::TooFew) { <p>{(messages().advice.ranking)(board)}</p> }
                { grid(state, actions, board, costs) }
            }
            { suggestions(state, actions) }
        </section>
    }
}

/// Draws the notes on the totals. They come once everything is measured, so they are below what the
/// user may be about to press.
pub fn scoreboard_notes(state: &PageState, board: &Scoreboard) -> Html {
    html! {
        <>
            { for (messages().advice.ranking_notes)(board).into_iter().map(|note| html! { <p class="small score-note">{icon(Icon::Info)}<span>{note}</span></p> }) }
            if !state.workspace.queries.is_empty() { <p class="soft small score-formula">{messages().scoreboard.formula}</p> }
        </>
    }
}

/// Draws how much is measured, until everything is. It changes too often for a live region.
fn progress(board: &Scoreboard, costs: &[DesignCosts]) -> Html {
    let outcomes =
        || costs.iter().filter(|each| each.state == TableState::Complete).flat_map(|each| &each.outcomes);
    let done = outcomes().filter(|outcome| **outcome != QueryOutcome::Waiting).count();
    if board.ranking != Ranking::Unfinished || outcomes().count() == done {
        return html! {};
    }
    html! { <span class="soft small num">{(messages().scoreboard.measured)(done, outcomes().count())}</span> }
}

/// Draws that patterns wait for events, and a button that loads all of them.
fn load_all(state: &PageState, actions: &Actions, costs: &[DesignCosts]) -> Html {
    let waits = costs.iter().any(|each| each.state == TableState::Growing);
    let view = &state.view;
    let label = messages().tablets.playback.load_all;
    let is_short = !view.building && view.events_built < view.events_total;
    html! {
        if waits {
            <p class="score-waits">
                <span>{messages().scoreboard.growing}</span>
                if is_short { { push(label, Some(Icon::Finish), ButtonKind::Primary, actions.play.reform(|()| Playback::Finish)) } }
            </p>
        }
    }
}

/// Draws the grid. Roles are explicit, because on a narrow page the style sheet turns its lines
/// into blocks.
fn grid(state: &PageState, actions: &Actions, board: &Scoreboard, costs: &[DesignCosts]) -> Html {
    let says = &messages().scoreboard;
    let designs = costs.iter().map(|costs| Column::text(&costs.design.name));
    let columns = [Column::text(says.pattern), Column::number(says.weight)].into_iter().chain(designs);
    let rows = (0..state.workspace.queries.len()).flat_map(|at| pattern(at, state, actions, board, costs));
    Table::new(columns, rows).foot(totals(board, costs)).with_roles().within("score-grid", says.table)
}

/// Returns the row of an access pattern, and that of its limits if they are open.
fn pattern(
    at: usize,
    state: &PageState,
    actions: &Actions,
    board: &Scoreboard,
    costs: &[DesignCosts],
) -> impl Iterator<Item = Row> + use<> {
    let says = &messages().scoreboard;
    let named = &state.workspace.queries[at];
    let look = state.look.part::<PatternsLook>();
    let open = look.open.as_ref().filter(|open| open.name == named.name).map(|open| open.part);
    let weight = Number {
        value: named.reads_per_second,
        min: 0.0,
        max: READS_PER_SECOND_MAX,
        step: 1.0,
        kind: NumberKind::Any,
    };
    let tables = tables_of_designs(&state.workspace.designs);
    let cell = |(design, costs): (usize, &DesignCosts)| {
        let outcome = costs.outcomes.get(at).cloned().unwrap_or_default();
        let shortfall = board.shortfall(design, at);
        let of = &tables[design];
        let table = named.table_of(&state.workspace.designs, of);
        html! {
            <>
                { design_name(&costs.design.name) }
                { score_cell(named, costs, &outcome, shortfall, show(named, table, state, actions)) }
                { table_choice(at, of, table, state, actions) }
            </>
        }
    };
    let name = html! {
        <>
            if open == Some(PatternPart::Name) {
                { name_field(at, state, actions) }
            } else {
                <span class="score-name">{named.name.clone()}</span>
                { tools(at, state, actions, open) }
            }
            <span class="score-query mono small soft">{in_words(&named.query)}</span>
        </>
    };
    let weight = html! {
        <>
            { number_field(&(says.weight_of)(&named.name), weight, weigh(at, state, actions)) }
            { design_name((says.per_second)(named.reads_per_second)) }
        </>
    };
    let row = Row::named(name)
        .key(&*named.name)
        .id(format!("pattern-{at}"))
        .cell(Cell::from(weight).class("score-weight"))
        .cells(costs.iter().enumerate().map(cell));
    let limits = (open == Some(PatternPart::Limits)).then(|| {
        let fields = html! {
            <div id={format!("pattern-{at}-limits")} class="named-limits" role="group" aria-label={(says.limits_of)(&named.name)}>
                { limit_fields(actions, named) }
            </div>
        };
        Row::new([Cell::from(fields).across(costs.len() + 2)])
            .key(format!("{}/limits", named.name))
            .class(Some("score-limits"))
    });
    std::iter::once(row).chain(limits)
}

/// Draws what a cell belongs to, for narrow pages, where the headings are not shown.
fn design_name(name: &str) -> Html {
    html! { <span class="score-design soft small" aria-hidden="true">{name}</span> }
}

/// Draws the choice of the table that a pattern reads, if the design has index tables.
fn table_choice(at: usize, of: &Range<usize>, taken: usize, state: &PageState, actions: &Actions) -> Html {
    if of.len() < 2 {
        html! {}
    } else {
        index_choice(at, of, taken, state, actions)
    }
}

#[inline(never)]
fn index_choice(at: usize, of: &Range<usize>, taken: usize, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().scoreboard;
    let (designs, named) = (&state.workspace.designs, &state.workspace.queries[at]);
    let own = std::iter::once(says.own_table);
    let names: Vec<&str> = own.chain(of.clone().skip(1).map(|table| designs[table].name.as_str())).collect();
    let on_select = {
        let (drawn, of, name) = (state.workspace.clone(), of.clone(), named.name.clone());
        Edit::by(&actions.edit, move |workspace, taken: usize| {
            if let Some(named) = workspace.queries.iter_mut().find(|each| each.name == name) {
                named.read_table(&drawn.designs, &of, of.start + taken);
            }
        })
    };
    let label = (says.table_of)(&named.name, &designs[of.start].name);
    html! { <span key={names.join("\n")} class="score-table" title={names[taken - of.start].to_owned()}>{ select(Label::Hidden(&label), &names, Some(taken - of.start), on_select) }</span> }
}

fn name_field(at: usize, state: &PageState, actions: &Actions) -> Html {
    let (says, workspace) = (&messages().scoreboard, state.workspace.clone());
    html! {
        <NameField
            problem_id="pattern-name-problem"
            label={says.name}
            save={says.save}
            cancel={messages().compare.cancel}
            name={workspace.queries[at].name.clone()}
            chars_max={QUERY_NAME_CHARS_MAX}
            opener={opener(at)}
            prevents={move |name: String| prevents_name(&workspace.queries, at, &name)}
            on_save={rename(at, state, actions)}
            on_end={actions.part(|look: &mut PatternsLook| look.open = None)}
        />
    }
}

/// Draws the buttons of an access pattern.
fn tools(at: usize, state: &PageState, actions: &Actions, open: Option<PatternPart>) -> Html {
    let says = &messages().scoreboard;
    let named = &state.workspace.queries[at];
    let name = named.name.as_str();
    let limits_open = open == Some(PatternPart::Limits);
    let button = |class: &'static str, name: String, text: Html, on_click: Callback<()>| {
        let onclick = clicked(&name, &on_click);
        html! {
            <button type="button" class={classes!("button", "quiet", class)} title={name.clone()} aria-label={name} {onclick}>{text}</button>
        }
    };
    let short = (says.limits_short)(limit_count(&named.limits));
    let limits_name = (says.limits)(&short, name);
    let onclick = clicked(&limits_name, &toggle(named, PatternPart::Limits, actions));
    let limits = html! {
        <button type="button" class="button quiet tool-limits" aria-label={limits_name}
            aria-expanded={limits_open.to_string()} aria-controls={limits_open.then(|| format!("pattern-{at}-limits"))}
            {onclick}>
            {short}
        </button>
    };
    html! {
        <span class="score-tools" role="group" aria-label={name.to_owned()}>
            {limits}
            { button("tool-edit", (says.edit)(name), html! { {says.edit_short} }, edit_pattern(named, state, actions)) }
            { button("tool-rename", (says.rename)(name), html! { {says.rename_short} }, toggle(named, PatternPart::Name, actions)) }
            { button("icon-only tool-remove", (says.delete)(name), icon(Icon::Close), delete(at, state, actions)) }
        </span>
    }
}

/// Returns the row of the totals. The best one is marked by a word, the others show how much higher they are.
fn totals(board: &Scoreboard, costs: &[DesignCosts]) -> Row {
    let says = &messages().scoreboard;
    let known =
        || board.totals.iter().flatten().filter(|total| total.may_be_least()).map(|total| total.blocks);
    let (least, most) = (known().min_by(f64::total_cmp), known().max_by(f64::total_cmp));
    let best =
        least.zip(most).filter(|(least, most)| !Figure::are_same(*least, *most)).map(|(least, _)| least);
    let total = |(costs, total): (&DesignCosts, &Option<Total>)| {
        let body = match total {
            None => html! { <span class="score-cell soft">{says.total_unknown}</span> },
            Some(total) => html! {
                <span class="score-cell">
                    <span class="score-kind num"><span>{(says.total_of)(total.blocks)}</span>{ for best.map(|best| remark(total, best)) }</span>
                    <span class="num soft small">{(says.total_more)(total)}</span>
                </span>
            },
        };
        html! { <>{design_name(&costs.design.name)}{body}</> }
    };
    Row::named(says.total)
        .cell(Cell::from(says.total_unit).class("soft small"))
        .cells(costs.iter().zip(&board.totals).map(total))
}

fn remark(total: &Total, best: f64) -> Html {
    let says = &messages().scoreboard;
    if total.may_be_least() && Figure::are_same(total.blocks, best) {
        return html! { <span class="score-verdict met">{icon(Icon::Check)}<span>{says.fewest}</span></span> };
    }
    let text =
        if best > 0.0 && total.blocks >= best { (says.times)(total.blocks / best) } else { String::new() };
    html! { <span class="soft">{text}</span> }
}

/// Moves the focus between the cells of the grid with arrow keys.
fn on_key(event: KeyboardEvent) {
    let (lines, columns) = match event.key().as_str() {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        _ => return,
    };
    let Some(button) =
        event.target_dyn_into::<HtmlElement>().filter(|target| target.class_name() == "score-cell")
    else {
        return;
    };
    let next = match columns {
        0 => same_column(&button, lines),
        _ => neighbour(&button, columns),
    };
    if let Some(next) = next.and_then(|next| next.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        // Fails only for an element that is not shown.
        drop(next.focus());
    }
}

/// Returns the next cell with a button in the same line.
fn neighbour(button: &Element, step: i32) -> Option<Element> {
    let mut cell = button.parent_element()?;
    loop {
        cell = if step < 0 { cell.previous_element_sibling() } else { cell.next_element_sibling() }?;
        if let Some(found) = cell.query_selector("button.score-cell").ok()? {
            return Some(found);
        }
    }
}

/// Returns the next cell with a button in the same column.
fn same_column(button: &Element, step: i32) -> Option<Element> {
    let cell = button.parent_element()?;
    let before =
        std::iter::successors(cell.previous_element_sibling(), Element::previous_element_sibling).count();
    let in_column = format!(":scope > :nth-child({}) > button.score-cell", before + 1);
    let mut line = cell.parent_element()?;
    loop {
        line = if step < 0 { line.previous_element_sibling() } else { line.next_element_sibling() }?;
        if let Some(found) = line.query_selector(&in_column).ok()? {
            return Some(found);
        }
    }
}
