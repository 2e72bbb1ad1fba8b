//! Small parts of the page that know nothing of Bigtable.

mod button;
mod field;
mod icon;
mod menu;
mod segmented;
mod separator;

pub use button::{Button, ButtonKind};
pub use field::{NumberField, Select};
pub use icon::{Icon, IconView, strokes};
pub use menu::MenuButton;
pub use segmented::Segmented;
pub use separator::{Direction, Separator};
