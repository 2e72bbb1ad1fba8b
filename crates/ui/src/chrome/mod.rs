//! The parts of the page around the panes.

mod about;
mod banners;
mod section;
mod tabs;
mod theme;
mod top_bar;

pub use banners::banners;
pub use section::section;
pub use tabs::{PANEL_ID, tab_id, tabs};
pub use top_bar::top_bar;
