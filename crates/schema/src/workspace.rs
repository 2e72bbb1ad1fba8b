//! All that a person made: one serde value with a version.

mod check;
mod json;
mod limits;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Bytes, RowFilter, RowRange};

use crate::Field;
pub use json::WorkspaceVersion;
pub use limits::{DesignCost, DesignLimits, Miss, QueryLimits};

/// The version that this build writes; it reads every earlier one.
pub const WORKSPACE_VERSION: u32 = 1;

/// Everything that a share link, a saved file and undo have to hold. Events themselves are not in it: a source says how
/// to get them again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    /// [`WORKSPACE_VERSION`] of the build that wrote it.
    pub version: u32,
    /// What the person calls it.
    pub name: String,
    /// Where the events come from.
    pub source: Source,
    /// At least one; each has a table of its own.
    pub designs: Vec<Design>,
    /// Thresholds and pace.
    #[serde(default)]
    pub cluster: ClusterSettings,
    /// The question on the screen.
    #[serde(default = "Query::on_screen")]
    pub query: Query,
    /// Questions that are asked again and again: the access patterns that the designs are for.
    #[serde(default)]
    pub queries: Vec<NamedQuery>,
    /// What each design may be like.
    #[serde(default)]
    pub limits: DesignLimits,
}

impl Default for Workspace {
    /// The first paint: something alive, and a key that is hot because it begins with the time.
    fn default() -> Self {
        let template = "{timestamp:iso},{app_id},{user_token}".into();
        Workspace {
            version: WORKSPACE_VERSION,
            name: "Untitled".into(),
            source: Source::Generated(GeneratorSettings { seed: 1, events: 20_000, apps: 3, users: 500, user_skew: 1.0 }),
            designs: alloc::vec![Design {
                name: "Design 1".into(),
                template,
                layout: Layout { kind: LayoutKind::Narrow, family_field: None },
            }],
            cluster: ClusterSettings::default(),
            query: Query::on_screen(),
            queries: Vec::new(),
            limits: DesignLimits::default(),
        }
    }
}

/// Where events come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Made from a seed.
    Generated(GeneratorSettings),
    /// Shipped with the page, by its name.
    Sample(String),
    /// A person's own; the bytes stay with them.
    Own(OwnData),
}

impl Source {
    /// Whether both give the same events. What the fields of a person's own events were corrected to makes no difference.
    pub fn same_events(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Own(one), Source::Own(other)) => {
                (&one.name, one.format, one.on_bad_line) == (&other.name, other.format, other.on_bad_line)
            }
            _ => self == other,
        }
    }
}

/// Personalization events as Algolia describes them: apps, users with Zipf activity, click, view and conversion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorSettings {
    /// Same seed, same events, byte for byte.
    pub seed: u64,
    /// 1,000 to 1,000,000.
    pub events: u32,
    /// Customers whose users the events are of.
    pub apps: u32,
    /// Users over all apps.
    pub users: u32,
    /// Exponent of the users' Zipf distribution, 0 (all alike) to 2.
    pub user_skew: f64,
}

/// A person's own events: how to read them, not the bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnData {
    /// The file's name, or "pasted".
    pub name: String,
    /// How records are written.
    #[serde(default)]
    pub format: Format,
    /// Detected or corrected; empty until the first bytes were read.
    #[serde(default)]
    pub fields: Vec<Field>,
    /// What to do with a line that does not parse.
    #[serde(default)]
    pub on_bad_line: OnBadLine,
}

/// How records are written in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// CSV if the first record reads as such, else JSON lines.
    #[default]
    Detect,
    /// RFC 4180 with a header line; comma, semicolon or tab.
    Csv,
    /// One JSON object a line, or one array of objects.
    JsonLines,
}

/// What to do with a line that does not parse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBadLine {
    /// Report, count, go on.
    Skip,
    /// Report and stop; the events before it stay.
    #[default]
    Stop,
}

/// A row-key template and a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// What the person calls it.
    pub name: String,
    /// The text of a template, as typed: it may have problems.
    pub template: String,
    /// How an event becomes cells.
    pub layout: Layout,
}

/// How an event becomes cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// The shape.
    pub kind: LayoutKind,
    /// The field whose value names the family, for records that are not events with facets; one family if none.
    pub family_field: Option<String>,
}

/// The shape of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutKind {
    /// One cell an event, the record in its value.
    Narrow,
    /// A cell a facet or field, so that a filter can pick.
    Wide,
    /// All events of one entity in one row, told apart by their timestamps.
    RowPerEntity,
}

/// What to change of a design; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DesignPatch {
    /// A new name.
    pub name: Option<String>,
    /// A new template text.
    pub template: Option<String>,
    /// A new layout.
    pub layout: Option<Layout>,
}

/// Thresholds and pace of the simulated instance. Google publishes no thresholds: these are parameters, and shown so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterSettings {
    /// Bytes at which a tablet is split; `None` scales it to the source, so that a load ends with about two dozen.
    pub tablet_bytes_max: Option<u64>,
    /// Rows written a second at which a tablet is split; eight that are read count as one.
    pub tablet_load_max: f64,
    /// Events that arrive in a second of the table's own clock.
    pub events_per_second: f64,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        ClusterSettings { tablet_bytes_max: None, tablet_load_max: 500.0, events_per_second: 200.0 }
    }
}

/// A question about the events of one design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Which rows.
    #[serde(default)]
    pub rows: RowChoice,
    /// What of them.
    pub filter: Option<RowFilter>,
    /// Rows at most; 0 for all.
    #[serde(default)]
    pub rows_limit: u64,
    /// Descending keys.
    #[serde(default)]
    pub reversed: bool,
}

impl Query {
    /// What is asked before a person has asked anything: as many rows as are looked through.
    fn on_screen() -> Query {
        Query { rows: RowChoice::All, filter: None, rows_limit: 100, reversed: false }
    }
}

/// An access pattern: a question with a name, and what an answer may cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedQuery {
    /// Unique in its workspace, and not empty.
    pub name: String,
    /// What is asked of each design.
    pub query: Query,
    /// What an answer may cost.
    #[serde(default)]
    pub limits: QueryLimits,
}

/// Which rows, in logical keys: those that the template gives without its salt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RowChoice {
    /// The whole table.
    #[default]
    All,
    /// Single rows.
    Keys(Vec<Bytes>),
    /// Rows that begin so.
    Prefix(Bytes),
    /// Rows between two keys.
    Range(RowRange),
    /// Rows of events with these values, and with a time in `[from, until)`.
    Fields {
        /// Field names and the texts that they must have.
        #[serde(default)]
        equals: Vec<(String, String)>,
        /// A text of kind time, inclusive.
        from: Option<String>,
        /// A text of kind time, exclusive.
        until: Option<String>,
    },
}
