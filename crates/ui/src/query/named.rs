//! Questions with names and limits: the access patterns that a design is for.

use tabletop_schema::{Miss, NamedQuery, QueryLimits};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::{Callback, Html, KeyboardEvent, html};

use crate::app::Actions;
use crate::browser;
use crate::results::format::{count, thousands};
use crate::state::{Action, Edit, Naming, State};
use crate::widgets::{ButtonKind, Icon, Number, focused_text_field, icon, optional_number_field, push, select, tool};

/// What is limited: its name, and how it is read and written.
struct Limit {
    /// As the workspace has it.
    name: &'static str,
    label: &'static str,
    get: fn(&QueryLimits) -> Option<f64>,
    set: fn(&mut QueryLimits, Option<f64>),
}

const LIMITS: [Limit; 7] = [
    Limit {
        name: "rows_returned_min",
        label: "Rows returned, at least",
        get: |limits| limits.rows_returned_min.map(|limit| limit as f64),
        set: |limits, value| limits.rows_returned_min = value.map(|value| value as u64),
    },
    Limit {
        name: "rows_seen_per_row_max",
        label: "Rows seen per row returned",
        get: |limits| limits.rows_seen_per_row_max,
        set: |limits, value| limits.rows_seen_per_row_max = value,
    },
    Limit {
        name: "cells_seen_max",
        label: "Cells seen",
        get: |limits| limits.cells_seen_max.map(|limit| limit as f64),
        set: |limits, value| limits.cells_seen_max = value.map(|value| value as u64),
    },
    Limit {
        name: "bytes_read_max",
        label: "Bytes read",
        get: |limits| limits.bytes_read_max.map(|limit| limit as f64),
        set: |limits, value| limits.bytes_read_max = value.map(|value| value as u64),
    },
    Limit {
        name: "blocks_max",
        label: "Blocks read or cached",
        get: |limits| limits.blocks_max.map(|limit| limit as f64),
        set: |limits, value| limits.blocks_max = value.map(|value| value as u64),
    },
    Limit {
        name: "tablets_max",
        label: "Tablets",
        get: |limits| limits.tablets_max.map(|limit| limit as f64),
        set: |limits, value| limits.tablets_max = value.map(|value| value as u64),
    },
    Limit {
        name: "ranges_max",
        label: "Ranges",
        get: |limits| limits.ranges_max.map(|limit| limit as f64),
        set: |limits, value| limits.ranges_max = value.map(|value| value as u64),
    },
];
/// Numbers that are whole in JavaScript, too.
const LIMIT_MAX: f64 = 9e15;

/// Which questions are kept, and what the one on the screen may cost.
pub fn named_queries(state: &State, actions: &Actions) -> Html {
    let queries = &state.workspace.queries;
    let picked = picked(state);
    let names: Vec<&str> = std::iter::once("Not saved").chain(queries.iter().map(|named| named.name.as_str())).collect();
    let on_pick = {
        let (queries, actions) = (queries.clone(), actions.clone());
        Callback::from(move |at: usize| {
            let named = at.checked_sub(1).and_then(|at| queries.get(at)).cloned();
            if let Some(named) = &named {
                actions.edit.emit(Edit::Query(named.query.clone()));
            }
            let name = named.map(|named| named.name);
            actions.act.emit(Action::Look(Box::new(move |look| (look.named, look.naming) = (name, None))));
        })
    };
    let begin = |naming: Naming| actions.look(move |look| look.naming = Some(naming.clone()));
    let save_new = begin(Naming { of: None, name: free_name(queries) });
    html! {
        <div class="named">
            <div class="named-line">
                // With other options it is another control: a browser forgets a choice that it does not know yet.
                <span key={names.join("\n")}>{ select("Saved question", &names, Some(picked.map_or(0, |at| at + 1)), false, on_pick) }</span>
                <span class="named-tools">
                if let Some(named) = picked.map(|at| &queries[at]) {
                    { push("Rename", None, ButtonKind::Quiet, false, begin(Naming { of: Some(named.name.clone()), name: named.name.clone() })) }
                    { tool("Delete the saved question", Icon::Close, false, change(state, actions, "Deleted; Undo brings it back", {
                        let name = named.name.clone();
                        move |queries| queries.retain(|each| each.name != name)
                    })) }
                }
                { push("Save as", Some(Icon::Plus), ButtonKind::Plain, false, save_new) }
                </span>
            </div>
            if let Some(naming) = &state.look.naming {
                { name_field(state, actions, naming) }
                // Shown while something beside it is half-typed.
                <p class="problem unsaved" role="status">
                    {icon(Icon::Error)}{"A part of the question has a fault: its last right one is what is saved."}
                </p>
            }
            if let Some(named) = picked.map(|at| &queries[at]) {
                if named.query != state.workspace.query {
                    <p class="hint">
                        {icon(Icon::Info)}
                        <span>{"The question was changed since it was saved."}</span>
                        { push("Save changes", None, ButtonKind::Plain, false, change(state, actions, "Saved", {
                            let (name, query) = (named.name.clone(), state.workspace.query.clone());
                            move |queries| {
                                if let Some(named) = queries.iter_mut().find(|each| each.name == name) {
                                    named.query.clone_from(&query);
                                }
                            }
                        })) }
                    </p>
                }
                { limits(state, actions, named) }
            }
        </div>
    }
}

