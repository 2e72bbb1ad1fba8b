//! Changes of the list of access patterns, each as one step of the history, and callbacks that show
//! one of them.

use tabletop_texts::messages;
use tabletop_workspace::{NamedQuery, QUERIES_MAX, QUERY_NAME_CHARS_MAX, ViewId};
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html};

use super::look::{OpenPattern, PatternPart, PatternsLook};
use crate::browser;
use crate::kit::{ButtonKind, Icon, push};
use crate::page::actions::{Actions, show_view};
use crate::page::state::{Action, Edit, PageState, Pane};
use crate::panes::query::{QUERY_LIST, show_query};

/// Returns a callback that adds these access patterns, and `None` if there is no space for them. A
/// name that is taken gets a number.
pub fn add(state: &PageState, actions: &Actions, added: Vec<NamedQuery>) -> Option<Callback<()>> {
    let says = &messages().scoreboard;
    if added.is_empty() || state.workspace.queries.len() + added.len() > QUERIES_MAX {
        return None;
    }
    let said = match added.as_slice() {
        [one] => (says.added)(&one.name),
        several => (says.added_all)(several.len()),
    };
    let first = state.workspace.queries.len();
    let add = actions.change(said, move |workspace| {
        let queries = &mut workspace.queries;
        for named in &added {
            // A second click before a drawing adds nothing.
            let is_added = queries.iter().skip(first).any(|each| each.query == named.query);
            if queries.len() < QUERIES_MAX && !is_added {
                let name = free_name(queries, &named.name);
                queries.push(NamedQuery { name, ..named.clone() });
            }
        }
    });
    // The button may disappear with its suggestion.
    Some(then_focus(add, format!("{} .score-weight input", row(first))))
}

/// Returns a callback that sets the reads per second of an access pattern.
pub fn weigh(at: usize, state: &PageState, actions: &Actions) -> Callback<f64> {
    let name = state.workspace.queries[at].name.clone();
    Edit::by(&actions.edit, move |workspace, reads_per_second: f64| {
        if let Some(named) = workspace.queries.iter_mut().find(|each| each.name == name) {
            named.reads_per_second = reads_per_second;
        }
    })
}

/// Returns a callback that deletes an access pattern.
pub fn delete(at: usize, state: &PageState, actions: &Actions) -> Callback<()> {
    let queries = &state.workspace.queries;
    let name = queries[at].name.clone();
    let said = (messages().scoreboard.deleted)(&name);
    let delete = actions.change(said, move |workspace| workspace.queries.retain(|each| each.name != name));
    let focus = match queries.len() - 1 {
        0 => ".score-add button".to_owned(),
        left => format!("{} .tool-remove", row(at.min(left - 1))),
    };
    then_focus(delete, focus)
}

/// Returns a callback that renames an access pattern.
pub fn rename(at: usize, state: &PageState, actions: &Actions) -> Callback<String> {
    let before = state.workspace.queries[at].name.clone();
    let rename = Edit::by(&actions.edit, move |workspace, name: String| {
        if let Some(named) = workspace.queries.iter_mut().find(|each| each.name == before) {
            named.name = name;
        }
    });
    let actions = actions.clone();
    Callback::from(move |name: String| {
        rename.emit(name.clone());
        actions.say_done((messages().scoreboard.renamed)(&name));
        browser::focus(opener(at));
    })
}

/// Returns why an access pattern cannot have this name.
pub fn prevents_name(queries: &[NamedQuery], at: usize, name: &str) -> Option<String> {
    let says = &messages().scoreboard;
    let is_taken = queries.iter().enumerate().any(|(other, named)| other != at && named.name == name);
    if name.is_empty() {
        Some(says.no_name.into())
    } else if name.chars().count() > QUERY_NAME_CHARS_MAX {
        Some((says.long_name)(QUERY_NAME_CHARS_MAX))
    } else {
        is_taken.then(|| (says.name_taken)(name))
    }
}

