//! The access pattern that the query pane edits: its name and limits.

use tabletop_texts::messages;
use tabletop_workspace::{NamedQuery, QUERY_NAME_CHARS_MAX, Workspace};
use web_sys::HtmlInputElement;
use yew::{Callback, Html, KeyboardEvent, TargetCast, html};

use super::limits::limits;
use super::look::{Naming, QueryLook};
use crate::browser;
use crate::kit::{ButtonKind, Icon, Label, focused_text_field, icon, push, select, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, Edit, PageState};

/// Draws the access patterns, and the limits of the selected one.
pub fn named_queries(state: &PageState, actions: &Actions) -> Html {
    let (queries, says) = (&state.workspace.queries, &messages().query.saved);
    let (picked, look) = (picked(state), state.look.part::<QueryLook>());
    let names: Vec<&str> =
        std::iter::once(says.none).chain(queries.iter().map(|named| named.name.as_str())).collect();
    let on_pick = {
        let (queries, actions) = (queries.clone(), actions.clone());
        Callback::from(move |at: usize| {
            let named = at.checked_sub(1).and_then(|at| queries.get(at)).cloned();
            if let Some(named) = &named {
                actions.edit.emit(Edit::Query(named.query.clone()));
            }
            let name = named.map(|named| named.name);
            actions
                .act
                .emit(Action::part(move |look: &mut QueryLook| (look.named, look.naming) = (name, None)));
        })
    };
    let begin = |naming: Naming| actions.part(move |look: &mut QueryLook| look.naming = Some(naming.clone()));
    let save_new = begin(Naming { of: None, name: free_name(queries) });
    html! {
        <div class="named">
            <div class="named-line">
                // Other options make another control, because a browser drops a choice that it does
                // not have yet.
                <span key={names.join("\n")}>{ select(Label::Shown(says.list), &names, Some(picked.map_or(0, |at| at + 1)), on_pick) }</span>
                <span class="named-tools">
                if let Some(named) = picked.map(|at| &queries[at]) { { picked_tools(actions, named) } }
                { push(says.save_as, Some(Icon::Plus), ButtonKind::Plain, save_new) }
                </span>
            </div>
            if let Some(naming) = &look.naming {
                { name_field(state, actions, naming) }
                // The style sheet shows this while a field of the query is invalid.
                <p class="problem unsaved" role="status">
                    {icon(Icon::Error)}{says.invalid}
                </p>
            }
            if let Some(named) = picked.map(|at| &queries[at]) { { of_picked(state, actions, named) } }
        </div>
    }
}

/// Draws the buttons of the selected query. On a first visit none is selected.
#[inline(never)]
fn picked_tools(actions: &Actions, named: &NamedQuery) -> Html {
    let says = &messages().query.saved;
    let naming = Naming { of: Some(named.name.clone()), name: named.name.clone() };
    let rename = actions.part(move |look: &mut QueryLook| look.naming = Some(naming.clone()));
    html! {
        <>
            { push(says.rename, None, ButtonKind::Quiet, rename) }
            { tool(says.delete, Icon::Close, actions.change(says.deleted, {
                let name = named.name.clone();
                move |workspace| workspace.queries.retain(|each| each.name != name)
            })) }
        </>
    }
}

/// Draws whether the selected query differs from the current one, and its limits.
#[inline(never)]
fn of_picked(state: &PageState, actions: &Actions, named: &NamedQuery) -> Html {
    let says = &messages().query.saved;
    html! {
        <>
            if named.query != state.workspace.query {
                <p class="hint">
                    {icon(Icon::Info)}
                    <span>{says.changed}</span>
                    { push(says.save_changes, None, ButtonKind::Plain, actions.change(says.saved, {
                        let name = named.name.clone();
                        move |workspace| {
                            if let Some(named) = workspace.queries.iter_mut().find(|each| each.name == name) {
                                named.query.clone_from(&workspace.query);
                            }
                        }
                    })) }
                </p>
            }
            { limits(state, actions, named) }
        </>
    }
}

/// Returns the access pattern that matches the current query: the selected one, or the first that is
/// equal.
fn picked(state: &PageState) -> Option<usize> {
    let queries = &state.workspace.queries;
    let by_name =
        queries.iter().position(|named| Some(&named.name) == state.look.part::<QueryLook>().named.as_ref());
    by_name.or_else(|| queries.iter().position(|named| named.query == state.workspace.query))
}

