//! The page's own texts, in one table: labels, titles, names for screen readers, status lines,
//! errors that the page itself reports. The advice on designs has a table of the same form in
//! `schema` (`schema/texts`), because the worker and the command line also write it. The names and
//! warnings of exports come from `export`, in English.
//!
//! ```text
//! messages().query.run                                  a text
//! (messages().results.rows_so_far)(stats.rows_returned)  a text with numbers: a function that knows plurals and separators
//! ```
//!
//! [`Messages`] has one struct per view, in a file of its own. A field is a `&'static str`, or a function pointer where values go
//! into the text. The English value stands below its struct. Texts take the figures that [`numbers`] writes.
//!
//! [`messages`] returns a constant, so the compiler puts each text where it is used, and a text that only later functions name is fetched
//! with them. Where a text is chosen by an index, all texts of its view are fetched with the function that does so: each view has a
//! table of its own, which the table of all refers to.
//!
//! # To add a language
//!
//! 1. Write its table: a folder such as `messages/german/` with one constant per view
//!    (`pub const QUERY: Query = Query { run: "Ausführen", … }`) and a `static GERMAN: Messages`. A message that is missing does
//!    not compile, and the compiler says which. `schema/texts` needs a `static GERMAN: Texts` in the same way.
//! 2. Numbers: [`numbers`] writes a comma between thousands and a point before decimals. Give [`Messages`] a field with the two
//!    separators and read it there.
//! 3. Choose it here: [`messages`] then returns what a
//!    `thread_local! { static CHOSEN: Cell<&'static Messages> }` holds. It starts with [`ENGLISH`];
//!    the page sets it before it is drawn, from the language that the browser keeps, and again when
//!    the user picks another one. Set `lang` of the document with it.
//! 4. Fetch it only when it is chosen: only one function names `GERMAN`. Functions that a first
//!    visit does not run are in the later part of the program (`crates/app/early.txt`), with their
//!    data. English stays in the early part, so the page can always be drawn.
//! 5. `index.html` has its texts for the first paint in English. It picks another set by the same stored choice.

pub mod banners;
pub mod common;
pub mod compare;
pub mod data;
pub mod design;
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
pub mod profiles;
pub mod query;
pub mod results;
pub mod scoreboard;
pub mod server;
pub mod share;
pub mod shell;
pub mod storage;
pub mod tablets;
#[cfg(test)]
mod tests;
pub mod top_bar;
pub mod traffic;
pub mod workspaces;

use banners::Banners;
use common::Common;
use compare::Compare;
use data::Data;
use design::Design;
use examples::Examples;
use export::Export;
use filter::Filter;
use heatmap::Heatmap;
use inside::Inside;
use map::Map;
use objects::Objects;
use palette::Palette;
use panes::Panes;
use profiles::Profiles;
use query::Query;
use results::Results;
use scoreboard::Scoreboard;
use server::Server;
use share::Share;
use shell::Shell;
use storage::Storage;
use tablets::Tablets;
use top_bar::TopBar;
use traffic::Traffic;
use workspaces::Workspaces;

/// The texts of one language.
pub struct Messages {
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
    /// Workspaces that each show one thing.
    pub examples: &'static Examples,
}

/// The texts in English.
static ENGLISH: Messages = Messages {
    common: &common::ENGLISH,
    top_bar: &top_bar::ENGLISH,
    panes: &panes::ENGLISH,
    banners: &banners::ENGLISH,
    data: &data::ENGLISH,
    design: &design::ENGLISH,
    tablets: &tablets::ENGLISH,
    query: &query::ENGLISH,
    filter: &filter::ENGLISH,
    results: &results::ENGLISH,
    objects: &objects::ENGLISH,
    shell: &shell::ENGLISH,
    compare: &compare::ENGLISH,
    inside: &inside::ENGLISH,
    traffic: &traffic::ENGLISH,
    profiles: &profiles::ENGLISH,
    palette: &palette::ENGLISH,
    scoreboard: &scoreboard::ENGLISH,
    storage: &storage::ENGLISH,
    server: &server::ENGLISH,
    workspaces: &workspaces::ENGLISH,
    export: &export::ENGLISH,
    map: &map::ENGLISH,
    share: &share::ENGLISH,
    heatmap: &heatmap::ENGLISH,
    examples: &examples::ENGLISH,
};

/// The texts of the language in which the page is shown. This is the one place that knows which it is.
#[inline(always)]
pub fn messages() -> &'static Messages {
    &ENGLISH
}
