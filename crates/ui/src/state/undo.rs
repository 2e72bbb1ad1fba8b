//! Undo and redo over whole workspaces: they are small, and shared.

use std::rc::Rc;

use tabletop_schema::{Field, OwnData, Source, Workspace};

/// Steps that are kept.
const STEPS_MAX: usize = 200;
/// Milliseconds within which edits of one text are one step.
const JOIN_MILLIS: f64 = 1_000.0;

/// What kind of edit made a step: typing in one text joins into one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Typing in the template.
    Typing,
    /// Typing in the question.
    Query,
    /// A step of its own.
    Other,
}

/// Workspaces before and behind the one on the screen.
#[derive(Default)]
pub struct UndoHistory {
    past: Vec<Rc<Workspace>>,
    future: Vec<Rc<Workspace>>,
    /// The edit that made the present, and when.
    last: Option<(EditKind, f64)>,
}

impl UndoHistory {
    /// Notes that `present` is about to be changed.
    pub fn push(&mut self, present: &Rc<Workspace>, kind: EditKind, at_millis: f64) {
        let joins = kind != EditKind::Other
            && self.last.is_some_and(|(last_kind, last_at)| last_kind == kind && at_millis - last_at < JOIN_MILLIS);
        if !joins {
            if self.past.len() == STEPS_MAX {
                self.past.remove(0);
            }
            self.past.push(present.clone());
        }
        self.future.clear();
        self.last = Some((kind, at_millis));
    }

    /// The workspace before `present`, if there is one.
    pub fn undo(&mut self, present: &Rc<Workspace>) -> Option<Rc<Workspace>> {
        let earlier = self.past.pop()?;
        self.future.push(present.clone());
        self.last = None;
        Some(earlier)
    }

    /// The workspace behind `present`, if there is one.
    pub fn redo(&mut self, present: &Rc<Workspace>) -> Option<Rc<Workspace>> {
        let later = self.future.pop()?;
        self.past.push(present.clone());
        self.last = None;
        Some(later)
    }

    /// The fields of these events were not corrected by a person, but found to be others: nothing brings back what they were.
    pub fn take_fields(&mut self, own: &OwnData, fields: &[Field]) {
        for workspace in self.past.iter_mut().chain(&mut self.future) {
            if matches!(&workspace.source, Source::Own(step) if step == own)
                && let Source::Own(step) = &mut Rc::make_mut(workspace).source
            {
                step.fields = fields.to_vec();
            }
        }
    }

    /// Whether there is one before.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is one behind.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}
