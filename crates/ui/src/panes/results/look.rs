//! What is open and chosen in the grid.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_model::{Cell, Error, ExpiredCells, RowKey};
use tabletop_views::results::MarkBook;
use yew::NodeRef;

use super::cell_columns::DrawnColumns;
use super::chosen::Chosen;
use super::cursor::Cursor;
use super::dom::BoxSize;
use super::result_view::ResultView;

/// The text that was copied.
#[derive(Clone, Copy)]
pub enum Copied {
    /// The row key.
    Key,
    /// The value of the cell.
    Value,
}

/// The outcome of a copy.
#[derive(Clone, Copy)]
pub enum CopyOutcome {
    /// The text is in the clipboard.
    Done,
    /// The browser refuses the copy.
    Forbidden,
}

/// The expired cells of a row, or why they were not counted.
pub type ExpiredOfRow = (RowKey, Result<Rc<ExpiredCells>, Error>);

/// Another value for a cell, until it is saved.
#[derive(Clone)]
pub struct TypedValue {
    /// The row.
    pub key: RowKey,
    /// The cell, with the value that it had.
    pub cell: Cell,
    /// The value so far.
    pub text: String,
}

/// Everything that is open or chosen in the grid. It is one value, because a hook for each field
/// would make the program larger.
#[derive(Default)]
pub struct GridLook {
    /// The way in which rows are shown.
    pub view: ResultView,
    /// What is chosen for columns.
    pub chosen: Rc<RefCell<Chosen>>,
    /// The columns as they were drawn last.
    pub drawn: DrawnColumns,
    /// The matches of patterns.
    pub marks: Rc<RefCell<MarkBook>>,
    /// The outcome of the last copy or download of all cells.
    pub exported: &'static str,
    /// The keyboard cursor.
    pub cursor: Cursor,
    /// Whether the details of the chosen cell are shown.
    pub open: bool,
    /// The value that the user is typing.
    pub typed: Option<TypedValue>,
    /// What GC rules would collect of the row that was examined last.
    pub expired: Option<ExpiredOfRow>,
    /// Whether the details also show the key in hex.
    pub hex: bool,
    /// Whether the tools of values and columns are shown.
    pub has_tools: bool,
    /// Whether all figures are shown.
    pub all_figures: bool,
    /// The last copy and its outcome.
    pub copied: Option<(Copied, CopyOutcome)>,
    /// The last announcement for screen readers.
    pub said: String,
    /// The scroll position, pixels.
    pub top: f64,
    /// The size of the grid's box.
    pub size: BoxSize,
    /// The query of these rows.
    pub asked: Rc<Vec<u8>>,
    /// Whether the grid must scroll to the first row of another query.
    pub begins: bool,
    /// The box of the lines.
    pub grid: NodeRef,
    /// The spacer that is as high as all lines.
    pub spacer: NodeRef,
    /// The lines that are drawn.
    pub window: NodeRef,
}
