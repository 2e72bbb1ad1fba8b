//! The manual writes to tables of designs: each is a step of the history. The engine has the
//! writes; the page knows their numbers, and which of them the user has undone.

use tabletop_texts::messages;

use super::PageState;
use super::remembered::HandWrites;

impl PageState {
    /// Adds the writes made since the last picture to the history, up to the number `newest`.
    pub(super) fn note_writes(&mut self, newest: u32) {
        if newest > self.hand_writes.newest {
            let first = std::mem::replace(&mut self.hand_writes.newest, newest) + 1;
            (first..=newest).for_each(|number| self.history.push_write(number));
        }
    }

    /// Undoes a write.
    #[inline(never)]
    pub(super) fn undo_write(&mut self, number: u32) {
        self.hand_writes.taken_back = self.hand_writes.taken_back.iter().copied().chain([number]).collect();
        self.status = messages().common.write_undone.into();
    }

    /// Redoes a write.
    #[inline(never)]
    pub(super) fn redo_write(&mut self, number: u32) {
        self.hand_writes.taken_back =
            self.hand_writes.taken_back.iter().copied().filter(|other| *other != number).collect();
        self.status = messages().common.write_redone.into();
    }

    /// Forgets all writes: a restarted engine has none.
    pub(super) fn forget_writes(&mut self) {
        self.hand_writes = HandWrites { kept: self.hand_writes.kept.clone(), ..HandWrites::default() };
        self.history.forget_writes();
        self.left.values_mut().for_each(|left| left.history.forget_writes());
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use tabletop_protocol::DesignView;
    use tabletop_workspace::Workspace;

    use super::*;
    use crate::page::state::{Action, Edit};

    fn with_writes(newest_write: u32) -> Action {
        Action::View(Rc::new(DesignView { newest_write, ..DesignView::default() }))
    }

    fn taken_back(state: &PageState) -> Vec<u32> {
        state.hand_writes.taken_back.to_vec()
    }

    #[test]
    fn undo_takes_back_writes_and_edits_in_their_order() {
        let mut state = PageState::new(Workspace::default());
        state.apply(with_writes(2));
        let before = state.workspace.clone();
        state.apply(Action::Edit(Edit::Template("{user_token}".into()), 0.0));
        state.apply(with_writes(3));
        state.apply(Action::Undo);
        assert_eq!(taken_back(&state), [3]);
        // An earlier or repeated answer does not add a write.
        state.apply(with_writes(3));
        state.apply(Action::Undo);
        assert!(state.workspace == before && state.can_redo());
        state.apply(Action::Undo);
        assert_eq!(taken_back(&state), [3, 2]);
        state.apply(Action::Redo);
        state.apply(Action::Redo);
        assert_eq!((taken_back(&state), state.workspace == before), (vec![3], false));
        state.apply(with_writes(4));
        assert!(!state.can_redo(), "another write ends the other future");
        state.apply(Action::Undo);
        assert_eq!(taken_back(&state), [3, 4]);
    }

    #[test]
    fn another_engine_has_no_writes_to_undo() {
        let mut state = PageState::new(Workspace::default());
        state.apply(with_writes(2));
        state.apply(Action::Undo);
        state.apply(Action::Restarted);
        assert_eq!((taken_back(&state), state.can_undo(), state.can_redo()), (vec![], false, false));
        state.apply(with_writes(1));
        assert!(state.can_undo());
    }
}
