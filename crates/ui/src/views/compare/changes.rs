//! Changes of the list of designs: as one step of the history, announced, and with the focus where
//! it is expected.

use std::cell::RefCell;

use tabletop_texts::messages;
use tabletop_workspace::{DesignList, DesignsChange, ViewId};
use yew::Callback;

use super::ADD_ID;
use crate::browser;
use crate::page::actions::{Actions, show_view};
use crate::page::state::{Action, Edit, PageState, Pane};

/// Returns the list of designs including the one shown.
pub fn list(state: &PageState) -> DesignList {
    DesignList { designs: state.workspace.designs.clone(), shown: state.design }
}

/// Returns a callback that changes the list. Keys can come faster than drawings, so it applies to
/// the list after all earlier changes.
pub fn change(state: &PageState, actions: &Actions) -> Callback<DesignsChange> {
    let (drawn, actions) = (list(state), actions.clone());
    let now = RefCell::new(drawn.clone());
    Callback::from(move |change: DesignsChange| {
        let before = now.borrow().clone();
        let Some(change) = of_now(change, &drawn, &before) else { return };
        let mut after = before.clone();
        if let Err(why) = after.apply(change.clone()) {
            // The button was pressed before the page was redrawn.
            return actions.say((messages().designs_problem)(&why));
        }
        let said = said(&change, &before, &after);
        let focus = focus_after(&change, &before, &after);
        *now.borrow_mut() = after;
        actions.edit.emit(Edit::Designs(change));
        actions.say_done(said);
        browser::focus(focus);
    })
}

/// Translates a change of the drawn list into one of the current list, where its design may have
/// another index; `None` if that is no longer possible. Names are unique.
fn of_now(change: DesignsChange, drawn: &DesignList, now: &DesignList) -> Option<DesignsChange> {
    let place = |at: usize| {
        let name = &drawn.designs.get(at)?.name;
        now.designs.iter().position(|design| design.name == *name)
    };
    Some(match change {
        DesignsChange::Add(_) | DesignsChange::AddEarlier(_) | DesignsChange::AddProposed(_) => change,
        DesignsChange::AddIndex(at) => DesignsChange::AddIndex(place(at)?),
        DesignsChange::Duplicate(at) => DesignsChange::Duplicate(place(at)?),
        DesignsChange::Rename(at, name) => DesignsChange::Rename(place(at)?, name),
        DesignsChange::Move { from: drawn_at, to } => {
            let from = place(drawn_at)?;
            DesignsChange::Move { from, to: (from + to).checked_sub(drawn_at)? }
        }
        DesignsChange::Remove(at) => DesignsChange::Remove(place(at)?),
    })
}

/// Returns a callback that shows a design in the editor; on a narrow page, in the Design view.
pub fn edit(at: usize, state: &PageState, actions: &Actions) -> Callback<()> {
    let (actions, is_narrow) = (actions.clone(), state.look.narrow);
    Callback::from(move |()| {
        actions.act.emit(Action::SelectDesign(at));
        if is_narrow {
            actions.look(|look| look.pane = Pane::Design).emit(());
            show_view(&actions.act, ViewId::Design);
        }
    })
}

fn said(change: &DesignsChange, before: &DesignList, after: &DesignList) -> String {
    let says = &messages().compare;
    let shown = || after.designs[after.shown].name.as_str();
    let added = || after.designs[before.designs.len()].name.as_str();
    match change {
        DesignsChange::Add(designs) if designs.len() > 1 => (says.added_all)(designs.len()),
        DesignsChange::AddProposed(proposals) if proposals.len() > 1 => (says.added_all)(proposals.len()),
        DesignsChange::Add(_) | DesignsChange::AddEarlier(_) | DesignsChange::AddProposed(_) => {
            (says.added)(added())
        }
        DesignsChange::AddIndex(_) | DesignsChange::Duplicate(_) => (says.added)(shown()),
        DesignsChange::Rename(at, _) => (says.renamed)(&after.designs[*at].name),
        DesignsChange::Move { from, .. } => (says.moved)(
            &before.designs[*from].name,
            place_after(*from, before, after) + 1,
            after.designs.len(),
        ),
        DesignsChange::Remove(at) => (says.removed)(&before.designs[*at].name),
    }
}

/// Returns the index of a table after a move. Its name is unique.
fn place_after(from: usize, before: &DesignList, after: &DesignList) -> usize {
    after.designs.iter().position(|design| design.name == before.designs[from].name).unwrap_or(from)
}

/// Returns a selector of the control that has the focus after a change: by the index and the name
/// of its design, so that nothing is found before the change is drawn.
fn focus_after(change: &DesignsChange, before: &DesignList, after: &DesignList) -> String {
    let says = &messages().compare;
    let tool = |at: usize, label: fn(&str) -> String| {
        let label = label(&after.designs[at].name).replace('\\', "\\\\").replace('"', "\\\"");
        format!(".design-cards > li:nth-child({}) [aria-label=\"{label}\"]:enabled", at + 1)
    };
    let last = after.designs.len() - 1;
    match change {
        DesignsChange::Add(_) | DesignsChange::AddEarlier(_) | DesignsChange::AddProposed(_) => {
            tool(before.designs.len(), says.rename)
        }
        DesignsChange::AddIndex(_) | DesignsChange::Duplicate(_) => tool(after.shown, says.rename),
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

#[cfg(test)]
mod tests {
    use tabletop_workspace::{Design, Workspace};

    use super::*;

    fn list_of(names: &[&str]) -> DesignList {
        let design =
            |name: &&str| Design { name: (*name).into(), ..Workspace::default().designs.swap_remove(0) };
        DesignList { designs: names.iter().map(design).collect(), shown: 0 }
    }

    #[test]
    fn a_second_change_finds_its_design_where_the_first_has_put_it() {
        let (drawn, now) = (list_of(&["a", "b", "c"]), list_of(&["b", "a", "c"]));
        let change = |change: DesignsChange| of_now(change, &drawn, &now);
        assert_eq!(
            change(DesignsChange::Move { from: 0, to: 1 }),
            Some(DesignsChange::Move { from: 1, to: 2 })
        );
        assert_eq!(change(DesignsChange::Move { from: 1, to: 0 }), None, "it is the first already");
        assert_eq!(change(DesignsChange::Remove(0)), Some(DesignsChange::Remove(1)));
        assert_eq!(change(DesignsChange::Rename(2, "d".into())), Some(DesignsChange::Rename(2, "d".into())));
        assert_eq!(of_now(DesignsChange::Duplicate(0), &drawn, &list_of(&["b", "c"])), None, "it is gone");
    }
}
