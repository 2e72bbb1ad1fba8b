//! The heatmap of a table: its cells, the part that is shown, and what divides its keys.

mod busiest;
mod files;
mod hierarchy;
mod keys;
mod matrix;
mod raster;
mod scale;
mod served;
mod spot;
mod zoom;

pub use busiest::{Busy, busiest};
pub use files::{csv, scene};
pub use hierarchy::{Bar, LEVELS_MAX, fitting, hierarchy, in_room, labels, longest};
pub use keys::{Cell, Press, Step, step};
pub use matrix::{Column, HeatMatrix, Shown};
pub use raster::{Levels, Lines, Raster, Run};
pub use scale::{BRIGHTNESS, Colors, LevelTable, Palette, RANGE, Scale};
pub use served::{Border, Nodes, Served, borders, served, tablet_of};
pub use spot::{Drag, Spot};
pub use zoom::{Area, Span, Zooms};
