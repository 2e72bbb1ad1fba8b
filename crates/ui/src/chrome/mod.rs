//! What is around the panes.

mod about;
mod banners;
mod section;
mod tabs;
mod theme;
mod top_bar;
mod workspace_menu;

pub use banners::Banners;
pub use section::Section;
pub use tabs::{PANEL_ID, Pane, Tabs};
pub use top_bar::TopBar;
