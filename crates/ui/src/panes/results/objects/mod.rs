//! The rows of a read as objects: one object per line, and the data types, subtypes, versions and
//! fields of the one at the cursor.

mod schema;
mod tree;

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use tabletop_model::{Row, escape};
use tabletop_objects::{OBJECT_BYTES_MAX, Object, ObjectTypes};
use tabletop_texts::numbers::thousands;
use tabletop_texts::{Locale, locale, messages};
use yew::{Callback, Html, Properties, function_component, html, use_effect, use_force_update, use_mut_ref};

use super::chosen::ColumnEdits;
use super::key::key_line;
use super::line::short_time;
use super::sheet::{Cells, Sheet, SheetCells, SheetColumn};
use crate::kit::{Icon, icon};
use crate::page::state::{KeyForm, QueryResult, StoredKeys};
use schema::SchemaEditor;
use tabletop_views::results::{ReadTime, Summary};
use tree::Tree;

/// Columns: object, size, data types, values, newest; px.
const WIDTHS: [f64; COLUMNS] = [260.0, 120.0, 200.0, 80.0, 170.0];
const COLUMNS: usize = 5;

/// Properties of [`Objects`].
#[derive(Properties, PartialEq)]
pub struct ObjectsProps {
    /// The read and its rows so far.
    pub result: Rc<QueryResult>,
    /// The keys of the table.
    pub keys: Rc<StoredKeys>,
    /// What the values mean.
    pub types: Option<Rc<ObjectTypes>>,
    /// Changes what the values mean.
    pub edits: ColumnEdits,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

#[derive(Default)]
struct ObjectsLook {
    summary: Summary,
    /// The widths that the user has changed.
    widths: [Option<f64>; COLUMNS],
    /// The line of the cursor.
    line: usize,
    /// The query of the lines: the lines of another query begin at the top.
    about: Rc<Vec<u8>>,
}

/// Draws the objects.
#[function_component]
pub fn Objects(props: &ObjectsProps) -> Html {
    let look = use_mut_ref(ObjectsLook::default);
    let redraw = use_force_update();
    let counts_all = look.borrow_mut().follow(&props.result);
    use_effect({
        let redraw = redraw.clone();
        move || {
            let later = (!counts_all).then(|| Timeout::new(0, move || redraw.force_update()));
            move || drop(later)
        }
    });
    let change = |change: fn(&mut ObjectsLook, usize, f64)| {
        let (look, redraw) = (look.clone(), redraw.clone());
        move |at: usize, number: f64| {
            change(&mut look.borrow_mut(), at, number);
            redraw.force_update();
        }
    };
    let on_width = {
        let set = change(|look, at, width| look.widths[at] = Some(width));
        Callback::from(move |(at, width): (usize, f64)| set(at, width))
    };
    let on_line = {
        let set = change(|look, line, _| look.line = line);
        Callback::from(move |line: usize| set(line, 0.0))
    };
    let types = props.types.clone().unwrap_or_default();
    let says = &messages().objects;
    let rows = props.result.rows();
    let (columns, summary, families, line) = shown(&look);
    let cells = ObjectCells { result: props.result.clone(), keys: props.keys.clone() };
    html! {
        <>
            <SchemaEditor types={types.clone()} {families} edits={props.edits.clone()} />
            <p class="soft small" role="status">{ (says.summary)(summary.0, summary.1, summary.2, counts_all && props.result.complete()) }</p>
            { read_time(&props.result) }
            <div class="grid-and-details">
                <Sheet label={(says.sheet)(rows)} {columns} cells={Cells(Rc::new(cells))} about={props.result.query()} {on_width} {on_line} />
                if rows > 0 { <Tree result={props.result.clone()} row={line.min(rows - 1)} {types} /> }
            </div>
        </>
    }
}

impl ObjectsLook {
    /// Takes over the rows of a read. Returns whether all of them are counted.
    fn follow(&mut self, result: &Rc<QueryResult>) -> bool {
        if self.about != result.query() {
            self.about = result.query();
            self.line = 0;
        }
        self.summary.count(result)
    }
}

/// Returns the columns, the figures (objects, bytes of the largest, objects over the limit), the
/// families and the line of the cursor.
fn shown(look: &RefCell<ObjectsLook>) -> (Vec<SheetColumn>, (usize, u64, usize), Vec<String>, usize) {
    let look = look.borrow();
    let column = |at: usize| SheetColumn {
        name: messages().objects.columns[at].into(),
        class: ["key mono", "num", "mono", "num", "time num"][at],
        width: look.widths[at].unwrap_or(WIDTHS[at]),
        usual: WIDTHS[at],
        pinned: at == 0,
        menu: Vec::new(),
    };
    let Summary { rows, largest, over, families, .. } = &look.summary;
    ((0..COLUMNS).map(column).collect(), (*rows, *largest, *over), families.clone(), look.line)
}

/// Draws whether a read is as fast as reads of objects should be.
fn read_time(result: &QueryResult) -> Html {
    let Some(ReadTime { micros, is_kept }) = ReadTime::of(result) else { return html! {} };
    let (class, sign) =
        if is_kept { ("verdict met small", Icon::Check) } else { ("verdict missed small", Icon::Error) };
    html! { <p {class} role="status">{ icon(sign) }<span>{ (messages().objects.read_time)(micros, is_kept) }</span></p> }
}

struct ObjectCells {
    result: Rc<QueryResult>,
    keys: Rc<StoredKeys>,
}

/// Returns the text of a column of an object, except its key.
fn text_of(row: &Row, column: usize) -> String {
    match column {
        1 => (messages().objects.size)(Object::bytes_of(row)),
        2 => Object::of(row).data_types.iter().map(|of| of.family).collect::<Vec<_>>().join(", "),
        3 => thousands(row.cells.len() as u64),
        _ => row.cells.iter().map(|cell| cell.timestamp).max().map(short_time).unwrap_or_default(),
    }
}

impl SheetCells for ObjectCells {
    fn lines(&self) -> usize {
        self.result.rows()
    }

    fn class(&self, line: usize) -> &'static str {
        let is_over = self.result.row(line).is_some_and(|row| Object::bytes_of(row) > OBJECT_BYTES_MAX);
        if is_over { "begins object-over" } else { "begins" }
    }

    fn draw(&self, line: usize, columns: &[usize]) -> Vec<Html> {
        let Some(row) = self.result.row(line) else { return Vec::new() };
        let draw = |&column: &usize| match column {
            0 => key_line(&self.keys.view(&row.key), &self.keys.colors, KeyForm::Text, &[]),
            1 if Object::bytes_of(row) > OBJECT_BYTES_MAX => html! {
                <>{ icon(Icon::Warning) }{ text_of(row, 1) }{" "}<span class="small">{messages().objects.over}</span></>
            },
            column => html! { { text_of(row, column) } },
        };
        columns.iter().map(draw).collect()
    }

    fn text(&self, line: usize, column: usize) -> String {
        let Some(row) = self.result.row(line) else { return String::new() };
        if column == 0 { escape(&row.key) } else { text_of(row, column) }
    }
}
