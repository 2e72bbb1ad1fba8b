//! The values of one field, counted.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_keys::{Field, FieldKind, is_placeholder};

/// From this correlation on, two numbers grow together. Among 50 unrelated pairs it occurs once in 50,000
/// cases, and among 15 pairs once in 60.
const CORRELATION_MIN: f64 = 0.55;

/// The values of one field in a sample of the events, in the order of the file.
pub(super) struct Column<'e> {
    pub field: &'e Field,
    /// One value per event; `None` if it is absent or a placeholder.
    pub texts: Vec<Option<&'e str>>,
    /// The same values, numbered by first appearance.
    pub ids: Vec<Option<u32>>,
    /// The number of values that are present.
    pub present: usize,
    /// The number of different values.
    pub distinct: usize,
    /// The number of runs of equal neighbours. A file that is sorted by the field has one run per
    /// value.
    pub runs: usize,
    /// The numbers that the values are, if nearly all of them are numbers.
    pub numbers: Option<Vec<f64>>,
    /// The number of neighbours that differ, and of those whose second is larger.
    pub steps: usize,
    pub ascents: usize,
}

impl<'e> Column<'e> {
    /// Takes one event in `step`.
    pub fn of(field: &'e Field, at: usize, events: &[Vec<Option<&'e str>>], step: usize) -> Column<'e> {
        let value = |event: &Vec<Option<&'e str>>| {
            event.get(at).copied().flatten().map(str::trim).filter(|text| !is_placeholder(text))
        };
        let texts: Vec<Option<&str>> = events.iter().step_by(step).map(value).collect();
        let mut known: BTreeMap<&str, u32> = BTreeMap::new();
        let ids: Vec<Option<u32>> = texts
            .iter()
            .map(|text| {
                let next = known.len() as u32;
                text.map(|text| *known.entry(text).or_insert(next))
            })
            .collect();
        let values: Vec<&str> = texts.iter().flatten().copied().collect();
        let numbers = match field.kind {
            FieldKind::Int | FieldKind::Float => {
                let numbers: Vec<f64> = values.iter().filter_map(|text| text.parse().ok()).collect();
                (numbers.len() * 100 >= values.len() * 99 && !numbers.is_empty()).then_some(numbers)
            }
            _ => None,
        };
        let (mut runs, mut steps, mut ascents) = (usize::from(!values.is_empty()), 0, 0);
        let in_order = |one: &str, other: &str| match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) if numbers.is_some() => one.total_cmp(&other),
            // T9 comes before T10.
            _ => one.len().cmp(&other.len()).then(one.cmp(other)),
        };
        for pair in values.windows(2) {
            if pair[0] != pair[1] {
                runs += 1;
                steps += 1;
                ascents += usize::from(in_order(pair[0], pair[1]) == Ordering::Less);
            }
        }
        Column {
            field,
            present: values.len(),
            distinct: known.len(),
            texts,
            ids,
            runs,
            numbers,
            steps,
            ascents,
        }
    }

    /// The values that are present.
    pub fn values(&self) -> impl Iterator<Item = &'e str> + '_ {
        self.texts.iter().flatten().copied()
    }

    /// The share of the values that satisfy a condition.
    pub fn share(&self, condition: impl Fn(&str) -> bool) -> f64 {
        self.values().filter(|text| condition(text)).count() as f64 / self.present.max(1) as f64
    }

    /// The mean of a figure of the values.
    pub fn mean(&self, figure: impl Fn(&str) -> usize) -> f64 {
        self.values().map(figure).sum::<usize>() as f64 / self.present.max(1) as f64
    }

    /// Events per value.
    pub fn repetition(&self) -> f64 {
        self.present as f64 / self.distinct.max(1) as f64
    }

    /// Whether nearly all values occur once.
    pub fn is_unique(&self) -> bool {
        self.distinct * 100 >= self.present * 99 && self.present > 1
    }

    /// Whether values change in one direction from event to event.
    pub fn is_monotonic(&self) -> bool {
        let ascents = self.ascents.max(self.steps - self.ascents);
        self.steps >= 8 && ascents * 100 >= self.steps * 99
    }

    /// Whether values change in one direction only.
    pub fn is_sorted(&self) -> bool {
        self.ascents == 0 || self.ascents == self.steps
    }

    /// Whether values occur several times each, and nearly all of them about equally often. The first
    /// line of an order occurs more often than the tenth.
    pub fn is_even(&self) -> bool {
        let mut counts = alloc::vec![0_usize; self.distinct];
        self.ids.iter().flatten().for_each(|id| counts[*id as usize] += 1);
        let usual = counts.iter().filter(|count| (**count * 2) as f64 >= self.repetition()).count();
        self.repetition() >= 5.0 && usual * 10 >= self.distinct * 9
    }

    /// Whether all numbers are whole, though some are written as 5.0.
    pub fn is_whole(&self) -> bool {
        self.values().all(|text| text.strip_suffix(".0").unwrap_or(text).parse::<i64>().is_ok())
    }

    /// Whether texts have the same letters before their digits, as in `ORD-00017`.
    pub fn is_numbered(&self) -> bool {
        let front = |text: &'e str| text.trim_end_matches(|c: char| c.is_ascii_digit());
        let first = self.values().next().map(front);
        self.values().all(|text| Some(front(text)) == first)
    }

    /// Whether the numbers rise from event to event of each value of another field.
    pub fn rises_within(&self, other: &Column) -> bool {
        let numbers = self.texts.iter().map(|text| text.and_then(|text| text.parse::<f64>().ok()));
        other.is_ordered_by(numbers, |before, after| before < after)
    }

    /// Whether the numbers rise by the same step within each value of another field, as a number of
    /// lines does.
    pub fn counts_within(&self, other: &Column) -> bool {
        let number = |text: &Option<&str>| text.and_then(|text| text.parse::<f64>().ok());
        let mut steps: BTreeMap<u64, usize> = BTreeMap::new();
        for (pair, groups) in self.texts.windows(2).zip(other.ids.windows(2)) {
            if let (true, Some(one), Some(next)) =
                (groups[0] == groups[1], number(&pair[0]), number(&pair[1]))
            {
                *steps.entry((next - one).to_bits()).or_default() += 1;
            }
        }
        let all: usize = steps.values().sum();
        steps.values().max().is_some_and(|most| most * 10 >= all * 9)
    }

    /// Whether nearly all neighbours among the events of each value are in this order.
    pub fn is_ordered_by<T: Copy>(
        &self,
        figures: impl Iterator<Item = Option<T>>,
        in_order: impl Fn(T, T) -> bool,
    ) -> bool {
        let mut last: Vec<Option<T>> = alloc::vec![None; self.distinct];
        let (mut right, mut steps) = (0, 0);
        for (figure, group) in figures.zip(&self.ids) {
            let (Some(figure), Some(group)) = (figure, group) else { continue };
            if let Some(before) = last[*group as usize].replace(figure) {
                steps += 1;
                right += usize::from(in_order(before, figure));
            }
        }
        steps >= 30 && right * 100 >= steps * 97
    }

    /// Whether equal values are neighbours, as in a file that lists one entity after the other.
    pub fn is_grouped(&self) -> bool {
        self.distinct >= 2 && self.runs == self.distinct && self.repetition() >= 3.0
    }

    /// Whether each value of this field goes with one value of `other`, which groups the values: a
    /// device has one site. With less than 3 events per value, or 2 values for each of the other's,
    /// that could be chance.
    pub fn determines(&self, other: &Column) -> bool {
        let groups = other.distinct >= 2 && other.distinct * 2 <= self.distinct;
        groups && self.repetition() >= 3.0 && self.implies(other) && self.divides(other)
    }

    /// Whether several values of this field go with one value of `other`, for two values of it or
    /// more.
    pub fn is_divided_by(&self, other: &Column) -> bool {
        let pairs: BTreeSet<(u32, u32)> =
            other.ids.iter().zip(&self.ids).filter_map(|(other, one)| Some(((*other)?, (*one)?))).collect();
        let mut values = alloc::vec![0_usize; other.distinct];
        pairs.iter().for_each(|(other, _)| values[*other as usize] += 1);
        values.iter().filter(|count| **count > 1).count() > 1
    }

    /// Whether large numbers of one field go with large numbers of the other, by their correlation, but
    /// not in the same order throughout. Machines that are numbered site by site are in that order, and
    /// their numbers are identifiers.
    pub fn grows_with(&self, other: &Column) -> bool {
        let number = |text: &Option<&str>| text.and_then(|text| text.parse::<f64>().ok());
        let both = self.texts.iter().zip(&other.texts);
        let mut known: Vec<(f64, f64)> = both.filter_map(|(a, b)| Some((number(a)?, number(b)?))).collect();
        known.sort_by(|one, next| one.0.total_cmp(&next.0).then(one.1.total_cmp(&next.1)));
        known.dedup();
        let falls = known.windows(2).filter(|pair| pair[1].1 < pair[0].1).count();
        if falls * 100 <= known.len() * 3 {
            return false;
        }
        let pairs = || known.iter().copied();
        let count = pairs().count() as f64;
        let sums = pairs().fold((0.0, 0.0), |(one, two), (a, b)| (one + a, two + b));
        let means = (sums.0 / count, sums.1 / count);
        let (one, two, both) = pairs().fold((0.0, 0.0, 0.0), |(one, two, both), (a, b)| {
            let (a, b) = (a - means.0, b - means.1);
            (one + a * a, two + b * b, both + a * b)
        });
        // Squares are compared, because `core` has no square root.
        both > 0.0 && both * both >= CORRELATION_MIN * CORRELATION_MIN * one * two
    }

    /// Whether equal values are neighbours, and time advances among them and begins again with the
    /// next value.
    pub fn begins_again(&self, instants: &[Option<i64>]) -> bool {
        let (mut within, mut later, mut changes, mut earlier) = (0, 0, 0, 0);
        for (ids, times) in self.ids.windows(2).zip(instants.windows(2)) {
            let (Some(one), Some(next)) = (times[0], times[1]) else { continue };
            if ids[0] == ids[1] {
                within += 1;
                later += usize::from(one <= next);
            } else {
                changes += 1;
                earlier += usize::from(next < one);
            }
        }
        self.distinct >= 2
            && changes > 0
            && within >= changes * 5
            && later * 100 >= within * 97
            && earlier * 10 >= changes * 9
    }

    /// Whether `other` differs among the events that have a value of this field. What nearly all of
    /// them have depends on nothing.
    fn divides(&self, other: &Column) -> bool {
        let mut counts = alloc::vec![0_usize; other.distinct];
        let both = self.ids.iter().zip(&other.ids).filter(|(one, _)| one.is_some());
        both.filter_map(|(_, other)| *other).for_each(|other| counts[other as usize] += 1);
        let all: usize = counts.iter().sum();
        counts.iter().max().is_some_and(|most| most * 20 <= all * 19)
    }

    /// Whether each value of this field goes with one value of `other` in nearly all events.
    pub fn implies(&self, other: &Column) -> bool {
        self.counted(other).is_some_and(|(agree, all)| all > 0 && agree * 1_000 >= all * 995)
    }

    /// Counts the events whose value of `other` is the first one that their value of this field went
    /// with, and all events that have both.
    fn counted(&self, other: &Column) -> Option<(usize, usize)> {
        let mut first: Vec<Option<u32>> = alloc::vec![None; self.distinct];
        let (mut agree, mut all) = (0, 0);
        for (one, other) in self.ids.iter().zip(&other.ids) {
            let (Some(one), Some(other)) = (one, other) else { continue };
            let expected = first.get_mut(*one as usize)?.get_or_insert(*other);
            agree += usize::from(expected == other);
            all += 1;
            // For most pairs of fields, the first events suffice to rule a dependency out.
            if all - agree > 20 + all / 100 {
                return None;
            }
        }
        Some((agree, all))
    }
}
