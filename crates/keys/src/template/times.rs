//! Properties of a template that query plans need: the texts of a span of time, salts, widths.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{order::sorted, pattern::literal};

use super::Template;
use super::part::{Part, Transform};
use super::step::{FieldStep, Head, Step, Width, floor};
use crate::salt::salt_width;
use crate::time::TimeFormat;

/// A range of texts in byte order: the first text (`None` for no lower bound), and the end.
pub(crate) type TextRange = (Option<Vec<u8>>, Bound<Vec<u8>>);

/// The texts of a part for the times of a span.
pub(crate) enum TimeTexts {
    /// The part cannot write such times.
    None,
    /// At least one.
    Some {
        /// All texts, unless there are too many.
        several: Option<Vec<Vec<u8>>>,
        /// The bounds of the texts, if every text between them belongs to the span.
        range: Option<TextRange>,
        /// Whether only times in the span have these texts.
        exact: bool,
    },
}

/// How a part orders events by their time.
pub(crate) struct TimeOrder {
    /// Whether newer events sort first.
    pub descends: bool,
    /// Whether events of different milliseconds have different texts.
    pub is_exact: bool,
}

impl Template {
    /// Returns the buckets of the salt and the indices of the parts that it hashes (empty for the
    /// whole logical key).
    pub(crate) fn salt_parts(&self) -> Option<(u32, &[usize])> {
        self.bound.salt.as_ref().map(|salt| (salt.buckets, &salt.over[..]))
    }

    /// Returns the number of bytes between the salt and the logical key.
    pub fn salt_separator_bytes(&self) -> usize {
        self.bound.salt.as_ref().map_or(0, |salt| usize::from(salt.separator.is_some()))
    }

    /// Returns a regex of a salt and the character after it.
    pub(crate) fn salt_pattern(&self) -> String {
        let Some(salt) = &self.bound.salt else { return String::new() };
        let last = format!("{:01$}", salt.buckets - 1, salt_width(salt.buckets));
        // Numbers below the last one agree with its first digits, then have a lower digit, then any
        // digits. Example: for 368, these are 36[0-7], 3[0-5]. and [0-2]..
        let mut numbers = alloc::vec![last.clone()];
        for (at, digit) in last.char_indices().filter(|(_, digit)| *digit > '0') {
            let lower = char::from(digit as u8 - 1);
            numbers.push(format!("{}[0-{lower}]{}", &last[..at], "[0-9]".repeat(last.len() - at - 1)));
        }
        format!("(?:{}){}", numbers.join("|"), salt.separator.map_or(String::new(), |byte| literal(&[byte])))
    }

    /// Returns the number of bytes of every text of the part at `at`; `None` if they differ.
    pub fn fixed_width(&self, at: usize) -> Option<usize> {
        match self.bound.steps[at].width() {
            Width::Fixed(width) => Some(width),
            _ => None,
        }
    }

    /// Returns whether no text of the part at `at` begins with another one: all have the same number
    /// of bytes, or are padded numbers, which have a sign if they are negative.
    pub(crate) fn is_prefix_free(&self, at: usize) -> bool {
        let is_padded = |step: &FieldStep| matches!(step.head, Head::Pad(_)) && step.tail.is_empty();
        self.fixed_width(at).is_some()
            || matches!(&self.bound.steps[at], Step::Field(step) if is_padded(step))
    }

    /// Returns whether different values of the field have different texts in the part at `at`. A
    /// hash of 64 bits counts: the chance of a collision among ten million values is one in
    /// millions. A padded number counts, because different numbers differ.
    pub(crate) fn is_injective(&self, at: usize) -> bool {
        let Step::Field(step) = &self.bound.steps[at] else {
            return false;
        };
        let head = match &step.head {
            Head::Text | Head::Pad(_) => true,
            Head::Time { buckets, format } => {
                buckets.is_empty() && format.is_instant() && *format != TimeFormat::Seconds
            }
        };
        head && step
            .tail
            .iter()
            .all(|transform| matches!(transform, Transform::Reverse | Transform::Hash(16)))
    }

