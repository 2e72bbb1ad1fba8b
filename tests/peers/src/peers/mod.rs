//! Other stores, used as their documentation recommends. They store keys and values, so a cell is
//! an entry. None of them compresses: two of them cannot.

mod fjall;
mod lmdb;
#[cfg(feature = "rocksdb")]
mod rocks;
mod sqlite;

pub use fjall::Fjall;
pub use lmdb::Lmdb;
#[cfg(feature = "rocksdb")]
pub use rocks::Rocks;
pub use sqlite::Sqlite;

use crate::entries::{Entries, entries, key};
use crate::{Columns, Rows, Versions, Visitor};

/// The keys of a read.
enum Keys {
    All,
    /// All keys with a prefix.
    Prefix(Vec<u8>),
    /// One key, which is known completely.
    One(Vec<u8>),
}

/// Returns the keys of these cells.
fn keys(rows: Rows<'_>, columns: Columns<'_>, versions: Versions) -> Keys {
    match (rows, columns) {
        (Rows::All, _) => Keys::All,
        (Rows::Prefix(prefix), _) => Keys::Prefix(prefix.to_vec()),
        (Rows::One(row), Columns::One(family, qualifier)) if versions == Versions::Newest => {
            Keys::One(key(row, family, qualifier, 0))
        }
        (Rows::One(row), _) => Keys::Prefix([row, &[0]].concat()),
    }
}

/// Returns the first key after all keys with `prefix`, which is not empty and does not end with
/// 0xff.
fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    *end.last_mut().expect("a prefix is not empty") += 1;
    end
}

/// Converts entries to cells, and finds the first cell of each row.
struct Cells<'a, V> {
    visitor: &'a mut V,
    columns: Columns<'a>,
    row: Vec<u8>,
    /// The number of cells of the row.
    cells: usize,
}

impl<'a, V: Visitor> Cells<'a, V> {
    fn new(columns: Columns<'a>, visitor: &'a mut V) -> Self {
        Cells { visitor, columns, row: Vec::new(), cells: 0 }
    }

    /// Receives an entry. Returns whether the read needs more of the row.
    #[inline]
    fn entry(&mut self, key: &[u8], value: &[u8]) -> bool {
        let length = self.row.len();
        let is_next = key.get(length) != Some(&0) || key[..length] != self.row;
        if is_next || length == 0 {
            let end = memchr::memchr(0, key).expect("a row key ends with 0");
            self.row.clear();
            self.row.extend_from_slice(&key[..end]);
            self.cells = 0;
            self.visitor.row(&key[..end]);
        }
        let (column, time) = key[self.row.len() + 1..].split_at(key.len() - self.row.len() - 9);
        let end = memchr::memchr(0, column).expect("a family ends with 0");
        let qualifier = &column[end + 1..column.len() - 1];
        let is_wanted = match self.columns {
            Columns::All | Columns::First(_) => true,
            Columns::One(family, wanted) => column[..end] == *family.as_bytes() && qualifier == wanted,
            Columns::Facets(facets) => {
                let ends = |facet: &&str| {
                    qualifier.strip_suffix(facet.as_bytes()).is_some_and(|rest| rest.ends_with(b","))
                };
                facets.is_empty() || facets.iter().any(ends)
            }
        };
        if is_wanted {
            let time = !i64::from_be_bytes(time.try_into().expect("8 bytes of time"));
            self.visitor.cell(&column[..end], qualifier, time, value);
            self.cells += 1;
        }
        !matches!(self.columns, Columns::First(limit) if self.cells >= limit)
    }
}
