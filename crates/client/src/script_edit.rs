//! Changes of the workspace that were made by scripts of the page, not by the user.

use tabletop_workspace::Workspace;

use crate::Client;

/// A change that a script has made through [`crate::js`], and that the worker has accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptEdit {
    /// The workspace before the change; `None` if it was not known.
    pub before: Option<Workspace>,
    /// The workspace after the change.
    pub after: Workspace,
}

impl Client {
    /// Returns the last workspace that was sent to the worker, or that the worker has changed
    /// since; `None` before the first one.
    pub fn last_workspace(&self) -> Option<Workspace> {
        self.inner.workspace.borrow().clone()
    }

    /// Calls back when a script of the page has changed the workspace or its events through
    /// [`crate::js`].
    pub fn on_script_edit(&self, callback: impl Fn(ScriptEdit) + 'static) {
        self.inner.on_script_edit.borrow_mut().push(std::rc::Rc::new(callback));
    }

    /// Calls the callbacks of [`Client::on_script_edit`].
    pub(crate) fn script_edited(&self, before: Option<Workspace>, after: Workspace) {
        let callbacks = self.inner.on_script_edit.borrow().clone();
        callbacks
            .iter()
            .for_each(|callback| callback(ScriptEdit { before: before.clone(), after: after.clone() }));
    }
}
