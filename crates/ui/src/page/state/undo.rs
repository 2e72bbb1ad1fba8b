//! Undo and redo: of whole workspaces, which are small and shared, and of manual writes, which the
//! engine has.

use std::rc::Rc;

use tabletop_workspace::{OwnData, Source, Workspace};

/// The maximum number of steps that are kept.
const STEPS_MAX: usize = 200;
/// Milliseconds between two edits of one text that are one step.
const JOIN_MILLIS: f64 = 1_000.0;

/// Whether an edit is part of the previous step of the history, such as a letter that is typed
/// after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The edit is a separate step.
    New,
    /// The edit continues the last step.
    Continued,
}

/// The kind of an edit. Typing in one text is one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Typing in the template.
    Typing,
    /// Typing in the query.
    Query,
    /// Any other edit, which is a separate step.
    Other,
}

/// The target of a step of the history, back or forward.
#[derive(Clone, Debug, PartialEq)]
pub enum Moment {
    /// Another workspace.
    Workspace(Rc<Workspace>),
    /// The same workspace without the manual write with this number, or with it again.
    Write(u32),
}

/// The workspaces before and after the current one.
#[derive(Default)]
pub struct UndoHistory {
    past: Vec<Moment>,
    future: Vec<Moment>,
    /// The kind and the time of the last edit.
    last: Option<(EditKind, f64)>,
    /// The number of steps in the past when the user left their own workspace for one from a link
    /// or example. The next step of the past, or the current state, is their own.
    border: Option<usize>,
}

impl Moment {
    /// Returns the way back from the current step to `present`.
    fn opposite(&self, present: &Rc<Workspace>) -> Moment {
        match self {
            Moment::Workspace(_) => Moment::Workspace(present.clone()),
            Moment::Write(number) => Moment::Write(*number),
        }
    }
}

impl UndoHistory {
    /// Adds `present` to the past, before it is changed. Returns whether the change is a separate
    /// step.
    pub fn push(&mut self, present: &Rc<Workspace>, kind: EditKind, at_millis: f64) -> Step {
        let joins = kind != EditKind::Other
            && self
                .last
                .is_some_and(|(last_kind, last_at)| last_kind == kind && at_millis - last_at < JOIN_MILLIS);
        if !joins {
            self.add(Moment::Workspace(present.clone()));
        }
        self.future.clear();
        self.last = Some((kind, at_millis));
        if joins { Step::Continued } else { Step::New }
    }

    /// Returns whether the last step has brought the events that `present` has.
    #[inline(never)]
    pub fn leads_to_other_events(&self, present: &Workspace) -> bool {
        let other = |earlier: &Workspace| !earlier.source.same_events(&present.source);
        matches!(self.past.last(), Some(Moment::Workspace(earlier)) if other(earlier))
    }

    /// Adds a manual write by the user.
    #[inline(never)]
    pub fn push_write(&mut self, number: u32) {
        self.add(Moment::Write(number));
        self.future.clear();
        self.last = None;
    }

    /// Forgets the manual writes: the engine no longer has them.
    #[inline(never)]
    pub fn forget_writes(&mut self) {
        let is_write = |moment: &Moment| matches!(moment, Moment::Write(_));
        if let Some(border) = &mut self.border {
            *border -=
                self.past[..(*border).min(self.past.len())].iter().filter(|moment| is_write(moment)).count();
        }
        self.past.retain(|moment| !is_write(moment));
        self.future.retain(|moment| !is_write(moment));
    }

    fn add(&mut self, moment: Moment) {
        if self.past.len() == STEPS_MAX {
            self.drop_oldest();
        }
        // An edit of their own workspace, after they have returned to it.
        self.border = self.border.filter(|border| *border < self.past.len());
        self.past.push(moment);
    }

    #[inline(never)]
    fn drop_oldest(&mut self) {
        match &mut self.border {
            // The user's own workspace stays reachable.
            Some(0) => drop(self.past.remove(1)),
            border => {
                border.iter_mut().for_each(|border| *border -= 1);
                self.past.remove(0);
            }
        }
    }

    /// Adds `own`, the user's own workspace, to the past, before one from a link or example is
    /// shown.
    pub fn leave(&mut self, own: &Rc<Workspace>) {
        self.push(own, EditKind::Other, 0.0);
        self.border = Some(self.past.len() - 1);
    }

    /// Returns whether the current workspace is the user's own, and the next one is from a link or
    /// example.
    pub fn is_at_border(&self) -> bool {
        self.border == Some(self.past.len())
    }

    /// Undoes all steps since the user left their own workspace.
    pub fn return_to_own(&mut self, present: &Rc<Workspace>) {
        let mut shown = present.clone();
        while self.border.is_some_and(|border| border < self.past.len())
            && let Some(earlier) = self.undo(&shown)
        {
            // The writes belong to the workspace that is left.
            if let Moment::Workspace(earlier) = earlier {
                shown = earlier;
            }
        }
    }

    /// Returns the history of the user's own workspace. The steps since they left it stay in this
    /// one.
    pub fn split_at_border(&mut self) -> UndoHistory {
        let Some(border) = self.border.take() else { return UndoHistory::default() };
        let since = self.past.split_off(border).split_off(1);
        UndoHistory { past: std::mem::replace(&mut self.past, since), ..UndoHistory::default() }
    }

    /// Returns what was before `present`.
    pub fn undo(&mut self, present: &Rc<Workspace>) -> Option<Moment> {
        let earlier = self.past.pop()?;
        self.future.push(earlier.opposite(present));
        self.last = None;
        Some(earlier)
    }

    /// Returns what was after `present`.
    pub fn redo(&mut self, present: &Rc<Workspace>) -> Option<Moment> {
        let later = self.future.pop()?;
        self.past.push(later.opposite(present));
        self.last = None;
        Some(later)
    }

    /// Replaces the fields and the content of these events in all steps: they were detected, not
    /// edited, so undo does not restore them.
    pub fn take_own(&mut self, own: &OwnData, found: &OwnData) {
        for moment in self.past.iter_mut().chain(&mut self.future) {
            if let Moment::Workspace(workspace) = moment
                && matches!(&workspace.source, Source::Own(step) if step == own)
                && let Source::Own(step) = &mut Rc::make_mut(workspace).source
            {
                step.clone_from(found);
            }
        }
    }

    /// Replaces a template that the page has made in all steps: the user has not chosen it.
    #[inline(never)]
    pub fn replace_template(&mut self, before: &str, after: &str) {
        for moment in self.past.iter_mut().chain(&mut self.future) {
            if let Moment::Workspace(workspace) = moment
                && workspace.designs.iter().any(|design| design.template == before)
            {
                replace_template(Rc::make_mut(workspace), before, after);
            }
        }
    }

    /// Returns whether there is a workspace before the current one.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Returns whether there is a workspace after the current one.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

/// Replaces a template in all designs that have it.
pub(super) fn replace_template(workspace: &mut Workspace, before: &str, after: &str) {
    for design in workspace.designs.iter_mut().filter(|design| design.template == before) {
        design.template = after.to_owned();
    }
}
