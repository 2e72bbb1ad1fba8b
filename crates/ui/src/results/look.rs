//! How a person looks at the rows.

use std::rc::Rc;

use yew::NodeRef;

use super::decode::Decoding;
use super::details::{Copied, CopyOutcome};
use super::dom::{Measures, SizeWatch};
use super::line::Cursor;

/// How a person looks at the rows. One value that is changed in place: a hook for each of these would be a good part of the
/// page's program.
#[derive(Default)]
pub struct GridLook {
    /// How values are read.
    pub decoding: Decoding,
    /// Where the keyboard is.
    pub cursor: Cursor,
    /// The chosen cell is shown whole.
    pub open: bool,
    /// Its key is shown in hex, too.
    pub hex: bool,
    /// All that the engine has counted is shown.
    pub all_figures: bool,
    /// What was copied last, and how that came out.
    pub copied: Option<(Copied, CopyOutcome)>,
    /// What a screen reader was told last.
    pub said: String,
    /// How far the grid is scrolled, pixels.
    pub top: f64,
    /// The box of the grid.
    pub measures: Measures,
    /// The question whose rows these are.
    pub asked: Rc<Vec<u8>>,
    /// Another question came: it begins at its first row.
    pub begins: bool,
    /// The box of the lines.
    pub grid: NodeRef,
    /// The list as a whole.
    pub spacer: NodeRef,
    /// The lines that are drawn.
    pub window: NodeRef,
    /// Measures the box.
    pub watch: Option<SizeWatch>,
}
