//! The limits of an access pattern, by name.

use alloc::string::String;

use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_texts::query::Limits;
use tabletop_workspace::{Miss, QueryLimits};

/// A limited figure: its name, and access to its limit.
pub struct Limit {
    /// The name in the workspace.
    name: &'static str,
    label: fn(&Limits) -> &'static str,
    is_minimum: bool,
    place: Place,
}

/// Where a limit is kept.
enum Place {
    Whole(fn(&mut QueryLimits) -> &mut Option<u64>),
    Any(fn(&mut QueryLimits) -> &mut Option<f64>),
}

/// All limits, in the order of their fields.
pub const LIMITS: [Limit; 7] = [
    Limit {
        is_minimum: true,
        ..whole("rows_returned_min", |says| says.rows_returned, |limits| &mut limits.rows_returned_min)
    },
    Limit {
        place: Place::Any(|limits| &mut limits.rows_seen_per_row_max),
        name: "rows_seen_per_row_max",
        label: |says| says.rows_seen_per_row,
        is_minimum: false,
    },
    whole("cells_seen_max", |says| says.cells_seen, |limits| &mut limits.cells_seen_max),
    whole("bytes_read_max", |says| says.bytes_read, |limits| &mut limits.bytes_read_max),
    whole("blocks_max", |says| says.blocks, |limits| &mut limits.blocks_max),
    whole("tablets_max", |says| says.tablets, |limits| &mut limits.tablets_max),
    whole("ranges_max", |says| says.ranges, |limits| &mut limits.ranges_max),
];

const fn whole(
    name: &'static str,
    label: fn(&Limits) -> &'static str,
    place: fn(&mut QueryLimits) -> &mut Option<u64>,
) -> Limit {
    Limit { name, label, is_minimum: false, place: Place::Whole(place) }
}

impl Limit {
    /// Returns the displayed name.
    pub fn label(&self) -> String {
        let says = &messages().query.limits;
        let figure = (self.label)(says);
        if self.is_minimum { (says.at_least)(figure) } else { figure.into() }
    }

    /// Returns which numbers are allowed.
    pub fn number(&self) -> NumberKind {
        match self.place {
            Place::Whole(_) => NumberKind::Whole,
            Place::Any(_) => NumberKind::Any,
        }
    }

    /// Returns the limit; `None` if the figure is not limited.
    pub fn get(&self, limits: &QueryLimits) -> Option<f64> {
        let mut limits = limits.clone();
        match self.place {
            Place::Whole(place) => place(&mut limits).map(|limit| limit as f64),
            Place::Any(place) => *place(&mut limits),
        }
    }

    /// Changes the limit.
    pub fn set(&self, limits: &mut QueryLimits, value: Option<f64>) {
        match self.place {
            Place::Whole(place) => *place(limits) = value.map(|value| value as u64),
            Place::Any(place) => *place(limits) = value,
        }
    }
}

/// Returns the number of limits of an access pattern.
pub fn limit_count(limits: &QueryLimits) -> usize {
    LIMITS.iter().filter(|limit| limit.get(limits).is_some()).count()
}

/// Returns a violated limit with its figures.
pub fn miss_text(miss: &Miss) -> String {
    let says = &messages().query.limits;
    let limit = LIMITS.iter().find(|limit| limit.name == miss.limit);
    let figure = limit.map_or(&*miss.limit, |limit| (limit.label)(says));
    let write = if limit.is_some_and(|limit| limit.is_minimum) { says.too_few } else { says.too_many };
    write(figure, miss.measured, miss.allowed)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_violated_limit_is_described_in_the_words_of_the_page() {
        let limits = QueryLimits {
            rows_returned_min: Some(7),
            rows_seen_per_row_max: Some(1.5),
            ..QueryLimits::default()
        };
        let stats = tabletop_model::ReadStats { rows_seen: 4_000, rows_returned: 3, ..Default::default() };
        let said: Vec<String> = limits.misses(&stats, 1).iter().map(miss_text).collect();
        assert_eq!(
            said,
            ["Rows returned: 3, at least 7", "Rows seen per row returned: 1333.33, at most 1.50"]
        );
        // Each limit of a query has a field.
        let all = QueryLimits {
            rows_returned_min: Some(9),
            rows_seen_per_row_max: Some(0.0),
            cells_seen_max: Some(0),
            bytes_read_max: Some(0),
            blocks_max: Some(0),
            tablets_max: Some(0),
            ranges_max: Some(0),
        };
        let stats = tabletop_model::ReadStats {
            cells_seen: 1,
            bytes_read: 1,
            blocks_read: 1,
            tablets_touched: 1,
            rows_seen: 1,
            ..Default::default()
        };
        let misses = all.misses(&stats, 1);
        assert_eq!(misses.len(), LIMITS.len());
        assert!(
            misses
                .iter()
                .zip(&LIMITS)
                .all(|(miss, limit)| miss.limit == limit.name && limit.get(&all) == Some(miss.allowed))
        );
    }
}
