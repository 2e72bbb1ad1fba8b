//! Writes by hand as the page keeps them for a reload. A workspace does not have them: they are data, as the events are.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::TableRequest;

use crate::{Field, Layout};

/// A request about the writes by hand of the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HandWritesAsk {
    /// Returns those that the person has not taken back. Answer: `HandWrites`.
    Keep,
    /// Does these again: the next workspace that the host is sent has them, in designs of the same names, and no others. Answer: `Done`.
    Restore(KeptWrites),
}

/// The writes by hand of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptWrites {
    /// The manual writes of each design that has some.
    pub designs: Vec<DesignWrites>,
}

/// The writes by hand of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignWrites {
    /// The name of the design.
    pub design: String,
    /// In the order in which they were made.
    pub writes: Vec<KeptWrite>,
}

/// A write by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptWrite {
    /// The number of events that were written before it.
    pub at: u32,
    /// What it does.
    pub request: TableRequest,
    /// The rows of the table in which it was made; `None` for a table without a template.
    pub form: Option<RowForm>,
}

/// The form of a design's rows: what the keys and the cells of a write by hand fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowForm {
    /// The template of the stored keys.
    pub template: String,
    /// The fields of the events.
    pub fields: Vec<Field>,
    /// The layout.
    pub layout: Layout,
}
