//! The page: what the user sees and changes. It reaches the engine through the client only.
//!
//! A module imports those to its right, and no other:
//!
//! ```text
//! app > chrome > views > pages > query, results > shell > actions > crash, engine_link, widgets > state > browser
//! ```
//!
//! `state` is values and a pure function from an action to the next state. `actions` are the
//! callbacks that the views call. What is drawn, from `shell` to `chrome`, is functions from the
//! state to HTML. A view is a folder of `views`; `pages` has the panes and dialogs that no single
//! view owns. A test (`xtask/tests/map.rs`) compares this with the code. The flows of the page that
//! need no browser are in `/tests/tests/flows`.

mod actions;
mod app;
mod browser;
mod chrome;
mod crash;
mod engine_link;
#[cfg(test)]
#[path = "../../../tests/tests/flows/mod.rs"]
mod flows;
mod pages;
mod query;
mod results;
mod shell;
mod state;
mod views;
mod widgets;

/// Draws the page into the document and starts the engine.
pub fn start() {
    crash::install();
    let root = browser::document().get_element_by_id("app").expect("index.html has a place for the page");
    yew::Renderer::<app::App>::with_root(root).render();
}
