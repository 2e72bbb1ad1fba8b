//! Everything that the user creates: one serde value with a version.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::{FamilyRule, FieldRole, Layout, LayoutKind, Query, outlined};
use tabletop_model::{Aggregate, GcRule};

use crate::{
    DesignLimits, ExampleId, GeneratorSettings, QueryLimits, Rates, ResultColumns, Source, Strategy, Traffic,
};

/// The version that this build writes. It reads all earlier ones.
pub const WORKSPACE_VERSION: u32 = 1;

/// Everything that a share link, a saved file and the undo history contain. The events themselves
/// are not included: a source describes how to get them again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workspace {
    /// The [`WORKSPACE_VERSION`] of the build that has written it.
    pub version: u32,
    /// The name that the user has chosen.
    pub name: String,
    /// The source of the events.
    pub source: Source,
    /// The designs, at least one. Each has its own table.
    pub designs: Vec<Design>,
    /// The thresholds and the pace of the simulated instance.
    #[serde(default)]
    pub cluster: ClusterSettings,
    /// The query on the screen.
    #[serde(default = "Query::on_screen")]
    pub query: Query,
    /// Access patterns: the queries that run again and again, and for which the designs are made.
    #[serde(default)]
    pub queries: Vec<NamedQuery>,
    /// The limits of each design.
    #[serde(default)]
    pub limits: DesignLimits,
    /// The user's own rates and prices, once there are any.
    #[serde(default)]
    pub rates: Option<Box<Rates>>,
    /// The traffic on the designs, once there is any.
    #[serde(default)]
    pub traffic: Option<Box<Traffic>>,
    /// The strategy from which the profiles of users are computed, once there is one.
    #[serde(default)]
    pub strategy: Option<Box<Strategy>>,
    /// The number of events that have arrived when the workspace is opened. A number beyond the
    /// last event means all. Without it, all events of a file or a sample have arrived, and
    /// generated events begin with a first part. The command line always builds all events.
    #[serde(default)]
    pub arrived: Option<u32>,
    /// The example that this workspace is, even after edits. Another name or other events remove
    /// it.
    #[serde(default)]
    pub example: Option<ExampleId>,
    /// The roles that the user has given to fields. The other fields have the roles that their
    /// values show.
    #[serde(default)]
    pub roles: Vec<GivenRole>,
}

impl Workspace {
    /// The name of a workspace that the user has not named.
    pub const UNNAMED: &str = "Untitled";

    /// Renames the workspace. A renamed example counts as the user's own workspace from then on.
    pub fn rename(&mut self, name: String) {
        if self.name != name {
            (self.name, self.example) = (name, None);
        }
    }
}

impl Default for Workspace {
    /// The first workspace: generated events, and a key that is hot as it begins with the time.
    fn default() -> Self {
        let template = "{timestamp:iso},{app_id},{user_token}";
        Workspace {
            version: WORKSPACE_VERSION,
            name: Workspace::UNNAMED.into(),
            source: Source::Generated(GeneratorSettings {
                seed: 1,
                events: 20_000,
                apps: 3,
                users: 500,
                user_skew: 1.0,
            }),
            designs: alloc::vec![Design::new("Design 1", template, Layout::new(LayoutKind::Narrow))],
            cluster: ClusterSettings::default(),
            query: Query::on_screen(),
            queries: Vec::new(),
            limits: DesignLimits::default(),
            rates: None,
            traffic: None,
            strategy: None,
            arrived: None,
            example: None,
            roles: Vec::new(),
        }
    }
}

/// The role that the user has given to a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenRole {
    /// The name of the field.
    pub field: String,
    /// Its role.
    pub role: FieldRole,
}

impl GivenRole {
    /// Returns the role that the user has given to the field called `name`.
    pub fn of(roles: &[GivenRole], name: &str) -> Option<FieldRole> {
        roles.iter().find(|given| given.field == name).map(|given| given.role)
    }
}

/// A row-key template, a layout and GC rules, together with how its results are displayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// The name that the user has chosen.
    pub name: String,
    /// The text of a template, as typed. It may have problems.
    pub template: String,
    /// The layout of the cells.
    pub layout: Layout,
    /// The GC rules and the aggregates of families. Families that are not listed keep all cells and
    /// do not aggregate. The layout and the events determine which families exist, so a rule may be
    /// for a family that does not.
    #[serde(default)]
    pub families: Vec<FamilyRule>,
    /// The name of another design, if this is an index table of it: that design writes each event
    /// into its own table and into this one. Index tables follow their design in the list, and
    /// cannot have index tables themselves.
    #[serde(default)]
    pub index_of: Option<String>,
    /// How the user views the results of the table, once the user has changed anything.
    #[serde(default)]
    pub results: Option<Box<ResultColumns>>,
}

