//! English, and the shape of a language: a struct for each view, and its English value below it.

#![expect(missing_docs, reason = "the English text of a field is below its struct, and says what it is")]

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

use crate::Messages;

/// The texts in English.
pub(crate) static ENGLISH: Messages = Messages {
    advice: &advice::ENGLISH,
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
    example: example_texts::english,
    designs_problem: design_list::english,
    presets: &presets::ENGLISH,
};
