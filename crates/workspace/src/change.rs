//! Changes of a design: by scripts, and by what advice proposes.

use alloc::format;

use tabletop_model::{Error, Result};

use crate::{Design, DesignPatch, Workspace};

impl Workspace {
    /// Changes the design at `index`. If `index` is the number of designs, adds a changed copy of
    /// the last one.
    ///
    /// # Errors
    /// `NotFound` if there is no such design.
    pub fn patch_design(&mut self, index: u32, patch: &DesignPatch) -> Result<()> {
        let count = self.designs.len();
        let at = index as usize;
        if at > count || count == 0 {
            return Err(no_design(index, count));
        }
        if at == count {
            let copy = self.designs[count - 1].clone();
            self.designs.push(copy);
        }
        self.designs[at].apply(patch);
        Ok(())
    }
}

impl Design {
    /// Sets the values that the patch has, and keeps all others.
    pub fn apply(&mut self, patch: &DesignPatch) {
        if let Some(name) = &patch.name {
            self.name.clone_from(name);
        }
        if let Some(template) = &patch.template {
            self.template.clone_from(template);
        }
        if let Some(layout) = &patch.layout {
            self.layout.clone_from(layout);
        }
        if let Some(families) = &patch.families {
            self.families.clone_from(families);
        }
    }
}

/// The error for a design that does not exist.
fn no_design(index: u32, count: usize) -> Error {
    Error::not_found(format!("there is no design {index}: the workspace has {count}, counted from 0"))
}
