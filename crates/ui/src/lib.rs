//! The page: what the user sees and changes. It reaches the engine through the client only.
//!
//! A module imports those to its right, and no other. A line with a name is about the modules
//! within it:
//!
//! ```text
//! app > chrome > views > panes > kit, page > browser
//! panes: data, tablets > export, fix_button, diagnoses, heatmap, keys, share, storage, workspaces > query, results > shell
//! page: saving > actions > crash, engine_link > state
//! ```
//!
//! `kit` has buttons, fields, tables, forms and curves, which know nothing of Bigtable. `page` has
//! the state, a pure function from an action to the next state, the actions that views call, the
//! link to the engine, and what the browser stores; it knows no view. What is drawn, from `panes` to
//! `chrome`, is functions from the state to HTML. A view is a folder of `views`; `panes` has the
//! panes and dialogs that no single view owns. A test (`xtask/tests/map.rs`) compares this with the
//! code. The flows of the page that need no browser are in `/tests/tests/flows`.

mod app;
mod browser;
mod chrome;
#[cfg(test)]
#[path = "../../../tests/tests/flows/mod.rs"]
mod flows;
mod kit;
mod page;
mod panes;
mod views;

/// Draws the page into the document and starts the engine.
pub fn start() {
    page::crash::install();
    wasm_bindgen_futures::spawn_local(async {
        browser::restored().await;
        let root = browser::document().get_element_by_id("app").expect("index.html has a place for the page");
        yew::Renderer::<app::App>::with_root(root).render();
    });
}
