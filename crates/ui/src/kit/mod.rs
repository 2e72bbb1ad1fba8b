//! Small parts of the page that know nothing of Bigtable.

mod button;
mod callback;
mod completions;
mod curves;
mod field;
mod figures;
mod form;
mod icon;
mod menu;
mod name_field;
mod picture;
mod scrubber;
mod segmented;
mod separator;
mod stateful;
mod table;
mod typed_text;

pub use button::{ButtonKind, Toggle, checked, clicked, push, save_file, toggle, tool};
pub use callback::callback;
pub use completions::{Complete, Completion, Completions};
pub use curves::{curve_key, figure};
pub use field::{
    Label, Number, checked_text_field, choices_with, focused_text_field, number_field, number_field_labelled,
    optional_number_field, select, text_field,
};
pub use figures::figures;
pub(crate) use form::number;
pub use form::{FormNumber, Place, Ways, form};
pub use icon::{Icon, icon, strokes};
pub use menu::MenuButton;
pub use name_field::NameField;
pub use picture::{picture, shape};
pub use scrubber::{Scrubber, scrubber};
pub use segmented::{SegmentSize, segmented, tab_list};
pub use separator::{Direction, Separator};
pub use stateful::{Context, Keep, Link, Stateful};
pub use table::{Cell, Column, Row, Table, columns};
pub use typed_text::TypedText;
