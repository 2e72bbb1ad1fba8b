//! The panes of the page. Each is drawn from values and callbacks, and none has access to the engine.

pub mod compare;
pub mod data;
pub mod design;
pub mod examples;
pub mod export;
pub mod keys;
pub mod places;
pub mod profiles;
pub mod server;
pub mod share;
pub mod storage;
pub mod tablet;
pub mod tablets;
pub mod traffic;
pub mod workspaces;
