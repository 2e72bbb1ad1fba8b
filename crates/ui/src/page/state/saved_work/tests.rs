//! Stories of tabs, links and saved workspaces.

use super::*;
use crate::page::state::{Action, Edit};
use tabletop_model::Error;

fn page() -> PageState {
    PageState::new(Workspace::default())
}

fn after(mut state: PageState, actions: impl IntoIterator<Item = Action>) -> PageState {
    actions.into_iter().for_each(|action| state.apply(action));
    state
}

fn of(template: &str) -> Rc<Workspace> {
    let mut workspace = Workspace::default();
    workspace.designs[0].template = template.into();
    Rc::new(workspace)
}

fn typed(template: &str) -> Action {
    Action::Edit(Edit::Template(template.into()), 0.0)
}

fn elsewhere(template: &str) -> Action {
    Action::Saved(SavedAction::ChangedElsewhere(of(template)))
}

fn linked(template: &str) -> Action {
    Action::Saved(SavedAction::Visit(of(template), 7))
}

fn opened(id: &str, template: &str) -> Action {
    Action::Saved(SavedAction::Opened(Stored { id: id.into(), workspace: of(template) }))
}

fn take_over() -> Action {
    Action::Saved(SavedAction::TakeOver)
}

/// The current template, and whether this tab saves it for all tabs.
fn shows(state: &PageState) -> (&str, bool) {
    (&state.design().template, state.is_shared())
}

#[test]
fn what_another_tab_saves_is_taken_over_or_not_and_undo_has_the_old() {
    let state = after(page(), [typed("{a}"), elsewhere("{b}")]);
    assert_eq!(shows(&state), ("{a}", false), "nothing changes by itself");
    assert!(!state.look.other_work_read, "a note that was closed is back with the next save");
    let state = after(state, [take_over()]);
    assert_eq!(shows(&state), ("{b}", true));
    let state = after(state, [Action::Undo]);
    assert_eq!(shows(&state), ("{a}", true));
    let state = after(state, [elsewhere("{c}"), Action::Saved(SavedAction::KeepOwn)]);
    assert_eq!(shows(&state), ("{a}", true));
    let state = after(state, [elsewhere("{d}"), typed("{d}")]);
    assert_eq!(shows(&state), ("{d}", true), "both have the same by now");
    let mut asks = (*state.workspace).clone();
    asks.query.rows_limit += 1;
    let asks = Action::Saved(SavedAction::ChangedElsewhere(Rc::new(asks)));
    assert!(after(state, [asks]).is_shared(), "each tab has its own query");
}

#[test]
fn a_link_leaves_own_work_saved_until_the_user_decides() {
    let state = after(page(), [linked("{a}")]);
    assert_eq!((shows(&state), state.design), (("{a}", true), 0), "a first visit has nothing to decide");
    let state = after(state, [linked("{b}")]);
    assert_eq!(shows(&state), ("{b}", true), "a link that was only viewed is not the user's work");
    let state = after(state, [typed("{own}"), linked("{c}"), linked("{d}")]);
    assert_eq!(state.apart, Some(Apart::Visiting(of("{own}"))));
    let state = after(state, [take_over()]);
    assert_eq!(shows(&state), ("{own}", true));
    let state = after(state, [Action::Redo]);
    assert_eq!(
        (shows(&state), &state.apart),
        (("{c}", false), &Some(Apart::Visiting(of("{own}")))),
        "it is no edit of their own"
    );
    let state = after(state, [Action::Undo, typed("{own}2"), Action::Undo, Action::Redo]);
    assert_eq!(shows(&state), ("{own}2", true));
    let state = after(state, [linked("{f}"), Action::Undo]);
    assert_eq!(shows(&state), ("{own}2", true), "undo goes back to own work");
    let same = after(state, [linked("{own}2")]);
    assert_eq!(shows(&same), ("{own}2", true), "the link has the same");
}

