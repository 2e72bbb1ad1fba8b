//! Questions with names and limits: the access patterns that a design is for.

use tabletop_schema::{Miss, NamedQuery, QueryLimits};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::{Callback, Html, KeyboardEvent, html};

use crate::actions::Actions;
use crate::browser;
use crate::messages::messages;
use crate::messages::query::Limits;
use crate::state::{Action, Edit, Naming, State};
use crate::widgets::{ButtonKind, Icon, Number, focused_text_field, icon, optional_number_field, push, select, tool};

/// What is limited: its name, and how it is read and written.
struct Limit {
    /// As the workspace has it.
    name: &'static str,
    label: fn(&Limits) -> &'static str,
    is_minimum: bool,
    get: fn(&QueryLimits) -> Option<f64>,
    set: fn(&mut QueryLimits, Option<f64>),
}

const LIMITS: [Limit; 7] = [
    Limit {
        name: "rows_returned_min",
        label: |says| says.rows_returned,
        is_minimum: true,
        get: |limits| limits.rows_returned_min.map(|limit| limit as f64),
        set: |limits, value| limits.rows_returned_min = value.map(|value| value as u64),
    },
    Limit {
        name: "rows_seen_per_row_max",
        label: |says| says.rows_seen_per_row,
        is_minimum: false,
        get: |limits| limits.rows_seen_per_row_max,
        set: |limits, value| limits.rows_seen_per_row_max = value,
    },
    Limit {
        name: "cells_seen_max",
        label: |says| says.cells_seen,
        is_minimum: false,
        get: |limits| limits.cells_seen_max.map(|limit| limit as f64),
        set: |limits, value| limits.cells_seen_max = value.map(|value| value as u64),
    },
    Limit {
        name: "bytes_read_max",
        label: |says| says.bytes_read,
        is_minimum: false,
        get: |limits| limits.bytes_read_max.map(|limit| limit as f64),
        set: |limits, value| limits.bytes_read_max = value.map(|value| value as u64),
    },
    Limit {
        name: "blocks_max",
        label: |says| says.blocks,
        is_minimum: false,
        get: |limits| limits.blocks_max.map(|limit| limit as f64),
        set: |limits, value| limits.blocks_max = value.map(|value| value as u64),
    },
    Limit {
        name: "tablets_max",
        label: |says| says.tablets,
        is_minimum: false,
        get: |limits| limits.tablets_max.map(|limit| limit as f64),
        set: |limits, value| limits.tablets_max = value.map(|value| value as u64),
    },
    Limit {
        name: "ranges_max",
        label: |says| says.ranges,
        is_minimum: false,
        get: |limits| limits.ranges_max.map(|limit| limit as f64),
        set: |limits, value| limits.ranges_max = value.map(|value| value as u64),
    },
];
impl Limit {
    /// On the screen.
    fn label(&self) -> String {
        let says = &messages().query.limits;
        let figure = (self.label)(says);
        if self.is_minimum { (says.at_least)(figure) } else { figure.into() }
    }
}

/// Numbers that are whole in JavaScript, too.
const LIMIT_MAX: f64 = 9e15;