/// The saved question that is on the screen: the one that was picked, or the first that asks the same.
fn picked(state: &State) -> Option<usize> {
    let queries = &state.workspace.queries;
    let by_name = queries.iter().position(|named| Some(&named.name) == state.look.named.as_ref());
    by_name.or_else(|| queries.iter().position(|named| named.query == state.workspace.query))
}

/// Changes the list, as one step of the history.
fn change(state: &State, actions: &Actions, said: &'static str, how: impl Fn(&mut Vec<NamedQuery>) + 'static) -> Callback<()> {
    let (workspace, actions) = (state.workspace.clone(), actions.clone());
    Callback::from(move |()| {
        let mut queries = workspace.queries.clone();
        how(&mut queries);
        actions.edit.emit(Edit::Queries(queries));
        actions.say(said);
    })
}

fn free_name(queries: &[NamedQuery]) -> String {
    let names = (1..).map(|number| format!("Question {number}"));
    let mut free = names.filter(|name| queries.iter().all(|named| named.name != *name));
    free.next().expect("there are more numbers than questions")
}

/// A name for a question that is saved, or another one for one that was.
fn name_field(state: &State, actions: &Actions, naming: &Naming) -> Html {
    let name = naming.name.trim().to_owned();
    let taken = state.workspace.queries.iter().any(|named| named.name == name && naming.of.as_ref() != Some(&name));
    let wrong = taken || name.is_empty();
    let save = {
        let (of, query) = (naming.of.clone(), state.workspace.query.clone());
        let (name, done) = (name.clone(), actions.clone());
        let save = change(state, actions, "Saved", {
            let name = name.clone();
            move |queries| match queries.iter_mut().find(|named| Some(&named.name) == of.as_ref()) {
                Some(named) => named.name.clone_from(&name),
                None => queries.push(NamedQuery { name: name.clone(), query: query.clone(), limits: QueryLimits::default() }),
            }
        });
        Callback::from(move |()| {
            if !wrong {
                save.emit(());
                let name = name.clone();
                done.act.emit(Action::Look(Box::new(move |look| (look.named, look.naming) = (Some(name), None))));
            }
        })
    };
    let save = then_focus_choice(save);
    let cancel = then_focus_choice(actions.look(|look| look.naming = None));
    let onkeydown = {
        let (save, cancel) = (save.clone(), cancel.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            // On a button, Enter presses that button.
            "Enter" if event.target().is_some_and(|target| target.has_type::<HtmlInputElement>()) && !wrong => save.emit(()),
            "Escape" => {
                event.stop_propagation();
                cancel.emit(());
            }
            _ => {}
        })
    };
    let on_text = actions.look_at(|look, text: String| {
        if let Some(naming) = &mut look.naming {
            naming.name = text;
        }
    });
    html! {
        <div class="named-line naming" data-undo="own" {onkeydown}>
            { focused_text_field("Name", &naming.name, on_text) }
            { push("Save", None, ButtonKind::Primary, wrong, save) }
            { push("Discard", None, ButtonKind::Quiet, false, cancel) }
            if taken { <p class="problem" role="status">{"Another question has this name."}</p> }
        </div>
    }
}

/// After the field for a name is gone, the keyboard goes on at the list of names.
fn then_focus_choice(first: Callback<()>) -> Callback<()> {
    Callback::from(move |()| {
        first.emit(());
        spawn_local(async {
            browser::next_frame().await;
            let list = browser::document().query_selector(".named select").ok().flatten();
            if let Some(list) = list.and_then(|list| list.dyn_into::<HtmlElement>().ok()) {
                // A list that is shown takes the focus.
                drop(list.focus());
            }
        });
    })
}