#[test]
fn a_link_with_which_the_page_starts_begins_the_history() {
    let started = |mut state: PageState| {
        state.apply(linked("{a}"));
        state.begin_history();
        state
    };
    let state = started(page());
    assert_eq!((shows(&state), state.can_undo(), state.came_from_elsewhere()), (("{a}", true), false, true));
    let state = after(state, [typed("{b}"), Action::Undo]);
    assert_eq!((shows(&state), state.can_undo()), (("{a}", true), false));
    // A link that is opened later replaces what was shown.
    let state = after(state, [linked("{c}"), Action::Undo]);
    assert_eq!(shows(&state), ("{a}", true));
    let next_to_own = started(PageState::new((*of("{own}")).clone()));
    assert_eq!(
        (shows(&next_to_own), next_to_own.can_undo()),
        (("{a}", false), true),
        "own work is one step away"
    );
}

#[test]
fn own_work_that_another_tab_changes_during_a_visit_is_not_lost() {
    let state = after(page(), [typed("{own}"), linked("{a}"), elsewhere("{theirs}")]);
    assert_eq!(state.apart, Some(Apart::Visiting(of("{theirs}"))));
    let state = after(state, [Action::Saved(SavedAction::LostElsewhere)]);
    assert_eq!(state.apart, Some(Apart::Visiting(of("{theirs}"))), "the page has it");
    let back = after(state, [Action::Undo]);
    assert_eq!((shows(&back), &back.apart), (("{own}", false), &Some(Apart::Changed(of("{theirs}")))));
    let state = after(page(), [typed("{own}"), linked("{a}"), elsewhere("{theirs}"), take_over()]);
    assert_eq!(shows(&state), ("{theirs}", true));
}

#[test]
fn what_is_deleted_elsewhere_stays_in_this_tab() {
    let state =
        after(page(), [typed("{a}"), Action::Saved(SavedAction::LostElsewhere), typed("{b}"), take_over()]);
    assert_eq!(shows(&state), ("{b}", false));
    let saved = Action::Saved(SavedAction::SavedAs(Stored { id: ".1".into(), workspace: of("{b}") }));
    let state = after(state, [saved, Action::Undo]);
    assert_eq!((shows(&state), state.workspace_id.as_str()), (("{a}", true), ".1"));
}

#[test]
fn each_workspace_has_its_own_history() {
    let state = after(page(), [typed("{a}"), opened(".1", "{x}")]);
    assert_eq!((shows(&state), state.workspace_id.as_str(), state.can_undo()), (("{x}", true), ".1", false));
    let state = after(state, [typed("{y}"), opened("", "{a}")]);
    assert_eq!((shows(&state), state.can_redo()), (("{a}", true), false));
    let state = after(state, [Action::Undo]);
    assert_eq!(*state.workspace, Workspace::default());
    let state = after(state, [opened(".1", "{y}"), Action::Undo]);
    assert_eq!(shows(&state), ("{x}", true));
    // Another tab has changed it in the meantime.
    let state = after(state, [opened("", "{theirs}"), Action::Undo]);
    assert_eq!(*state.workspace, Workspace::default(), "what this tab had");
    assert!(state.can_redo());
}

#[test]
fn a_link_that_is_saved_leaves_own_work_its_history() {
    let saved = Action::Saved(SavedAction::SavedAs(Stored { id: ".1".into(), workspace: of("{c}") }));
    let state = after(page(), [typed("{own}"), linked("{b}"), typed("{c}"), saved]);
    assert_eq!((shows(&state), state.workspace_id.as_str()), (("{c}", true), ".1"));
    let state = after(state, [Action::Undo]);
    assert_eq!(
        (shows(&state), state.can_undo()),
        (("{b}", true), false),
        "a step further would be another workspace"
    );
    let state = after(state, [opened("", "{own}"), Action::Undo]);
    assert_eq!((*state.workspace == Workspace::default(), state.can_undo()), (true, false));
}

#[test]
fn own_work_stays_within_reach_of_undo() {
    let edits = (0..300).map(|at| typed(&format!("{{b}}{at}")));
    let state = after(after(page(), [typed("{own}"), linked("{b}")]), edits);
    assert_eq!(shows(&after(state, [take_over()])), ("{own}", true));
}

#[test]
fn a_refused_link_is_forgotten_when_another_one_opens() {
    let state = after(page(), [typed("{a}"), Action::Refused(Error::invalid("The link is incomplete."))]);
    assert!(state.refusal.is_some() && state.design().template == "{a}");
    assert!(after(state, [linked("{b}")]).refusal.is_none());
}
