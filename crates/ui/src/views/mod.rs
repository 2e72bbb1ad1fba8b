//! The views of the page, a folder for each. A view imports what several of them draw from `pages`, and never another view.

pub mod compare;
pub mod design;
pub mod profiles;
pub mod server;
pub mod tablet;
pub mod traffic;