impl Design {
    /// Creates a design with this template and layout that keeps all cells.
    pub fn new(name: impl Into<String>, template: impl Into<String>, layout: Layout) -> Design {
        let (name, template) = (name.into(), template.into());
        Design { name, template, layout, families: Vec::new(), index_of: None, results: None }
    }
}

impl Design {
    /// Returns the rule of a family.
    pub fn gc_rule(&self, family: &str) -> GcRule {
        self.families
            .iter()
            .find(|rule| rule.family == family)
            .map_or(GcRule::KeepAll, |rule| rule.gc_rule.clone())
    }

    /// Returns the layout for queries by fields: see [`Layout::readable`].
    pub fn readable_layout(&self) -> Cow<'_, Layout> {
        self.layout.readable(&self.families)
    }

    /// Returns how a family aggregates its cells; `None` for a family that does not.
    pub fn aggregate(&self, family: &str) -> Option<Aggregate> {
        self.families.iter().find(|rule| rule.family == family).and_then(|rule| rule.aggregate)
    }

    /// Sets the rule of a family.
    pub fn set_gc_rule(&mut self, family: &str, gc_rule: GcRule) {
        let aggregate = self.aggregate(family);
        self.set_family(FamilyRule { aggregate, ..FamilyRule::new(family, gc_rule) });
    }

    /// Sets how a family aggregates its cells.
    pub fn set_aggregate(&mut self, family: &str, aggregate: Option<Aggregate>) {
        let gc_rule = self.gc_rule(family);
        self.set_family(FamilyRule { aggregate, ..FamilyRule::new(family, gc_rule) });
    }

    /// A family that keeps all cells and does not aggregate is not listed.
    fn set_family(&mut self, set: FamilyRule) {
        self.families.retain(|rule| rule.family != set.family);
        if set != FamilyRule::new(&*set.family, GcRule::KeepAll) {
            self.families.push(set);
            self.families.sort_by(|one, other| one.family.cmp(&other.family));
        }
    }

    /// Returns whether both designs make the same table from the same events: they differ at most
    /// in their names.
    pub fn has_same_table(&self, other: &Design) -> bool {
        (&self.template, &self.layout, &self.families) == (&other.template, &other.layout, &other.families)
    }

    /// Returns whether both designs are equal, except for how their results are displayed.
    pub fn differs_at_most_in_results(&self, other: &Design) -> bool {
        self.has_same_table(other) && (&self.name, &self.index_of) == (&other.name, &other.index_of)
    }

    /// Returns whether this is a table of the design with this name: its own table, or an index
    /// table.
    pub fn is_table_of(&self, design: &str) -> bool {
        self.index_of.as_deref().map_or(self.name == design, |of| of == design)
    }
}

/// A change of a design. Fields that are `None` are not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DesignPatch {
    /// A new name.
    pub name: Option<String>,
    /// A new template text.
    pub template: Option<String>,
    /// A new layout.
    pub layout: Option<Layout>,
    /// New GC rules.
    pub families: Option<Vec<FamilyRule>>,
}

/// Thresholds and pace of the simulated instance. Google does not publish its thresholds, so these
/// are parameters, and displayed as such.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterSettings {
    /// Number of bytes at which a tablet is split. `None` scales it to the source, so that a
    /// complete load has about two dozen tablets.
    pub tablet_bytes_max: Option<u64>,
    /// Number of rows written per second at which a tablet is split. Eight rows that are read count
    /// as one.
    pub tablet_load_max: f64,
    /// Number of events that arrive per second of the table's own clock.
    pub events_per_second: f64,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        ClusterSettings { tablet_bytes_max: None, tablet_load_max: 500.0, events_per_second: 200.0 }
    }
}

/// An access pattern: a query with a name, and limits of its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct NamedQuery {
    /// Unique in its workspace, and not empty.
    pub name: String,
    /// The query, which runs on each design.
    pub query: Query,
    /// The names of the index tables that it reads instead of the tables of their designs.
    #[serde(default)]
    pub tables: Vec<String>,
    /// The limits of its cost.
    #[serde(default)]
    pub limits: QueryLimits,
    /// How often it runs: its weight in a comparison of designs. With 0, it is left out of the
    /// totals.
    #[serde(default = "NamedQuery::usual_rate")]
    pub reads_per_second: f64,
}

impl NamedQuery {
    /// Creates an access pattern without limits, with the default rate.
    pub fn new(name: impl Into<String>, query: Query) -> NamedQuery {
        NamedQuery {
            name: name.into(),
            query,
            tables: Vec::new(),
            limits: QueryLimits::default(),
            reads_per_second: NamedQuery::usual_rate(),
        }
    }

    fn usual_rate() -> f64 {
        1.0
    }
}

outlined!(NamedQuery);