/// Which questions are kept, and what the one on the screen may cost.
pub fn named_queries(state: &State, actions: &Actions) -> Html {
    let (queries, says) = (&state.workspace.queries, &messages().query.saved);
    let picked = picked(state);
    let names: Vec<&str> = std::iter::once(says.none).chain(queries.iter().map(|named| named.name.as_str())).collect();
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
                <span key={names.join("\n")}>{ select(says.list, &names, Some(picked.map_or(0, |at| at + 1)), false, on_pick) }</span>
                <span class="named-tools">
                if let Some(named) = picked.map(|at| &queries[at]) {
                    { push(says.rename, None, ButtonKind::Quiet, false, begin(Naming { of: Some(named.name.clone()), name: named.name.clone() })) }
                    { tool(says.delete, Icon::Close, false, change(state, actions, says.deleted, {
                        let name = named.name.clone();
                        move |queries| queries.retain(|each| each.name != name)
                    })) }
                }
                { push(says.save_as, Some(Icon::Plus), ButtonKind::Plain, false, save_new) }
                </span>
            </div>
            if let Some(naming) = &state.look.naming {
                { name_field(state, actions, naming) }
                // Shown while something beside it is half-typed.
                <p class="problem unsaved" role="status">
                    {icon(Icon::Error)}{says.invalid}
                </p>
            }
            if let Some(named) = picked.map(|at| &queries[at]) {
                if named.query != state.workspace.query {
                    <p class="hint">
                        {icon(Icon::Info)}
                        <span>{says.changed}</span>
                        { push(says.save_changes, None, ButtonKind::Plain, false, change(state, actions, says.saved, {
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
    let names = (1..).map(|number| (messages().query.saved.default_name)(number));
    let mut free = names.filter(|name| queries.iter().all(|named| named.name != *name));
    free.next().expect("there are more numbers than questions")
}

/// A name for a question that is saved, or another one for one that was.
fn name_field(state: &State, actions: &Actions, naming: &Naming) -> Html {
    let says = &messages().query.saved;
    let name = naming.name.trim().to_owned();
    let taken = state.workspace.queries.iter().any(|named| named.name == name && naming.of.as_ref() != Some(&name));
    let wrong = taken || name.is_empty();
    let save = {
        let (of, query) = (naming.of.clone(), state.workspace.query.clone());
        let (name, done) = (name.clone(), actions.clone());
        let save = change(state, actions, says.saved, {
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
            { focused_text_field(says.name, &naming.name, on_text) }
            { push(says.save, None, ButtonKind::Primary, wrong, save) }
            { push(says.discard, None, ButtonKind::Quiet, false, cancel) }
            if taken { <p class="problem" role="status">{says.name_taken}</p> }
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
        optional_number_field(&limit.label(), (limit.get)(&named.limits), number(limit), on_change)
    };
    html! {
        <>
            { verdict(state, named) }
            <button type="button" class="fold commands-fold" aria-expanded={if open { "true" } else { "false" }}
                aria-controls="query-limits" onclick={toggle.reform(|_| ())}>
                {icon(if open { Icon::Down } else { Icon::Right })}
                {messages().query.limits.title}
            </button>
            <div id="query-limits" class="named-limits" hidden={!open}>
                <p class="soft small">{messages().query.limits.about}</p>
                if open { { for LIMITS.iter().map(field) } }
            </div>
        </>
    }
}

/// Whether the answer on the screen keeps the limits.
fn verdict(state: &State, named: &NamedQuery) -> Html {
    let limits = LIMITS.iter().filter(|limit| (limit.get)(&named.limits).is_some()).count();
    let (result, says) = (&state.result, &messages().query.limits);
    if limits == 0 {
        return html! {};
    }
    if named.query != state.workspace.query || state.answer_is_old() || !result.complete() {
        return html! { <p class="soft small" role="status">{says.not_run}</p> };
    }
    let misses = named.limits.misses(&result.stats, result.ranges);
    if misses.is_empty() {
        let said = (says.met)(limits as u64);
        return html! { <p class="verdict met" role="status">{icon(Icon::Check)}<span>{said}</span></p> };
    }
    html! {
        <div class="verdict missed" role="status">
            {icon(Icon::Error)}
            <ul>
                <li>{(says.missed)(misses.len() as u64)}</li>
                { for misses.iter().map(|miss| html! { <li>{missed(miss)}</li> }) }
            </ul>
        </div>
    }
}

/// What is wrong and by how much, in the words of the page.
fn missed(miss: &Miss) -> String {
    let says = &messages().query.limits;
    let limit = LIMITS.iter().find(|limit| limit.name == miss.limit);
    let figure = limit.map_or(&*miss.limit, |limit| (limit.label)(says));
    let write = if limit.is_some_and(|limit| limit.is_minimum) { says.too_few } else { says.too_many };
    write(figure, miss.measured, miss.allowed)
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
