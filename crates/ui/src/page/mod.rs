//! The page as a machine: its state and reducer, the actions of views, the link to the engine, and
//! what the browser stores. It knows no view.

pub mod actions;
pub mod crash;
pub mod engine_link;
pub mod saving;
pub mod state;
