//! The cells that a query read, including those that its filter dropped, with the nodes that
//! dropped them. The engine finds them: the page requests the trace slice by slice, as the user
//! scrolls, up to a limit.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_keys::Query;
use tabletop_model::{CellPart, Error, TracedCell, TracedRow, escape, wire};
use tabletop_objects::ObjectTypes;
use tabletop_protocol::{JobError, TraceChunk, TraceQuery, TraceRequest};
use tabletop_texts::numbers::thousands;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::results::{ValueKind, cell_preview, column_text, matches_of, node_names};
use tabletop_workspace::ResultColumns;
use yew::functional::UseForceUpdateHandle;
use yew::{Callback, Html, Properties, function_component, html, use_force_update, use_mut_ref};

use super::key::key_line;
use super::line::{column_name, decoding_of, short_time};
use super::marks::marked;
use super::sheet::{Cells, LINE_REM, Sheet, SheetCells, SheetColumn, TALL_LINE_REM};
use crate::browser;
use crate::kit::callback;
use crate::page::actions::{JobEvent, UseJob, WorkerJobs};
use crate::page::state::{KeyForm, QueryResult, StoredKeys};

/// The maximum number of cells in the page's memory. A user who needs more can narrow the query.
const CELLS_MAX: usize = 50_000;
/// The columns: key, outcome, family, qualifier, time, value. The second one is the purpose of this
/// view, so it is visible without scrolling.
const FATE: usize = 1;
/// px.
const WIDTHS: [f64; 6] = [200.0, 360.0, 80.0, 150.0, 170.0, 200.0];
/// px, on a narrow screen: a reason takes two lines of text.
const NARROW_WIDTHS: [f64; 6] = [112.0, 216.0, 80.0, 150.0, 170.0, 200.0];
/// A screen on which a key and a reason do not fit next to each other: a page with one pane at a
/// time.
const NARROW: &str = "(max-width: 719px)";

/// Properties of [`TracedSheet`].
#[derive(Properties, PartialEq)]
pub struct TracedSheetProps {
    /// The answer to explain.
    pub result: Rc<QueryResult>,
    /// The keys of the table.
    pub keys: Rc<StoredKeys>,
    /// How values are decoded.
    pub columns: Rc<ResultColumns>,
    /// The messages of families.
    pub types: Option<Rc<ObjectTypes>>,
    /// Opens the trace.
    pub jobs: WorkerJobs,
    /// Index of the design.
    pub design: usize,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// The trace of one answer.
#[derive(Default)]
struct Traced {
    /// The answer that is traced; `None` before the first.
    answer: Option<Rc<QueryResult>>,
    nodes: Rc<Vec<String>>,
    rows: Rc<Vec<TracedRow>>,
    /// The row and the cell of each line.
    lines: Rc<Vec<(u32, u32)>>,
    /// The trace in the worker, once one has begun.
    job: Option<UseJob<TraceQuery>>,
    /// Whether the next slice is the first one of the trace.
    is_first: bool,
    /// Whether more slices follow.
    has_more: bool,
    error: Option<Error>,
    /// The widths that the user has changed.
    widths: [Option<f64>; 6],
    /// The line of the cursor, once it has been moved.
    line: Option<usize>,
}

/// Draws the cells.
#[function_component]
pub fn TracedSheet(props: &TracedSheetProps) -> Html {
    let traced = use_mut_ref(Traced::default);
    let redraw = use_force_update();
    let requests = Requests { traced: traced.clone(), redraw };
    if props.result.complete() && traced.borrow().answer.as_ref() != Some(&props.result) {
        requests.begin(props);
    }
    let says = &messages().results.traced;
    let traced = traced.borrow();
    let is_narrow = browser::matches(NARROW);
    let usual = if is_narrow { NARROW_WIDTHS } else { WIDTHS };
    let column = |at: usize| SheetColumn {
        name: cell_column(at).map_or(says.fate, |at| messages().results.columns[at]).into(),
        class: ["key mono", "fate", "family", "qualifier mono", "time num", "value mono"][at],
        width: traced.widths[at].unwrap_or(usual[at]),
        usual: usual[at],
        pinned: at == 0,
        menu: Vec::new(),
    };
    let cells = TracedCells {
        rows: traced.rows.clone(),
        lines: traced.lines.clone(),
        nodes: traced.nodes.clone(),
        keys: props.keys.clone(),
        columns: props.columns.clone(),
        types: props.types.clone(),
    };
    // A reason of many nodes is longer than its column.
    let of_cell = traced.line.filter(|line| *line < cells.lines()).map(|line| cells.whole_fate(line));
    let on_width = callback(&requests, move |requests, (at, width): (usize, f64)| {
        requests.traced.borrow_mut().widths[at] = Some(width);
        requests.redraw.force_update();
    });
    let dropped =
        traced.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.dropped_by.is_some()).count();
    let note = match &traced.error {
        Some(error) => error.message.clone(),
        None if traced.lines.len() >= CELLS_MAX => (says.cut)(traced.lines.len() as u64),
        None if traced.has_more => (says.so_far)(dropped as u64, traced.lines.len() as u64),
        None => (says.all)(dropped as u64, traced.lines.len() as u64),
    };
    let on_line = callback(&requests, move |requests, line: usize| {
        requests.traced.borrow_mut().line = Some(line);
        requests.redraw.force_update();
    });
    let on_end = Callback::from(move |()| requests.more());
    let line_rem = if is_narrow { TALL_LINE_REM } else { LINE_REM };
    html! {
        <>
            <p class="soft small" role="status">{ note }</p>
            <Sheet label={(says.sheet)(&thousands(traced.lines.len() as u64))} columns={(0..6).map(column).collect::<Vec<_>>()}
                cells={Cells(Rc::new(cells))} about={props.result.query()} {on_width} {on_end} {on_line} {line_rem} />
            if let Some(of_cell) = of_cell { <p class="fate-whole small" role="status" tabindex="0">{ of_cell }</p> }
        </>
    }
}

