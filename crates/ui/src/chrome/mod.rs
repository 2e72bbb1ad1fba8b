//! The parts of the page around the panes.

mod about;
mod all_actions;
mod banners;
mod controls;
mod examples;
mod keys;
mod palette;
mod places;
mod section;
mod tabs;
mod top_bar;

pub use banners::banners;
pub use keys::{KeysDialog, keys_dialog, open_keys, single_keys_work};
pub use palette::{PaletteLook, all_actions_dialog, open_palette};
pub use places::place_shower;
pub use section::section;
pub use tabs::{PANEL_ID, tab_id, tabs};
pub use top_bar::top_bar;
