//! The parts of a grid of rows: its look, its rows, and ways to change and draw them.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_keys::FamilyRule;
use tabletop_model::{RowKey, RowMutation, Timestamp};
use tabletop_objects::ObjectTypes;
use tabletop_texts::{Locale, locale};
use tabletop_views::results::{AskedFor, Scroll};
use tabletop_workspace::ResultColumns;
use yew::functional::UseForceUpdateHandle;
use yew::{Callback, NodeRef, Properties};

use super::chosen::ColumnEdits;
use super::cursor::Cursor;
use super::dom::set_style;
use super::look::GridLook;
use super::marks::Marking;
use super::result_view::ResultView;
use crate::page::actions::{ExpiredRequest, MarkRequest, ShellAction, WorkerJobs};
use crate::page::state::{Edit, KeyPlace, NoTable, QueryResult, StoredKeys};
use crate::panes::shell::Commands;

/// Width below which a cell is stacked on two lines of text, in the page's type size: the columns
/// need it.
const STACKED_BELOW_REM: f64 = 39.0;
/// Height of a line and of the header, in the page's type size: `.grid .line` in results.css.
const LINE_REM: f64 = 1.5;
/// The height of a line of stacked cells.
const STACKED_LINE_REM: f64 = 2.75;

/// What a grid shows, and what its controls do: the properties of `ResultGrid`.
#[derive(Clone, Properties, PartialEq)]
pub struct ResultGridProps {
    /// The read and its rows so far.
    pub result: Rc<QueryResult>,
    /// Why there is no table to read.
    pub no_table: Option<NoTable>,
    /// The keys that are in the table.
    pub keys: Rc<StoredKeys>,
    /// The rows of the query.
    pub asked_for: AskedFor,
    /// Whether the query has patterns.
    pub patterns: bool,
    /// Writes commands.
    pub commands: Commands,
    /// Runs commands in the shell.
    pub on_action: Callback<ShellAction>,
    /// Requests a slice of a trace; `None` if the rows cannot be traced.
    pub traces: Option<(WorkerJobs, usize)>,
    /// The GC rules of families, if the rows have all versions of their columns.
    pub rules: Vec<FamilyRule>,
    /// The time that they use as now.
    pub gc_time: Option<Timestamp>,
    /// Whether the filter may have removed values.
    pub strips: bool,
    /// Writes manually to a row.
    pub on_write: Callback<RowMutation>,
    /// A note on the lifetime of such writes.
    pub hand_note: &'static str,
    /// Counts what GC rules would collect of a row; `None` if it cannot be counted.
    pub on_expired: Option<Callback<ExpiredRequest>>,
    /// What is chosen for columns.
    pub columns: Option<Box<ResultColumns>>,
    /// Edits the workspace.
    pub on_edit: Callback<Edit>,
    /// Requests the matches of patterns; `None` if they are not available.
    pub on_mark: Option<Callback<MarkRequest>>,
    /// Whether the later part of the program has arrived.
    pub complete: bool,
    /// A row was chosen.
    pub on_row: Callback<RowKey>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// The look, the rows, and a way to draw them again.
#[derive(Clone)]
pub struct Grid {
    pub(super) look: Rc<RefCell<GridLook>>,
    pub(super) redraw: UseForceUpdateHandle,
    /// The rows, and ways to change them.
    pub props: ResultGridProps,
}

impl Grid {
    /// Reads the look.
    pub fn look<T>(&self, at: impl FnOnce(&GridLook) -> T) -> T {
        at(&self.look.borrow())
    }

    /// Returns the view that is shown: the chosen one, unless these rows do not offer it.
    pub fn view(&self) -> ResultView {
        let chosen = self.look(|look| look.view);
        if chosen == ResultView::Traced && self.props.traces.is_none() { ResultView::Cells } else { chosen }
    }

    /// Changes the look and draws the grid again.
    pub fn change(&self, how: impl FnOnce(&mut GridLook)) {
        how(&mut self.look.borrow_mut());
        self.redraw.force_update();
    }

    /// Returns what is chosen for columns, and what values mean.
    pub(super) fn chosen(&self) -> Rc<ResultColumns> {
        self.look(|look| look.chosen.borrow().now.clone())
    }

    /// Returns the messages of families, if the user has defined what values mean.
    pub(super) fn types(&self) -> Option<Rc<ObjectTypes>> {
        self.look(|look| look.chosen.borrow().types.clone())
    }

    /// Returns the way to change the choices.
    pub(super) fn edits(&self) -> ColumnEdits {
        let chosen = self.look(|look| look.chosen.clone());
        ColumnEdits { chosen, on_edit: self.props.on_edit.clone(), redraw: self.redraw.clone() }
    }

    /// Returns the way to request the matches of patterns.
    pub(super) fn marking(&self) -> Marking {
        let book = self.look(|look| look.marks.clone());
        let on_mark = self.props.on_mark.clone().unwrap_or_else(Callback::noop);
        Marking { book, on_mark, redraw: self.redraw.clone() }
    }

    /// Returns whether the query has patterns, and their matches are marked.
    pub(super) fn has_marks(&self) -> bool {
        self.props.patterns && self.props.on_mark.is_some()
    }

    /// Returns the position of keys: in a narrow grid, cells are stacked below the line of their
    /// key.
    pub(super) fn key_place(&self) -> KeyPlace {
        let measures = self.look(|look| look.size.measures());
        let narrow = measures.width_px < measures.rem_px * STACKED_BELOW_REM;
        if narrow { KeyPlace::Above } else { KeyPlace::Left }
    }

    pub(super) fn scroll(&self) -> Scroll {
        let keys = self.key_place();
        let measures = self.look(|look| look.size.measures());
        let line_rem = match keys {
            KeyPlace::Above => STACKED_LINE_REM,
            KeyPlace::Left => LINE_REM,
        };
        Scroll {
            lines: self.props.result.lines(keys),
            line_px: measures.rem_px * line_rem,
            view_px: (measures.height_px - measures.rem_px * LINE_REM).max(0.0),
        }
    }

    /// Returns the cursor, limited to the current rows.
    pub(super) fn cursor(&self) -> Cursor {
        let last = self.props.result.lines(self.key_place()).saturating_sub(1);
        self.look(|look| Cursor { line: look.cursor.line.min(last), ..look.cursor })
    }

    pub(super) fn place_window(&self, scroll: &Scroll, window: &NodeRef) {
        let top = self.look(|look| look.top);
        set_style(window, "top", scroll.offset(scroll.window(top).start, top));
    }
}
