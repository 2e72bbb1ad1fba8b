//! Manual writes, as the page saves them for a reload. They are not part of a workspace because,
//! like the events, they are data.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::TableRequest;

use tabletop_keys::{Field, Layout};

/// A request about the manual writes of the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HandWritesAsk {
    /// Returns the manual writes that the user has not undone. Answer: `HandWrites`.
    Keep,
    /// Restores these manual writes: the next workspace that is sent to the host has them, in the
    /// designs with the same names, and no others. Answer: `Done`.
    Restore(KeptWrites),
}

/// The manual writes of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptWrites {
    /// The writes of each design that has any.
    pub designs: Vec<DesignWrites>,
}

/// The manual writes of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignWrites {
    /// The name of the design.
    pub design: String,
    /// The writes, in the order in which they were made.
    pub writes: Vec<KeptWrite>,
}

/// A manual write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptWrite {
    /// The number of events that were written before this write.
    pub at: u32,
    /// The request that the write consists of.
    pub request: TableRequest,
    /// The form of the table's rows when the write was made; `None` for a table without a template.
    pub form: Option<RowForm>,
}

/// The form of a design's rows, which the keys and the cells of a manual write must fit.
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
