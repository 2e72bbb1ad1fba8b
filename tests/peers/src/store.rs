//! What a store is asked to do, and the words for it.

/// What a person reads when the benchmark fails.
pub type Result<T> = std::result::Result<T, String>;

/// How an event becomes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One cell: family = type, qualifier = name, value = JSON of all facets.
    Narrow,
    /// A cell for each facet: family `e`, qualifier `type,name,facet`, value = JSON of its values.
    Wide,
}

/// An event as it is written.
#[derive(Clone, Debug)]
pub struct Row {
    /// `app,{uuid},{ISO time}`.
    pub key: Vec<u8>,
    /// Microseconds; all cells have it.
    pub time: i64,
    /// In the order of their columns.
    pub cells: Vec<Cell>,
}

/// A cell of it.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The column family.
    pub family: &'static str,
    /// The rest of the column's name.
    pub qualifier: Vec<u8>,
    /// JSON.
    pub value: Vec<u8>,
}

/// Which rows are read.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Every row.
    All,
    /// All whose key begins so.
    Prefix(&'a [u8]),
    /// The one of this key.
    One(&'a [u8]),
}

/// Takes what is read, in the order of keys and columns.
pub trait Visitor {
    /// A row begins.
    fn row(&mut self, key: &[u8]);
    /// A cell of it.
    fn cell(&mut self, family: &[u8], qualifier: &[u8], time: i64, value: &[u8]);
}

/// An open store with one table.
pub trait Store: Sized {
    /// A batch in the form that the store takes it in. Making it is not measured.
    type Batch;

    /// Brings rows into that form.
    fn batch(rows: &[Row]) -> Self::Batch;

    /// Writes a batch at once; when the store was opened so, it survives a crash afterwards.
    fn write(&mut self, batch: Self::Batch) -> Result<()>;

    /// Waits for compaction, or does it, until none is due.
    fn settle(&mut self) -> Result<()>;

    /// Reads rows; of each the cells whose qualifier ends with one of `facets`, or all when that is empty.
    fn read(&mut self, rows: Rows<'_>, facets: &[&str], visitor: &mut impl Visitor) -> Result<()>;
}
