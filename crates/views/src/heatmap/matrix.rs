//! The data of a heatmap: what the worker sends in pieces, as one matrix of columns of time and
//! buckets of keys.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::RowKey;
use tabletop_protocol::{HeatColumn, HeatColumns, HeatMetric};

/// The value that a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// The value of the bucket.
    #[default]
    Mean,
    /// The value of the busiest row in the bucket, in any one second.
    BusiestRow,
}

/// A heatmap of one metric. A clone is cheap: columns are shared.
#[derive(Clone, Debug, Default)]
pub struct HeatMatrix {
    revision: u32,
    metric: HeatMetric,
    starts: Rc<[RowKey]>,
    columns: Vec<Rc<Column>>,
}

/// A column with its largest values.
#[derive(Debug, Default)]
pub struct Column {
    data: HeatColumn,
    /// The largest of `values` and of `most`.
    largest: (f32, f32),
}

impl HeatMatrix {
    /// Returns the matrix extended by what the worker has sent: the first `keep` columns stay, and
    /// the new ones follow.
    pub fn extend(mut self, more: HeatColumns) -> HeatMatrix {
        self.columns.truncate(more.keep as usize);
        if more.keep == 0 {
            self.starts = more.starts.into();
        }
        (self.revision, self.metric) = (more.revision, more.metric);
        self.columns.extend(more.columns.into_iter().map(|data| Rc::new(Column::new(data))));
        self
    }

    /// What the page sends when it requests the next columns
    /// ([`tabletop_protocol::SimulationHave::heat`]); 0 for an empty matrix.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// The metric of the cells.
    pub fn metric(&self) -> HeatMetric {
        self.metric
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.starts.len()
    }

    /// The first key of each bucket.
    pub fn starts(&self) -> &[RowKey] {
        &self.starts
    }

    /// The first keys, shared: they stay the same as long as columns are added.
    pub fn starts_shared(&self) -> Rc<[RowKey]> {
        self.starts.clone()
    }

    /// The columns, from the first second on.
    pub fn columns(&self) -> &[Rc<Column>] {
        &self.columns
    }

    /// Returns whether there is a cell to draw.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty() || self.columns.is_empty()
    }

    /// The second at which the last column ends.
    pub fn seconds(&self) -> u32 {
        self.columns.last().map_or(0, |column| column.seconds().end)
    }

    /// The keys of a range of buckets: the first key, and the end key, which is empty at the end of
    /// the table.
    pub fn keys(&self, buckets: Range<usize>) -> (RowKey, RowKey) {
        let at = |bucket: usize| self.starts.get(bucket).cloned().unwrap_or_default();
        (at(buckets.start), at(buckets.end))
    }

    /// The number of buckets that begin before a key: the position of a border between tablets, in
    /// buckets from the top.
    pub fn border(&self, key: &[u8]) -> usize {
        self.starts.partition_point(|start| &start[..] < key)
    }

    /// The column that contains a second; the last one for a later second. `None` without columns.
    pub fn column_at(&self, second: u32) -> Option<usize> {
        let after = self.columns.partition_point(|column| column.data.second <= second);
        (!self.columns.is_empty()).then(|| after.saturating_sub(1))
    }

    /// The largest value of all cells.
    pub fn largest(&self, shown: Shown) -> f32 {
        self.columns.iter().map(|column| column.largest(shown)).fold(0.0, f32::max)
    }
}

/// Two matrices are the same when their columns are the same in memory: comparing their cells would
/// cost more than drawing them.
impl PartialEq for HeatMatrix {
    fn eq(&self, other: &HeatMatrix) -> bool {
        self.revision == other.revision
            && self.metric == other.metric
            && Rc::ptr_eq(&self.starts, &other.starts)
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(|(one, other)| Rc::ptr_eq(one, other))
    }
}

impl Eq for HeatMatrix {}

impl Column {
    fn new(data: HeatColumn) -> Column {
        let largest = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
        Column { largest: (largest(&data.values), largest(&data.most)), data }
    }

    /// Returns the seconds that the column covers.
    pub fn seconds(&self) -> Range<u32> {
        self.data.second..self.data.second.saturating_add(self.data.seconds.max(1))
    }

    /// The values of its buckets.
    pub fn values(&self, shown: Shown) -> &[f32] {
        match shown {
            Shown::Mean => &self.data.values,
            Shown::BusiestRow => &self.data.most,
        }
    }

    /// The value of a bucket; 0 if it has none.
    pub fn value(&self, bucket: usize, shown: Shown) -> f32 {
        self.values(shown).get(bucket).copied().unwrap_or(0.0)
    }

    /// The largest value of its buckets.
    pub fn largest(&self, shown: Shown) -> f32 {
        match shown {
            Shown::Mean => self.largest.0,
            Shown::BusiestRow => self.largest.1,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use alloc::vec;

    use super::*;

    /// Returns a matrix with a bucket for each key, and columns of (first second, seconds, values).
    /// The busiest row has twice the value.
    pub fn matrix(starts: &[&str], columns: &[(u32, u32, &[f32])]) -> HeatMatrix {
        let starts = starts.iter().map(|start| RowKey::from(*start)).collect();
        let columns =
            columns.iter().map(|&(second, seconds, values)| column(second, seconds, values)).collect();
        HeatMatrix::default().extend(HeatColumns {
            revision: 1,
            keep: 0,
            starts,
            metric: HeatMetric::Requests,
            columns,
        })
    }

    fn column(second: u32, seconds: u32, values: &[f32]) -> HeatColumn {
        HeatColumn {
            second,
            seconds,
            values: values.to_vec(),
            most: values.iter().map(|value| value * 2.0).collect(),
        }
    }

    #[test]
    fn columns_that_were_merged_take_the_place_of_those_that_were_not() {
        let whole = matrix(&["", "m"], &[(0, 1, &[1.0, 2.0]), (1, 1, &[3.0, 9.0]), (2, 1, &[5.0, 6.0])]);
        assert_eq!((whole.largest(Shown::Mean), whole.largest(Shown::BusiestRow)), (9.0, 18.0));
        let more = HeatColumns {
            revision: 7,
            keep: 1,
            columns: vec![column(1, 2, &[4.0, 7.5])],
            ..HeatColumns::default()
        };
        let merged = whole.clone().extend(more);
        assert_eq!(
            (merged.revision(), merged.seconds(), merged.columns().len(), merged.buckets()),
            (7, 3, 2, 2)
        );
        assert_eq!(merged.largest(Shown::Mean), 7.5, "of the columns that are there");
        assert!(Rc::ptr_eq(&whole.columns()[0], &merged.columns()[0]), "what stays is not copied");
        assert!(whole != merged && whole == whole.clone());
    }

    #[test]
    fn a_cell_is_found_by_its_time_and_its_key() {
        let matrix = matrix(&["", "g", "m"], &[(0, 4, &[0.0; 3]), (4, 1, &[0.0; 3])]);
        assert_eq!(
            [0, 3, 4, 99].map(|second| matrix.column_at(second)),
            [Some(0), Some(0), Some(1), Some(1)]
        );
        assert_eq!(
            ["", "a", "g", "ga", "m", "z"].map(|key| matrix.border(key.as_bytes())),
            [0, 1, 1, 2, 2, 3]
        );
        assert_eq!(matrix.keys(1..3), ("g".into(), "".into()));
        assert_eq!(HeatMatrix::default().column_at(0), None);
        assert_eq!(matrix.columns()[0].value(9, Shown::Mean), 0.0, "a bucket that is not there has no value");
    }
}
