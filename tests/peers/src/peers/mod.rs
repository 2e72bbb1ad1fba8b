//! Other stores, used as their documentation recommends. They store keys and values, so a cell is an entry.

mod fjall;
mod lmdb;
mod sqlite;

pub use fjall::Fjall;
pub use lmdb::Lmdb;
pub use sqlite::Sqlite;

use crate::entries::{Entries, entries};
use crate::{Rows, Visitor};

/// Returns the key prefix of these rows.
fn prefix(rows: Rows<'_>) -> Vec<u8> {
    match rows {
        Rows::All => Vec::new(),
        Rows::Prefix(prefix) => prefix.to_vec(),
        Rows::One(key) => [key, &[0]].concat(),
    }
}

/// Returns the first key after all keys with `prefix`, which does not end with 0xff.
fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    match end.last_mut() {
        Some(last) => *last += 1,
        None => end.push(0xff),
    }
    end
}

/// Converts entries to cells, and finds the first cell of each row.
struct Cells<'a, V> {
    visitor: &'a mut V,
    facets: &'a [&'a str],
    row: Vec<u8>,
}

impl<'a, V: Visitor> Cells<'a, V> {
    fn new(facets: &'a [&'a str], visitor: &'a mut V) -> Self {
        Cells { visitor, facets, row: Vec::new() }
    }

    #[inline]
    fn entry(&mut self, key: &[u8], value: &[u8]) {
        let length = self.row.len();
        let is_next = key.get(length) != Some(&0) || key[..length] != self.row;
        if is_next || length == 0 {
            let end = memchr::memchr(0, key).expect("a row key ends with 0");
            self.row.clear();
            self.row.extend_from_slice(&key[..end]);
            self.visitor.row(&key[..end]);
        }
        let (column, time) = key[self.row.len() + 1..].split_at(key.len() - self.row.len() - 9);
        let end = memchr::memchr(0, column).expect("a family ends with 0");
        let qualifier = &column[end + 1..column.len() - 1];
        let is_wanted = |facet: &&str| qualifier.strip_suffix(facet.as_bytes()).is_some_and(|rest| rest.ends_with(b","));
        if self.facets.is_empty() || self.facets.iter().any(is_wanted) {
            let time = !i64::from_be_bytes(time.try_into().expect("8 bytes of time"));
            self.visitor.cell(&column[..end], qualifier, time, value);
        }
    }
}
