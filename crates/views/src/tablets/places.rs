//! The positions of tablets on the strip.

use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{SortedMap, TableView, TabletId};

/// The figure that the width of a tablet shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Bytes stored.
    Bytes,
    /// Rows.
    Rows,
}

/// The minimum width at which a tablet is recognizable, px. A strip of many tablets is wider than
/// its pane and scrolls.
pub const WIDTH_MIN: f64 = 6.0;

/// The position of one tablet, px from the left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The left edge.
    pub x: f64,
    /// The tablet's width.
    pub width: f64,
}

/// Returns the positions of all tablets, next to each other and sized by `measure`, but none
/// narrower than [`WIDTH_MIN`]. They fill `width` times `zoom`, or more if there are too many.
pub fn places(table: &TableView, measure: Measure, width: f64, zoom: f64) -> Vec<Place> {
    let sizes: Vec<f64> = table
        .tablets
        .iter()
        .map(|tablet| match measure {
            Measure::Bytes => tablet.bytes as f64,
            Measure::Rows => tablet.rows as f64,
        })
        .collect();
    let width = (width * zoom).max(WIDTH_MIN * sizes.len() as f64);
    let mut x = 0.0;
    widths(&sizes, width)
        .into_iter()
        .map(|width| {
            let place = Place { x, width };
            x += width;
            place
        })
        .collect()
}

/// The part of the height that each tablet has, whatever its load.
const BASE: f64 = 0.55;

/// Returns the shares of the strip's height that tablets with these shares of the writes have. They
/// have a common base line; the busiest is as tall as the strip, unless the load is even.
pub fn heights(shares: &[f64]) -> Vec<f64> {
    // Slightly more than an even share does not make a tablet tall.
    let even = 2.0 / shares.len().max(1) as f64;
    let tallest = shares.iter().copied().fold(even, f64::max);
    let is_idle = shares.iter().all(|share| *share <= 0.0);
    shares.iter().map(|share| if is_idle { 1.0 } else { BASE + (1.0 - BASE) * share / tallest }).collect()
}

/// Divides `width` by size. Tablets that are too small get the minimum width, and the others share
/// the rest.
fn widths(sizes: &[f64], width: f64) -> Vec<f64> {
    let mut least = vec![false; sizes.len()];
    loop {
        let left = width - WIDTH_MIN * least.iter().filter(|&&least| least).count() as f64;
        let total: f64 = sizes.iter().zip(&least).filter(|(_, least)| !**least).map(|(size, _)| size).sum();
        let count = least.iter().filter(|&&least| !least).count() as f64;
        let share = |size: f64| if total > 0.0 { size / total * left } else { left / count };
        let mut changed = false;
        for (&size, least) in sizes.iter().zip(&mut least) {
            if !*least && share(size) < WIDTH_MIN {
                *least = true;
                changed = true;
            }
        }
        if !changed {
            return sizes
                .iter()
                .zip(&least)
                .map(|(&size, &least)| if least { WIDTH_MIN } else { share(size) })
                .collect();
        }
    }
}

/// Returns the positions from which tablets move. New tablets begin within the position of the
/// tablet that they were split from, in their final proportion. All others begin at their previous
/// position.
pub fn beginnings(table: &TableView, places: &[Place], drawn: &SortedMap<TabletId, Place>) -> Vec<Place> {
    let mut family_widths: SortedMap<TabletId, f64> = SortedMap::new();
    let origin = |at: usize| {
        let tablet = &table.tablets[at];
        if drawn.contains_key(&tablet.id) {
            Some(tablet.id)
        } else {
            tablet.parent.filter(|parent| drawn.contains_key(parent))
        }
    };
    for (at, place) in places.iter().enumerate() {
        if let Some(origin) = origin(at) {
            *family_widths.get_or_default(origin) += place.width;
        }
    }
    let mut taken: SortedMap<TabletId, f64> = SortedMap::new();
    places
        .iter()
        .enumerate()
        .map(|(at, place)| {
            let Some(origin) = origin(at) else { return *place };
            let from = drawn[&origin];
            let width = from.width * place.width / family_widths[&origin];
            let taken = taken.get_or_default(origin);
            let begin = Place { x: from.x + *taken, width };
            *taken += width;
            begin
        })
        .collect()
}

/// An upper estimate of the width of a line of text, px: 12 px in the widest of usual fonts, in
/// bold.
pub fn text_width(text: &str) -> f64 {
    let character = |c: char| match c {
        '%' => 12.5,
        'M' | '≤' => 12.0,
        '0'..='9' => 8.4,
        ' ' | '.' | ',' => 4.6,
        '/' => 5.0,
        _ => 8.6,
    };
    text.chars().map(character).sum()
}

/// The position of a hot tablet's mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Index of the tablet.
    pub at: usize,
    /// Left edge of the mark, px from the left of the strip.
    pub x: f64,
    /// Whether the words follow the icon.
    pub has_words: bool,
}

/// Width of the icon of a mark, px.
const MARK_ICON: f64 = 16.0;
/// The words of a mark begin here, px from its left.
pub const MARK_WORDS: f64 = 20.0;
/// Space after the words of a mark, px. In fonts whose characters have whole-pixel widths, the
/// words are longer than their estimate.
const MARK_END: f64 = 4.0;
/// Least distance of two marks, px.
const MARK_GAP: f64 = 4.0;

