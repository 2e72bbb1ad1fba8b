//! The parts of the page that texts point at.

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The query of the design on the screen.
    Query,
    /// What the query cost.
    Cost,
    /// The first, middle and last keys.
    Keys,
    /// The advice on the row key and the layout.
    Warnings,
    /// The tablets of the design at this index, beside the others.
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
    /// What the simulation shows to be wrong.
    Diagnoses,
    /// The nodes of the simulated cluster.
    Nodes,
    /// Latency and throughput over time.
    Latency,
    /// The Key Visualizer.
    Heatmap,
    /// The scores that make profiles.
    Strategy,
    /// The pipelines that compute profiles.
    Pipelines,
    /// The profile of one user, and what it does.
    User,
    /// The experiment with layouts.
    Experiment,
    /// The migration beside a stream.
    Migration,
    /// The choice of the view of rows, of which one shows objects.
    RowViews,
}
