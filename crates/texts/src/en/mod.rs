//! English, and the shape of a language: for each view, a table that declares each text once.

#![expect(missing_docs, reason = "the English text of a field says what it is")]

pub mod advice;
pub mod banners;
pub mod common;
pub mod compare;
pub mod data;
pub mod design;
mod design_list;
pub mod example_texts;
pub mod examples;
pub mod export;
pub mod filter;
pub mod heatmap;
pub mod inside;
pub mod map;
pub mod migration;
pub mod numbers;
pub mod objects;
pub mod palette;
pub mod panes;
pub mod presets;
pub mod profiles;
pub mod query;
pub mod results;
pub mod scoreboard;
pub mod server;
pub mod share;
pub mod shell;
pub mod storage;
pub mod tablets;
pub mod top_bar;
pub mod traffic;
pub mod workspaces;

use tabletop_workspace::{DesignsProblem, Example};

use example_texts::ExampleText;

texts!(Messages {
    /// Judgements on designs and traffic.
    advice: &advice::Advice,
    /// Texts of more than one view.
    common: &common::Common,
    /// The bar at the top, with its menu and the dialog about the page.
    top_bar: &top_bar::TopBar,
    /// Names of the panes, and the lines between them.
    panes: &panes::Panes,
    /// The reports of failures above the panes, and the screen after a crash.
    banners: &banners::Banners,
    /// Where the events come from.
    data: &data::Data,
    /// The row key and the layout.
    design: &design::Design,
    /// The tablets.
    tablets: &tablets::Tablets,
    /// A query.
    query: &query::Query,
    /// The filter of a query.
    filter: &filter::Filter,
    /// The results of a read.
    results: &results::Results,
    /// Rows as objects, and what their values mean.
    objects: &objects::Objects,
    /// The shell, and what the page does as commands.
    shell: &shell::Shell,
    /// Designs side by side.
    compare: &compare::Compare,
    /// One tablet from inside.
    inside: &inside::Inside,
    /// Traffic on a design.
    traffic: &traffic::Traffic,
    /// Profiles of users.
    profiles: &profiles::Profiles,
    /// The list of all actions, and of the keys.
    palette: &palette::Palette,
    /// Access patterns on designs.
    scoreboard: &scoreboard::Scoreboard,
    /// The data that this browser stores.
    storage: &storage::Storage,
    /// A running server.
    server: &server::Server,
    /// The saved workspaces.
    workspaces: &workspaces::Workspaces,
    /// A design as files for a real Bigtable.
    export: &export::Export,
    /// The map of a Z-order.
    map: &map::Map,
    /// The workspace as a link.
    share: &share::Share,
    /// The Key Visualizer.
    heatmap: &heatmap::Heatmap,
    /// The dialog of examples.
    examples: &examples::Examples,
    /// What an example shows.
    example: |example: Example| -> &'static ExampleText { example_texts::english(example) },
    /// Why a change to the list of designs is not possible.
    designs_problem: |problem: &DesignsProblem| design_list::english(problem),
    /// Preset traffic and strategies.
    presets: &presets::Presets,
});
