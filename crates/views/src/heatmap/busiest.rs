//! The busiest key ranges as a list, for users who do not see the picture.

use alloc::vec::Vec;

use super::matrix::{HeatMatrix, Shown};

/// A bucket and its figures up to a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Busy {
    /// The bucket.
    pub bucket: usize,
    /// The mean of its values over all seconds.
    pub mean: f32,
    /// The largest value.
    pub largest: f32,
    /// The largest value of one of its rows.
    pub row: f32,
    /// The first second of the column with the largest value.
    pub second: u32,
}

/// Returns the buckets with the largest values in columns that begin before `until`, the largest
/// first. Buckets without a value are left out.
pub fn busiest(matrix: &HeatMatrix, until: f64, count: usize) -> Vec<Busy> {
    let of = |bucket: usize| {
        let mut busy = Busy { bucket, mean: 0.0, largest: 0.0, row: 0.0, second: 0 };
        let (mut sum, mut seconds) = (0.0, 0.0);
        for column in matrix.columns().iter().take_while(|column| f64::from(column.seconds().start) < until) {
            let (value, length) = (column.value(bucket, Shown::Mean), column.seconds().len() as f64);
            sum += f64::from(value) * length;
            seconds += length;
            if value > busy.largest {
                (busy.largest, busy.second) = (value, column.seconds().start);
            }
            busy.row = busy.row.max(column.value(bucket, Shown::BusiestRow));
        }
        busy.mean = if seconds > 0.0 { (sum / seconds) as f32 } else { 0.0 };
        busy
    };
    let mut all: Vec<Busy> =
        (0..matrix.buckets()).map(of).filter(|busy| busy.largest > 0.0 || busy.row > 0.0).collect();
    all.sort_by(|one, other| other.largest.total_cmp(&one.largest).then(one.bucket.cmp(&other.bucket)));
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heatmap::matrix::tests::matrix;

    #[test]
    fn the_largest_values_come_first() {
        let matrix =
            matrix(&["", "b", "c", "d"], &[(0, 3, &[0.0, 4.0, 1.0, 0.0]), (3, 1, &[0.0, 8.0, 9.0, 0.0])]);
        let found = busiest(&matrix, 4.0, 10);
        assert_eq!(found[0], Busy { bucket: 2, mean: 3.0, largest: 9.0, row: 18.0, second: 3 });
        assert_eq!(found[1], Busy { bucket: 1, mean: 5.0, largest: 8.0, row: 16.0, second: 3 });
        assert_eq!(found.len(), 2, "buckets without requests are left out");
        assert_eq!(
            busiest(&matrix, 3.0, 1),
            [Busy { bucket: 1, mean: 4.0, largest: 4.0, row: 8.0, second: 0 }]
        );
        assert!(busiest(&matrix, 0.0, 10).is_empty(), "nothing has happened yet");
    }
}
