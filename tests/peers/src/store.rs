//! The interface of the stores.

/// The result of a step; the error is a human-readable message.
pub type Result<T> = std::result::Result<T, String>;

/// The layout that makes a row from an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One cell: family = type, qualifier = name, value = JSON of all facets.
    Narrow,
    /// One cell per facet: family `e`, qualifier `type,name,facet`, value = JSON of its values.
    Wide,
}

/// The versions of a cell that a table keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// All versions. An event is written only once.
    All,
    /// The newest version: this engine has a rule of one version, and the peers leave the time out
    /// of their keys.
    Newest,
}

/// How a store is opened.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The size of the store's own cache in bytes, if it has one.
    pub cache_bytes: u64,
    /// Whether a write survives a crash of the machine when it is answered.
    pub synced: bool,
    /// Whether other threads use the store, too (see [`Shared`]).
    pub shared: bool,
    /// What the table keeps.
    pub versions: Versions,
}

/// A row, or a part of its cells.
#[derive(Clone, Debug)]
pub struct Row {
    /// The row key. The key of an event is `app,{uuid},{ISO time}`.
    pub key: Vec<u8>,
    /// The timestamp of all cells, in microseconds.
    pub time: i64,
    /// The cells, sorted by column.
    pub cells: Vec<Cell>,
    /// What a write does with the row.
    pub change: Change,
}

/// What a write does with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Writes the cells.
    Put,
    /// Deletes the row, whose columns are the columns of the cells.
    Delete,
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

/// The cells of a read.
#[derive(Clone, Copy, Debug)]
pub enum Columns<'a> {
    /// Every cell.
    All,
    /// The cells whose qualifier ends with one of these facets.
    Facets(&'a [&'a str]),
    /// The newest cell of the column with this family and qualifier.
    One(&'static str, &'a [u8]),
    /// The first cells of each row.
    First(usize),
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
    /// A batch in the store's input format. Creating it is not measured.
    type Batch;

    /// Converts rows to a batch.
    fn batch(&self, rows: &[Row]) -> Self::Batch;

    /// Writes a batch. If the store was opened as synced, the batch then survives a crash.
    fn write(&mut self, batch: Self::Batch) -> Result<()>;

    /// Waits for compaction, or does it, until none is due.
    fn settle(&mut self) -> Result<()>;

    /// Reads cells of rows.
    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()>;

    /// Adds 1 to the number in a column of a table that keeps the newest version, and returns the
    /// sum. In a store without such an operation, this is a read and a write.
    fn increment(&mut self, row: &[u8], family: &'static str, qualifier: &[u8]) -> Result<u64> {
        let mut number = Number(0);
        self.read(Rows::One(row), Columns::One(family, qualifier), &mut number)?;
        let sum = number.0 + 1;
        let cell = Cell { family, qualifier: qualifier.into(), value: sum.to_be_bytes().into() };
        let batch = self.batch(&[Row { key: row.into(), time: 0, cells: vec![cell], change: Change::Put }]);
        self.write(batch)?;
        Ok(sum)
    }
}

/// A store that several threads can read at once.
pub trait Shared: Store + Send {
    /// Returns the same store, for another thread.
    fn another(&self) -> Result<Self>;
}

/// A visitor that keeps the number in the last cell.
struct Number(u64);

impl Visitor for Number {
    fn row(&mut self, _: &[u8]) {}

    fn cell(&mut self, _: &[u8], _: &[u8], _: i64, value: &[u8]) {
        self.0 = u64::from_be_bytes(value.try_into().expect("8 bytes of number"));
    }
}
