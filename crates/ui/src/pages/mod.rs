//! The panes of the page. Each is given values and callbacks; none knows of the engine.

pub mod data;
pub mod design;
pub mod export;
pub mod keys;
pub mod storage;
pub mod tablets;