/// Positions for the marks of hot tablets: indexes, the busiest first, each with the width of its
/// words. A mark may be wider than its tablet, but never covers another mark: where the words do
/// not fit, only the icon is drawn, or no mark at all.
pub fn marks(places: &[Place], hot: &[(usize, f64)], total: f64) -> Vec<Mark> {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let mut found = Vec::new();
    for &(at, words) in hot {
        let place = places[at];
        let free = [MARK_WORDS + words + MARK_END, MARK_ICON].into_iter().find_map(|width| {
            let x = (place.x + place.width / 2.0 - width / 2.0).clamp(0.0, (total - width).max(0.0));
            let is_free =
                taken.iter().all(|&(start, end)| x + width + MARK_GAP <= start || end + MARK_GAP <= x);
            is_free.then_some((x, width))
        });
        if let Some((x, width)) = free {
            taken.push((x, x + width));
            found.push(Mark { at, x, has_words: width > MARK_ICON });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::TabletView;

    #[test]
    fn the_load_of_a_tablet_is_its_height() {
        let rounded = |shares: &[f64]| {
            heights(shares).iter().map(|height| (height * 100.0).round()).collect::<Vec<_>>()
        };
        assert_eq!(rounded(&[0.0, 0.0, 1.0]), [55.0, 55.0, 100.0]);
        assert_eq!(rounded(&[0.25; 4]), [78.0; 4], "an even load is half way up");
        assert_eq!(rounded(&[0.0; 3]), [100.0; 3], "an idle table has nothing to compare");
        assert_eq!(rounded(&[1.0]), [78.0]);
    }

    #[test]
    fn marks_of_hot_tablets_do_not_lie_over_each_other() {
        let places: Vec<Place> = (0..10).map(|at| Place { x: f64::from(at) * 30.0, width: 30.0 }).collect();
        let mark = |at, x, has_words| Mark { at, x, has_words };
        assert_eq!(
            marks(&places, &[(9, 60.0)], 300.0),
            [mark(9, 216.0, true)],
            "it may be wider than its tablet"
        );
        let far = marks(&places, &[(2, 60.0), (7, 60.0)], 300.0);
        assert_eq!(far, [mark(2, 33.0, true), mark(7, 183.0, true)]);
        let near = marks(&places, &[(2, 60.0), (3, 60.0), (4, 60.0)], 300.0);
        assert_eq!(
            near,
            [mark(2, 33.0, true), mark(4, 127.0, false)],
            "an icon, and nothing where there is no room for one"
        );
    }

    fn table(tablets: &[(u64, Option<u64>, u64)]) -> TableView {
        let tablet = |&(id, parent, bytes): &(u64, Option<u64>, u64)| TabletView {
            exact: true,
            id: TabletId(id),
            parent: parent.map(TabletId),
            start: Default::default(),
            end: Default::default(),
            rows: 1,
            cells: 1,
            bytes,
            memtable_bytes: 0,
            sstables: 0,
            reads: 0,
            writes: 0,
            reads_per_second: 0.0,
            writes_per_second: 0.0,
        };
        TableView { tablets: tablets.iter().map(tablet).collect(), ..TableView::default() }
    }

    fn widths_of(places: &[Place]) -> Vec<f64> {
        places.iter().map(|place| place.width.round()).collect()
    }

    #[test]
    fn widths_follow_sizes_and_fill_the_strip() {
        let places = places(&table(&[(1, None, 100), (2, None, 300)]), Measure::Bytes, 400.0, 1.0);
        assert_eq!(widths_of(&places), [100.0, 300.0]);
        assert_eq!(places[1].x, 100.0);
    }

    #[test]
    fn small_tablets_stay_visible_and_the_strip_stays_full() {
        let places =
            places(&table(&[(1, None, 1), (2, None, 0), (3, None, 10_000)]), Measure::Bytes, 400.0, 1.0);
        assert_eq!(widths_of(&places), [WIDTH_MIN, WIDTH_MIN, 400.0 - 2.0 * WIDTH_MIN]);
    }

    #[test]
    fn many_tablets_make_a_wider_strip_instead_of_merging() {
        let many: Vec<_> = (0..1_000).map(|id| (id, None, 5)).collect();
        let places = places(&table(&many), Measure::Bytes, 400.0, 1.0);
        assert_eq!(places.len(), 1_000);
        assert!(places.iter().all(|place| place.width >= WIDTH_MIN));
    }

    #[test]
    fn an_empty_table_shares_the_strip_evenly() {
        assert_eq!(
            widths_of(&places(&table(&[(1, None, 0), (2, None, 0)]), Measure::Bytes, 100.0, 1.0)),
            [50.0, 50.0]
        );
    }

    #[test]
    fn a_split_begins_within_its_parent() {
        let before = table(&[(1, None, 100), (2, None, 300)]);
        let drawn: SortedMap<_, _> = before
            .tablets
            .iter()
            .map(|tablet| tablet.id)
            .zip(places(&before, Measure::Bytes, 400.0, 1.0))
            .collect();
        let after = table(&[(1, None, 100), (3, Some(2), 100), (4, Some(2), 200)]);
        let begin = beginnings(&after, &places(&after, Measure::Bytes, 400.0, 1.0), &drawn);
        assert_eq!(
            begin,
            [
                Place { x: 0.0, width: 100.0 },
                Place { x: 100.0, width: 100.0 },
                Place { x: 200.0, width: 200.0 }
            ]
        );
    }

    #[test]
    fn a_half_that_keeps_its_identity_makes_room_for_the_other() {
        let drawn = SortedMap::from_iter([(TabletId(1), Place { x: 0.0, width: 400.0 })]);
        let after = table(&[(1, None, 100), (2, Some(1), 100)]);
        let begin = beginnings(&after, &places(&after, Measure::Bytes, 400.0, 1.0), &drawn);
        assert_eq!(begin, [Place { x: 0.0, width: 200.0 }, Place { x: 200.0, width: 200.0 }]);
    }
}
