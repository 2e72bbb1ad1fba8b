//! The places on the page that texts point to.

/// A place on the page that a text can point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The query of the design on the screen.
    Query,
    /// The cost of the query.
    Cost,
    /// The first, middle and last keys of the design on the screen.
    Keys,
    /// The advice on the row key and the layout.
    Warnings,
    /// The tablets of the design at this index, next to those of other designs.
    Strip(usize),
    /// The figures of all designs.
    Figures,
    /// The access pattern at this index, on all designs.
    Pattern(usize),
    /// One event as each design stores it.
    Anatomy,
    /// The GC rules of families.
    GcRules,
    /// The access patterns, on all designs.
    Patterns,
    /// The estimate of nodes, storage and cost.
    Estimate,
    /// The streams of the traffic.
    Streams,
    /// The problems that the simulation shows.
    Diagnoses,
    /// The nodes of the simulated cluster.
    Nodes,
    /// Latency and throughput over time.
    Latency,
    /// The Key Visualizer.
    Heatmap,
    /// The strategy: the scores from which profiles are computed.
    Strategy,
    /// The pipelines that compute profiles.
    Pipelines,
    /// The profile of one user, and its effect on the ranking of items.
    User,
    /// The experiment that compares layouts.
    Experiment,
    /// The migration that runs while a stream writes.
    Migration,
    /// The choice of how rows are shown, for example as objects.
    RowViews,
}