/// Returns a callback that opens a part of an access pattern, or closes it.
pub fn toggle(named: &NamedQuery, part: PatternPart, actions: &Actions) -> Callback<()> {
    let open = OpenPattern { name: named.name.clone(), part };
    actions.part(move |look: &mut PatternsLook| look.toggle(&open))
}

/// Returns a callback that shows an access pattern on a design, with its plan and its rows.
pub fn show(named: &NamedQuery, design: usize, state: &PageState, actions: &Actions) -> Callback<()> {
    let (named, actions, is_narrow) = (named.clone(), actions.clone(), state.look.narrow);
    Callback::from(move |()| {
        actions.act.emit(Action::SelectDesign(design));
        show_query(&named, &actions, Pane::Results);
        show_view(&actions.act, ViewId::Design);
        // An expensive query does not run automatically.
        let run = actions.run.clone();
        spawn_local(async move {
            browser::next_frame().await;
            run.emit(());
        });
        browser::focus(if is_narrow { "#tab-results".into() } else { QUERY_LIST.into() });
    })
}

/// Draws a button that leads to the question what the user looks up, once there are fields to
/// choose from.
pub fn to_look_up(state: &PageState, actions: &Actions) -> Html {
    let (actions, is_narrow) = (actions.clone(), state.look.narrow);
    let open = Callback::from(move |()| {
        actions.act.emit(Action::Look(Box::new(|look| {
            look.pane = Pane::Design;
            look.folded.retain(|folded| *folded != "design");
        })));
        if is_narrow {
            show_view(&actions.act, ViewId::Design);
        }
        browser::focus(".look-up select".into());
    });
    let is_there = state.look_ups().iter().any(|look_up| look_up.field.is_some());
    push(messages().design.look_up.question, Some(Icon::Right), ButtonKind::Primary, is_there.then_some(open))
}

/// Returns a selector of the button that opens the name of an access pattern.
pub fn opener(at: usize) -> String {
    format!("{} .tool-rename", row(at))
}

/// Returns a selector of the line of an access pattern.
fn row(at: usize) -> String {
    format!("#pattern-{at}")
}

fn then_focus(first: Callback<()>, selector: String) -> Callback<()> {
    Callback::from(move |()| {
        first.emit(());
        browser::focus(selector.clone());
    })
}

/// Returns the name if no access pattern has it, else the name with a number.
fn free_name(queries: &[NamedQuery], name: &str) -> String {
    let is_free = |name: &String| queries.iter().all(|named| named.name != *name);
    let short: String = name.chars().take(QUERY_NAME_CHARS_MAX - 4).collect();
    let numbered = (2..).map(|number: u32| format!("{short} {number}"));
    let mut names = std::iter::once(name.chars().take(QUERY_NAME_CHARS_MAX).collect()).chain(numbered);
    names.find(is_free).expect("there are more numbers than access patterns")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_workspace::Workspace;

    #[test]
    fn a_name_is_free_short_and_not_empty() {
        let named = |name: &str| NamedQuery::new(name, Workspace::default().query);
        let queries = [named("One user"), named("One user 2")];
        assert_eq!(
            (free_name(&queries, "One user"), free_name(&queries, "All")),
            ("One user 3".into(), "All".into())
        );
        let long = "x".repeat(QUERY_NAME_CHARS_MAX + 1);
        assert_eq!(free_name(&[named(&long[1..])], &long).chars().count(), QUERY_NAME_CHARS_MAX - 2);
        assert_eq!(prevents_name(&queries, 0, "One user"), None, "its own name is not taken");
        assert_eq!(
            prevents_name(&queries, 1, "One user").as_deref(),
            Some("Another access pattern is named One user.")
        );
        assert_eq!(prevents_name(&queries, 1, "").as_deref(), Some("An access pattern needs a name."));
        assert_eq!(prevents_name(&queries, 1, &long).as_deref(), Some("A name has at most 100 characters."));
    }
}