    /// Returns how the part at `at` orders events by the field `time`; `None` if it does not.
    pub(crate) fn time_order(&self, at: usize, time: &str) -> Option<TimeOrder> {
        let Part::Field { name, .. } = &self.parts[at] else { return None };
        let Step::Field(FieldStep { head: Head::Time { buckets, format }, tail, .. }) = &self.bound.steps[at]
        else {
            return None;
        };
        let is_exact = buckets.is_empty() && format.is_instant() && *format != TimeFormat::Seconds;
        let order = TimeOrder { descends: *format == TimeFormat::ReverseTime, is_exact };
        (name == time && tail.is_empty()).then_some(order)
    }

    /// Returns the texts of the part at `at` for times in `[from, until)`, in milliseconds since
    /// 1970: all of them if there are at most `texts_max`. `None` if the part does not write a time
    /// in a format.
    pub(crate) fn time_texts(
        &self,
        at: usize,
        from: Option<i64>,
        until: Option<i64>,
        texts_max: usize,
    ) -> Option<TimeTexts> {
        let Step::Field(step) = &self.bound.steps[at] else {
            return None;
        };
        let Head::Time { buckets, format } = &step.head else {
            return None;
        };
        let (first, last) = format.bounds();
        let low = from.map_or(first, |from| from.max(first));
        let high = until.map_or(last, |until| (until - 1).min(last));
        if low > high {
            return Some(TimeTexts::None);
            // The texts are exact if no time outside of the span has the same text as a time in it.
            // Example: with `date`, the span from 2019-05-28T12:00 is not exact, because 11:00 has
            // the same text.
        }
        let differs = |time: i64| step.of_time(time) != step.of_time(time - 1);
        let exact = from.is_none_or(|from| from <= first || differs(from))
            && until.is_none_or(|until| until > last || differs(until));
        let several = (from.is_some() && until.is_some())
            .then(|| each(step, buckets, *format, low, high, texts_max))
            .flatten();
        // Without a bound, or if the part cannot write the time at a bound, the texts extend to the
        // end.
        let text = |bound: Option<i64>, time: i64| bound.and_then(|_| step.of_time(time));
        let included = |text: Option<Vec<u8>>| text.map_or(Bound::Unbounded, Bound::Included);
        let range = step.tail.is_empty().then(|| match format {
            TimeFormat::ReverseTime => (text(until, high), included(text(from, low))),
            // An excluded end is the first text of another time, which is easier to read than the
            // last text before it.
            _ => match until.filter(|_| exact).and_then(|until| step.of_time(until)) {
                Some(end) => (text(from, low), Bound::Excluded(end)),
                None => (text(from, low), included(text(until, high))),
            },
        });
        Some(TimeTexts::Some { several, range, exact })
    }
}

/// Returns the different texts of the times from `low` to `high`; `None` if there are more than
/// `texts_max`.
fn each(
    step: &FieldStep,
    buckets: &[u32],
    format: TimeFormat,
    low: i64,
    high: i64,
    texts_max: usize,
) -> Option<Vec<Vec<u8>>> {
    let mut texts = Vec::new();
    let mut time = low;
    while time <= high {
        if texts.len() == texts_max {
            return None;
        }
        texts.extend(step.of_time(time));
        // Jump to the first time with another text: the end of the format's span, then rounded up
        // through the buckets. Example: after 2019-05-28 with `bucket(2d)`, the next candidate is
        // 2019-05-29, rounded up to the beginning of the next bucket.
        let next = format.next(floor(time, buckets));
        time = buckets.iter().rev().fold(next, |time, seconds| {
            let span = i64::from(*seconds) * 1000;
            -(-time).div_euclid(span) * span
        });
    }
    let mut texts = sorted(texts, Vec::cmp);
    texts.dedup();
    Some(texts)
}
