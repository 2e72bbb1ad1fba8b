//! The interface of the stores.

/// The result of a step; the error is a message for people.
pub type Result<T> = std::result::Result<T, String>;

/// The layout that makes a row from an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One cell: family = type, qualifier = name, value = JSON of all facets.
    Narrow,
    /// One cell per facet: family `e`, qualifier `type,name,facet`, value = JSON of its values.
    Wide,
}

/// The row of an event.
#[derive(Clone, Debug)]
pub struct Row {
    /// `app,{uuid},{ISO time}`.
    pub key: Vec<u8>,
    /// The timestamp of all cells, in microseconds.
    pub time: i64,
    /// Sorted by column.
    pub cells: Vec<Cell>,
}

/// A cell of a row.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The column family.
    pub family: &'static str,
    /// The rest of the column's name.
    pub qualifier: Vec<u8>,
    /// The value, as JSON.
    pub value: Vec<u8>,
}

/// The rows of a read.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Every row.
    All,
    /// The rows whose keys have this prefix.
    Prefix(&'a [u8]),
    /// The row with this key.
    One(&'a [u8]),
}

/// A receiver of rows and cells, in the order of keys and columns.
pub trait Visitor {
    /// Receives the key of a new row.
    fn row(&mut self, key: &[u8]);
    /// Receives a cell of the row.
    fn cell(&mut self, family: &[u8], qualifier: &[u8], time: i64, value: &[u8]);
}

/// An open store with one table.
pub trait Store: Sized {
    /// A batch in the store's input format. Making it is not measured.
    type Batch;

    /// Converts rows to a batch.
    fn batch(rows: &[Row]) -> Self::Batch;

    /// Writes a batch. If the store was opened as synced, the batch then survives a crash.
    fn write(&mut self, batch: Self::Batch) -> Result<()>;

    /// Waits for compaction, or does it, until none is due.
    fn settle(&mut self) -> Result<()>;

    /// Reads the cells of rows whose qualifier ends with one of `facets`, or all cells if `facets` is empty.
    fn read(&mut self, rows: Rows<'_>, facets: &[&str], visitor: &mut impl Visitor) -> Result<()>;
}