/// Requests slices.
#[derive(Clone)]
struct Requests {
    traced: Rc<RefCell<Traced>>,
    redraw: UseForceUpdateHandle,
}

impl Requests {
    /// Starts the trace of another answer. The lines of the earlier one stay until the first slice
    /// arrives.
    fn begin(&self, props: &TracedSheetProps) {
        let answer = &props.result;
        let Ok(query) = wire::decode::<Query>(&answer.query()) else { return };
        let mut traced = self.traced.borrow_mut();
        traced.answer = Some(answer.clone());
        traced.nodes = Rc::new(query.filter.as_ref().map(node_names).unwrap_or_default());
        traced.error = None;
        traced.line = None;
        (traced.is_first, traced.has_more) = (true, true);
        let this = self.clone();
        let job = traced
            .job
            .get_or_insert_with(|| props.jobs.use_job(Callback::from(move |event| this.take(event))));
        job.begin(&TraceRequest { index: props.design as u32, query, cells: true });
    }

    /// Requests the next slice, if there is space for it.
    fn more(&self) {
        let traced = self.traced.borrow();
        if let Some(job) = traced.job.as_ref().filter(|_| traced.lines.len() < CELLS_MAX) {
            job.next(());
        }
    }

    fn take(&self, event: JobEvent<TraceQuery>) {
        let mut traced = self.traced.borrow_mut();
        if let Some(answer) = traced.job.as_ref().and_then(|job| job.accept(event)) {
            traced.add(answer);
            drop(traced);
            self.redraw.force_update();
        }
    }
}

impl Traced {
    fn add(&mut self, answer: Result<TraceChunk, JobError>) {
        if std::mem::take(&mut self.is_first) {
            (self.rows, self.lines) = Default::default();
        }
        match answer {
            Err(error) => {
                self.has_more = false;
                self.error = Some(error.into_error());
            }
            Ok(chunk) => {
                self.has_more = !chunk.complete;
                let (rows, lines) = (Rc::make_mut(&mut self.rows), Rc::make_mut(&mut self.lines));
                for row in chunk.rows {
                    lines.extend((0..row.cells.len() as u32).map(|cell| (rows.len() as u32, cell)));
                    rows.push(row);
                }
            }
        }
    }
}

struct TracedCells {
    rows: Rc<Vec<TracedRow>>,
    lines: Rc<Vec<(u32, u32)>>,
    nodes: Rc<Vec<String>>,
    keys: Rc<StoredKeys>,
    columns: Rc<ResultColumns>,
    types: Option<Rc<ObjectTypes>>,
}

/// Returns the column of a list of cells that is at a position; `None` for the outcome of a cell.
fn cell_column(at: usize) -> Option<usize> {
    match at {
        0 => Some(0),
        FATE => None,
        at => Some(at - 1),
    }
}

impl TracedCells {
    fn line(&self, line: usize) -> (&TracedRow, &TracedCell) {
        let (row, cell) = self.lines[line];
        let row = &self.rows[row as usize];
        (row, &row.cells[cell as usize])
    }