/// What the answer may cost, and whether it did.
fn limits(state: &State, actions: &Actions, named: &NamedQuery) -> Html {
    let open = state.look.limits;
    let toggle = actions.look(|look| look.limits = !look.limits);
    let number =
        |limit: &Limit| Number { value: 0.0, min: 0.0, max: LIMIT_MAX, step: 1.0, whole: limit.name != "rows_seen_per_row_max" };
    let field = |limit: &'static Limit| {
        let (workspace, edit, name) = (state.workspace.clone(), actions.edit.clone(), named.name.clone());
        let on_change = Callback::from(move |value: Option<f64>| {
            let mut queries = workspace.queries.clone();
            if let Some(named) = queries.iter_mut().find(|each| each.name == name) {
                (limit.set)(&mut named.limits, value);
            }
            edit.emit(Edit::Queries(queries));
        });
        optional_number_field(limit.label, (limit.get)(&named.limits), number(limit), on_change)
    };
    html! {
        <>
            { verdict(state, named) }
            <button type="button" class="fold commands-fold" aria-expanded={if open { "true" } else { "false" }}
                aria-controls="query-limits" onclick={toggle.reform(|_| ())}>
                {icon(if open { Icon::Down } else { Icon::Right })}
                {"Limits"}
            </button>
            <div id="query-limits" class="named-limits" hidden={!open}>
                <p class="soft small">{"What an answer may cost, by the engine's own counts: at most, if nothing else is said. Empty: any."}</p>
                if open { { for LIMITS.iter().map(field) } }
            </div>
        </>
    }
}

/// Whether the answer on the screen keeps the limits.
fn verdict(state: &State, named: &NamedQuery) -> Html {
    let limits = LIMITS.iter().filter(|limit| (limit.get)(&named.limits).is_some()).count();
    let result = &state.result;
    if limits == 0 {
        return html! {};
    }
    if named.query != state.workspace.query || state.answer_is_old() || !result.complete() {
        return html! { <p class="soft small" role="status">{"Run the question to see whether it keeps its limits."}</p> };
    }
    let misses = named.limits.misses(&result.stats, result.ranges);
    if misses.is_empty() {
        let said = if limits == 1 { "The limit is met.".into() } else { format!("All {limits} limits are met.") };
        return html! { <p class="verdict met" role="status">{icon(Icon::Check)}<span>{said}</span></p> };
    }
    html! {
        <div class="verdict missed" role="status">
            {icon(Icon::Error)}
            <ul>
                <li>{format!("{} missed:", count(misses.len() as u64, "limit"))}</li>
                { for misses.iter().map(|miss| html! { <li>{missed(miss)}</li> }) }
            </ul>
        </div>
    }
}

/// What is wrong and by how much, in the words of the page.
fn missed(miss: &Miss) -> String {
    let label = LIMITS.iter().find(|limit| limit.name == miss.limit).map_or(&*miss.limit, |limit| limit.label);
    let (label, bound) = match label.strip_suffix(", at least") {
        Some(label) => (label, "at least"),
        None => (label, "at most"),
    };
    format!("{label}: {}, {bound} {}", figure(miss.measured), figure(miss.allowed))
}

/// With thousands told apart, and two digits behind the point where it has any.
fn figure(number: f64) -> String {
    if number.fract() == 0.0 { thousands(number as u64) } else { format!("{number:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_said_in_the_words_of_the_page() {
        let limits = QueryLimits { rows_returned_min: Some(7), rows_seen_per_row_max: Some(1.5), ..QueryLimits::default() };
        let stats = tabletop_model::ReadStats { rows_seen: 4_000, rows_returned: 3, ..Default::default() };
        let said: Vec<String> = limits.misses(&stats, 1).iter().map(missed).collect();
        assert_eq!(said, ["Rows returned: 3, at least 7", "Rows seen per row returned: 1333.33, at most 1.50"]);
        // Each limit there is has a field.
        let all = QueryLimits {
            rows_returned_min: Some(9),
            rows_seen_per_row_max: Some(0.0),
            cells_seen_max: Some(0),
            bytes_read_max: Some(0),
            blocks_max: Some(0),
            tablets_max: Some(0),
            ranges_max: Some(0),
        };
        let stats = tabletop_model::ReadStats {
            cells_seen: 1,
            bytes_read: 1,
            blocks_read: 1,
            tablets_touched: 1,
            rows_seen: 1,
            ..Default::default()
        };
        let misses = all.misses(&stats, 1);
        assert_eq!(misses.len(), LIMITS.len());
        assert!(
            misses.iter().zip(&LIMITS).all(|(miss, limit)| miss.limit == limit.name && (limit.get)(&all) == Some(miss.allowed))
        );
    }
}
