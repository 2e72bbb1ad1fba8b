//! Every sentence that a user reads, in one table for each language: labels, titles, names for
//! screen readers, status lines, errors that the page itself reports. The page, the report, the
//! Markdown and the command line render their judgements through it.
//!
//! ```text
//! messages().query.run                                  a text
//! (messages().results.rows_so_far)(stats.rows_returned)  a text with numbers: a function that knows plurals and separators
//! ```
//!
//! [`Messages`] has one struct per view, in a file of its own below [`en`]. A field is a
//! `&'static str`, or a function pointer where values go into the text. The English value is below
//! its struct. Texts take the figures that [`numbers`] writes.
//!
//! What is not here: errors in what a user typed, which their reader writes with places in the
//! text, and the names and warnings of exports, which are code in English.
//!
//! [`messages`] returns a constant, so the compiler puts each text where it is used, and a text
//! that only later functions name is fetched with them. Where a text is chosen by an index, all
//! texts of its view are fetched with the function that does so: each view has a table of its own,
//! which the table of all refers to.
//!
//! # To add a language
//!
//! Write its folder, such as `zh`, with one constant per view
//! (`pub const QUERY: Query = Query { run: …, … }`) and a `static CHINESE: Messages`. A message
//! that is missing does not compile, and the compiler says which.
#![no_std]
extern crate alloc;

use alloc::string::String;

pub mod en;

pub use en::{
    advice, banners, common, compare, data, design, example_texts, examples, export, filter, heatmap, inside,
    map, migration, numbers, objects, palette, panes, presets, profiles, query, results, scoreboard, server,
    share, shell, storage, tablets, top_bar, traffic, workspaces,
};

use en::advice::Advice;
use en::banners::Banners;
use en::common::Common;
use en::compare::Compare;
use en::data::Data;
use en::design::Design;
use en::example_texts::ExampleText;
use en::examples::Examples;
use en::export::Export;
use en::filter::Filter;
use en::heatmap::Heatmap;
use en::inside::Inside;
use en::map::Map;
use en::objects::Objects;
use en::palette::Palette;
use en::panes::Panes;
use en::presets::Presets;
use en::profiles::Profiles;
use en::query::Query;
use en::results::Results;
use en::scoreboard::Scoreboard;
use en::server::Server;
use en::share::Share;
use en::shell::Shell;
use en::storage::Storage;
use en::tablets::Tablets;
use en::top_bar::TopBar;
use en::traffic::Traffic;
use en::workspaces::Workspaces;
use tabletop_workspace::{DesignsProblem, Example};

/// The texts of one language.
pub struct Messages {
    /// Judgements on designs and traffic.
    pub advice: &'static Advice,
    /// Texts of more than one view.
    pub common: &'static Common,
    /// The bar at the top, with its menu and the dialog about the page.
    pub top_bar: &'static TopBar,
    /// Names of the panes, and the lines between them.
    pub panes: &'static Panes,
    /// The reports of failures above the panes, and the screen after a crash.
    pub banners: &'static Banners,
    /// Where the events come from.
    pub data: &'static Data,
    /// The row key and the layout.
    pub design: &'static Design,
    /// The tablets.
    pub tablets: &'static Tablets,
    /// A query.
    pub query: &'static Query,
    /// The filter of a query.
    pub filter: &'static Filter,
    /// The results of a read.
    pub results: &'static Results,
    /// Rows as objects, and what their values mean.
    pub objects: &'static Objects,
    /// The shell, and what the page does as commands.
    pub shell: &'static Shell,
    /// Designs side by side.
    pub compare: &'static Compare,
    /// One tablet from inside.
    pub inside: &'static Inside,
    /// Traffic on a design.
    pub traffic: &'static Traffic,
    /// Profiles of users.
    pub profiles: &'static Profiles,
    /// The list of all actions, and of the keys.
    pub palette: &'static Palette,
    /// Access patterns on designs.
    pub scoreboard: &'static Scoreboard,
    /// The data that this browser stores.
    pub storage: &'static Storage,
    /// A running server.
    pub server: &'static Server,
    /// The saved workspaces.
    pub workspaces: &'static Workspaces,
    /// A design as files for a real Bigtable.
    pub export: &'static Export,
    /// The map of a Z-order.
    pub map: &'static Map,
    /// The workspace as a link.
    pub share: &'static Share,
    /// The Key Visualizer.
    pub heatmap: &'static Heatmap,
    /// The dialog of examples.
    pub examples: &'static Examples,
    /// What an example shows.
    pub example: fn(Example) -> &'static ExampleText,
    /// Why a change to the list of designs is not possible.
    pub designs_problem: fn(&DesignsProblem) -> String,
    /// Preset traffic and strategies.
    pub presets: &'static Presets,
}

/// The texts of the language in which the page is shown. This is the one place that knows which it
/// is.
#[inline(always)]
pub fn messages() -> &'static Messages {
    &en::ENGLISH
}
