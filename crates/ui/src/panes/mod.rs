//! Panes, dialogs and parts that no single view owns. Each is drawn from values and callbacks, and
//! none has access to the engine.

pub mod data;
pub mod diagnoses;
pub mod export;
pub mod fix_button;
pub mod heatmap;
pub mod keys;
pub mod query;
pub mod results;
pub mod share;
pub mod shell;
pub mod storage;
pub mod tablets;
pub mod workspaces;