    /// Returns the outcome of the cell of a line, with the names of its row and its column.
    fn whole_fate(&self, line: usize) -> String {
        let (row, traced) = self.line(line);
        (messages().results.traced.of_cell)(&escape(&row.key), &column_name(&traced.cell), &self.fate(traced))
    }

    /// Returns the outcome of a cell.
    fn fate(&self, cell: &TracedCell) -> String {
        let says = &messages().results.traced;
        match &cell.dropped_by {
            None => says.kept.into(),
            Some(nodes) if nodes.is_empty() => says.not_chosen.into(),
            Some(nodes) => {
                let name = |node: &u32| self.nodes.get(*node as usize).map_or("", String::as_str);
                (says.dropped_by)(&nodes.iter().map(name).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl SheetCells for TracedCells {
    fn lines(&self) -> usize {
        self.lines.len()
    }

    fn class(&self, line: usize) -> &'static str {
        match (self.lines[line].1 == 0, self.line(line).1.dropped_by.is_some()) {
            (true, true) => "begins dropped",
            (true, false) => "begins",
            (false, true) => "dropped",
            (false, false) => "",
        }
    }

    fn draw(&self, line: usize, columns: &[usize]) -> Vec<Html> {
        let (row, traced) = self.line(line);
        let cell = &traced.cell;
        let text = |text: String| html! { { text } };
        let part = |part: CellPart, bytes: &[u8], shown: String| match matches_of(traced, part) {
            ranges if ranges.is_empty() => text(shown),
            ranges => marked(bytes, &ranges),
        };
        let draw = |&column: &usize| match cell_column(column) {
            Some(0) => {
                let ranges = matches_of(traced, CellPart::Key);
                key_line(&self.keys.view(&row.key), &self.keys.colors, KeyForm::Text, &ranges)
            }
            Some(1) => part(CellPart::Family, cell.family.as_bytes(), cell.family.clone()),
            Some(2) => part(CellPart::Qualifier, &cell.qualifier, escape(&cell.qualifier)),
            Some(3) => text(short_time(cell.timestamp)),
            Some(_) => {
                match cell_preview(
                    cell,
                    decoding_of(&self.columns, cell),
                    self.types.as_deref(),
                    self.keys.values.as_ref(),
                ) {
                    (ValueKind::Empty, _) => {
                        html! { <span class="soft">{messages().results.kinds.empty}</span> }
                    }
                    (ValueKind::Text | ValueKind::Json, shown) => part(CellPart::Value, &cell.value, shown),
                    (_, shown) => text(shown),
                }
            }
            None => {
                let fate = self.fate(traced);
                html! { <span title={fate.clone()}>{ fate }</span> }
            }
        };
        columns.iter().map(draw).collect()
    }

    fn text(&self, line: usize, column: usize) -> String {
        let (row, traced) = self.line(line);
        match cell_column(column) {
            Some(column) => column_text(&row.key, Some(&traced.cell), column),
            None => self.fate(traced),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_of_a_cell_is_next_to_its_key() {
        assert_eq!(
            (0..6).map(cell_column).collect::<Vec<_>>(),
            [Some(0), None, Some(1), Some(2), Some(3), Some(4)]
        );
    }

    #[test]
    fn slices_add_up_until_an_error() {
        let cell = |name: &str| tabletop_model::Cell {
            family: "f".into(),
            qualifier: name.into(),
            timestamp: 0,
            value: "v".into(),
            label: None,
        };
        let row = |key: &str| TracedRow {
            key: key.into(),
            cells: vec![
                TracedCell { cell: cell("a"), dropped_by: None, matches: Vec::new() },
                TracedCell { cell: cell("b"), dropped_by: Some(vec![0]), matches: Vec::new() },
            ],
            ..TracedRow::default()
        };
        let chunk = |rows, complete| Ok(TraceChunk { nodes: Vec::new(), rows, complete });
        let mut traced = Traced { is_first: true, ..Traced::default() };
        traced.add(chunk(vec![row("x")], false));
        assert_eq!((traced.lines.len(), traced.has_more), (2, true));
        traced.add(chunk(vec![row("y")], true));
        assert_eq!((&*traced.lines, traced.has_more), (&vec![(0, 0), (0, 1), (1, 0), (1, 1)], false));
        traced.add(Err(JobError::Failed(Error::invalid("no"))));
        assert!(traced.error.is_some() && traced.lines.len() == 4);
        traced.is_first = true;
        traced.add(chunk(vec![row("z")], true));
        assert_eq!(traced.lines.len(), 2, "another trace begins");
    }
}
