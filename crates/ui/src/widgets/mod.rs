//! Small parts of the page that know nothing of Bigtable.

mod button;
mod completions;
mod field;
mod figures;
mod icon;
mod menu;
mod picture;
mod segmented;
mod separator;
#[cfg(test)]
pub mod used;

pub use button::{ButtonKind, Toggle, checked, clicked, push, save_file, toggle, tool};
pub use completions::Completions;
pub use field::{
    Label, Number, checked_text_field, choices_with, focused_text_field, number_field, number_field_labelled,
    optional_number_field, select, text_field,
};
pub use figures::figures;
pub use icon::{Icon, icon, strokes};
pub use menu::MenuButton;
pub use picture::{picture, shape};
pub use segmented::{SegmentSize, segmented, segmented_icons};
pub use separator::{Direction, Separator};
