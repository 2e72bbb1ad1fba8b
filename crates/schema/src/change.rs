//! Changes of a workspace that both ends make alike: the worker because it was asked, the client because it keeps what it
//! would need to begin again.

use alloc::format;
use alloc::string::String;

use tabletop_model::{Error, Result};

use crate::{Design, DesignPatch, Field, FieldKind, Workspace};

impl Workspace {
    /// Changes the design at `index`. The number of designs adds one behind the last: a copy of it, changed.
    ///
    /// # Errors
    /// `NotFound` beyond that.
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

    /// Takes the design at `index` away.
    ///
    /// # Errors
    /// `NotFound` if there is none; `FailedPrecondition` if it is the last.
    pub fn remove_design(&mut self, index: u32) -> Result<()> {
        let count = self.designs.len();
        if index as usize >= count {
            return Err(no_design(index, count));
        }
        if count == 1 {
            return Err(Error::new(
                tabletop_model::Code::FailedPrecondition,
                "a workspace has at least one design: change this one, or add another first",
            ));
        }
        self.designs.remove(index as usize);
        Ok(())
    }
}

impl Design {
    /// Takes over what the patch names.
    fn apply(&mut self, patch: &DesignPatch) {
        if let Some(name) = &patch.name {
            self.name.clone_from(name);
        }
        if let Some(template) = &patch.template {
            self.template.clone_from(template);
        }
        if let Some(layout) = &patch.layout {
            self.layout.clone_from(layout);
        }
    }
}

/// The error for a design that does not exist.
fn no_design(index: u32, count: usize) -> Error {
    Error::not_found(format!("there is no design {index}: the workspace has {count}, counted from 0"))
}

/// A template to begin with, for events of which only the fields are known: what names something first, the time behind it, so
/// that the key does not begin with the time.
pub fn suggest_template(fields: &[Field]) -> String {
    let name = fields.iter().find(|field| matches!(field.kind, FieldKind::Text | FieldKind::Int)).or(fields.first());
    let time = fields.iter().find(|field| field.kind == FieldKind::Time).filter(|time| Some(*time) != name);
    match (name, time) {
        (Some(name), Some(time)) => format!("{{{}}},{{{}:iso}}", name.name, time.name),
        (Some(name), None) => format!("{{{}}}", name.name),
        (None, _) => String::new(),
    }
}
