//! Changes of the list of designs: as one step of the history, announced, and with the focus where it is expected.

use tabletop_schema::{DesignList, DesignsChange};
use yew::Callback;

use super::ADD_ID;
use crate::actions::{Actions, show_view};
use crate::browser;
use crate::messages::messages;
use crate::state::{Action, Edit, PageState, Pane, View};

/// Returns the list of designs with the one on the screen.
pub fn list(state: &PageState) -> DesignList {
    DesignList { designs: state.workspace.designs.clone(), shown: state.design }
}

/// Returns a callback that changes the list.
pub fn change(state: &PageState, actions: &Actions) -> Callback<DesignsChange> {
    let (before, actions) = (list(state), actions.clone());
    Callback::from(move |change: DesignsChange| {
        let mut after = before.clone();
        if let Err(why) = after.apply(change.clone()) {
            // The button was pressed before the page was drawn again.
            return actions.say(why);
        }
        let said = said(&change, &before, &after);
        let focus = focus_after(&change, &before, &after);
        actions.edit.emit(Edit::Designs(change));
        actions.say(said);
        browser::focus(focus);
    })
}

/// Returns a callback that shows a design in the editor, on a narrow page in the view of one design.
pub fn edit(at: usize, state: &PageState, actions: &Actions) -> Callback<()> {
    let (actions, is_narrow) = (actions.clone(), state.look.narrow);
    Callback::from(move |()| {
        actions.act.emit(Action::SelectDesign(at));
        if is_narrow {
            actions.look(|look| look.pane = Pane::Design).emit(());
            show_view(&actions.act, View::Design);
        }
    })
}

fn said(change: &DesignsChange, before: &DesignList, after: &DesignList) -> String {
    let says = &messages().compare;
    let shown = || after.designs[after.shown].name.as_str();
    match change {
        DesignsChange::Add(designs) if designs.len() > 1 => (says.added_all)(designs.len()),
        DesignsChange::AddProposed(proposals) if proposals.len() > 1 => (says.added_all)(proposals.len()),
        DesignsChange::Add(_) | DesignsChange::AddProposed(_) | DesignsChange::AddIndex(_) | DesignsChange::Duplicate(_) => {
            (says.added)(shown())
        }
        DesignsChange::Rename(at, _) => (says.renamed)(&after.designs[*at].name),
        DesignsChange::Move { from, .. } => {
            (says.moved)(&before.designs[*from].name, place_after(*from, before, after) + 1, after.designs.len())
        }
        DesignsChange::Remove(at) => (says.removed)(&before.designs[*at].name),
    }
}

/// Returns the index of a table after a move. Its name is unique.
fn place_after(from: usize, before: &DesignList, after: &DesignList) -> usize {
    after.designs.iter().position(|design| design.name == before.designs[from].name).unwrap_or(from)
}

/// Returns a selector of the control that has the focus after a change: by the place and the name of its design, so that nothing is found
/// before the change is drawn.
fn focus_after(change: &DesignsChange, before: &DesignList, after: &DesignList) -> String {
    let says = &messages().compare;
    let tool = |at: usize, label: fn(&str) -> String| {
        let label = label(&after.designs[at].name).replace('\\', "\\\\").replace('"', "\\\"");
        format!(".design-cards > li:nth-child({}) [aria-label=\"{label}\"]:enabled", at + 1)
    };
    let last = after.designs.len() - 1;
    match change {
        DesignsChange::Add(_) | DesignsChange::AddProposed(_) | DesignsChange::AddIndex(_) | DesignsChange::Duplicate(_) => {
            tool(after.shown, says.rename)
        }
        DesignsChange::Rename(at, _) => tool(*at, says.rename),
        DesignsChange::Move { from, .. } => {
            let to = place_after(*from, before, after);
            let can_move = |to: usize, next: Option<usize>| {
                next.is_some_and(|next| after.prevents(&DesignsChange::Move { from: to, to: next }).is_none())
            };
            // At an end of the list, that button is disabled.
            let goes_up = *from > to && can_move(to, to.checked_sub(1)) || !can_move(to, Some(to + 1));
            tool(to, if goes_up { says.move_up } else { says.move_down })
        }
        DesignsChange::Remove(_) if last == 0 => format!("#{ADD_ID} button"),
        DesignsChange::Remove(at) => tool((*at).min(last), says.remove),
    }
}