/// Returns why the query `of`, or a new one, cannot have this name. An empty name has no text: the
/// field shows that.
fn prevents_name(queries: &[NamedQuery], of: Option<&str>, name: &str) -> Option<String> {
    let is_taken = || queries.iter().any(|named| named.name == name && of != Some(&*named.name));
    if name.chars().count() > QUERY_NAME_CHARS_MAX {
        Some((messages().scoreboard.long_name)(QUERY_NAME_CHARS_MAX))
    } else if name.is_empty() {
        Some(String::new())
    } else {
        is_taken().then(|| messages().query.saved.name_taken.into())
    }
}

fn free_name(queries: &[NamedQuery]) -> String {
    let names = (1..).map(|number| (messages().query.saved.default_name)(number));
    let mut free = names.filter(|name| queries.iter().all(|named| named.name != *name));
    free.next().expect("there are more numbers than questions")
}

/// Draws the field for the name of a query.
fn name_field(state: &PageState, actions: &Actions, naming: &Naming) -> Html {
    let says = &messages().query.saved;
    let name = naming.name.trim().to_owned();
    let wrong = prevents_name(&state.workspace.queries, naming.of.as_deref(), &name);
    let save = {
        let (of, tables) = (naming.of.clone(), state.read_tables());
        let save = Edit::by(&actions.edit, {
            let of = of.clone();
            move |workspace, name: String| {
                let Workspace { queries, query, .. } = workspace;
                if prevents_name(queries, of.as_deref(), &name).is_some() {
                    return;
                }
                match queries.iter_mut().find(|named| Some(&named.name) == of.as_ref()) {
                    Some(named) => named.name = name,
                    None => queries
                        .push(NamedQuery { tables: tables.clone(), ..NamedQuery::new(name, query.clone()) }),
                }
            }
        });
        let (workspace, actions) = (state.workspace.clone(), actions.clone());
        Callback::from(move |name: String| {
            if prevents_name(&workspace.queries, of.as_deref(), &name).is_some() {
                return;
            }
            save.emit(name.clone());
            actions.say_done(says.saved);
            actions.act.emit(Action::part(move |look: &mut QueryLook| {
                (look.named, look.naming) = (Some(name), None);
            }));
            // The list with the new name is another control, which exists once the field is
            // removed.
            browser::focus(".named:not(:has(.naming)) select".into());
        })
    };
    let opener = if naming.of.is_some() {
        ".named-tools button:first-child"
    } else {
        ".named-tools button:last-child"
    };
    let cancel = then_focus(actions.part(|look: &mut QueryLook| look.naming = None), opener);
    let onkeydown = {
        let (save, cancel) = (save.clone(), cancel.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                // On a button, Enter presses the button. The text is that of the field: Enter can
                // come before the last letter is drawn.
                if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                    save.emit(field.value().trim().to_owned());
                }
            }
            "Escape" => {
                event.stop_propagation();
                cancel.emit(());
            }
            _ => {}
        })
    };
    let on_text = actions.part_at(|look: &mut QueryLook, text: String| {
        if let Some(naming) = &mut look.naming {
            naming.name = text;
        }
    });
    html! {
        <div class="named-line naming" data-undo="own" {onkeydown}>
            { focused_text_field(says.name, &naming.name, on_text) }
            { push(says.save, None, ButtonKind::Primary, wrong.is_none().then(|| save.reform(move |()| name.clone()))) }
            { push(says.discard, None, ButtonKind::Quiet, cancel) }
            if let Some(why) = wrong.filter(|why| !why.is_empty()) { <p class="problem" role="status">{why}</p> }
        </div>
    }
}

/// Returns a callback that then moves the focus to the control that `selector` finds, because the
/// name field is removed.
fn then_focus(first: Callback<()>, selector: &'static str) -> Callback<()> {
    Callback::from(move |()| {
        first.emit(());
        browser::focus(selector.into());
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_no_other_query_has_it() {
        let queries = ["One user", "All"].map(|name| NamedQuery::new(name, Workspace::default().query));
        let long = "x".repeat(QUERY_NAME_CHARS_MAX + 1);
        assert_eq!(
            prevents_name(&queries, None, &long).as_deref(),
            Some("A name has at most 100 characters.")
        );
        assert_eq!(prevents_name(&queries, None, &long[1..]), None);
        assert_eq!(
            prevents_name(&queries, None, "All").as_deref(),
            Some("Another access pattern has this name.")
        );
        assert_eq!(prevents_name(&queries, Some("All"), "All"), None, "its own name is not taken");
        assert_eq!(prevents_name(&queries, None, "").as_deref(), Some(""));
    }
}
