//! The two sides of a cut-over: which keys and events are salted.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::{Error, Result, escape};

use super::Template;
use super::bind::Values;
use super::cut_over::{CutOver, Side, cut_over_text};
use super::part::{Part, Transform};
use super::step::{Head, Step};
use crate::salt::salt_width;
use crate::time::TimeFormat;

impl Template {
    /// Returns the cut-over of the salt in milliseconds since 1970, if it has one.
    #[inline]
    pub fn cut_over(&self) -> Option<i64> {
        self.bound.salt.as_ref()?.cut_over.as_ref().map(|cut_over| cut_over.from)
    }

    /// Returns the field whose times are compared with the cut-over.
    pub fn cut_over_field(&self) -> Option<&str> {
        let cut_over = self.bound.salt.as_ref()?.cut_over.as_ref()?;
        Some(&self.fields[cut_over.time?].name)
    }

    /// Returns whether `key` is a row key from before the cut-over.
    #[inline]
    pub fn is_unsalted(&self, key: &[u8]) -> bool {
        self.cut_over().is_some() && self.leading_salt(key).is_none()
    }

    /// Returns whether these two row keys would be a single row without the salt: one of them is
    /// from before the cut-over.
    pub(crate) fn are_halves(&self, one: &[u8], other: &[u8]) -> bool {
        self.is_unsalted(one) != self.is_unsalted(other) && self.logical(one) == self.logical(other)
    }

    /// Returns the salt that `key` begins with, if it begins like a salted key.
    #[inline(never)]
    pub(super) fn leading_salt(&self, key: &[u8]) -> Option<u32> {
        let salt = self.bound.salt.as_ref()?;
        let (digits, separator) = key.get(..salt.bytes)?.split_at(salt_width(salt.buckets));
        let digit =
            |number: u32, digit: &u8| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'));
        let number = digits.iter().try_fold(0, digit)?;
        (separator.first().copied() == salt.separator && number < salt.buckets).then_some(number)
    }

    /// Returns whether an event is salted.
    #[inline(never)]
    pub(super) fn is_after(&self, cut_over: &CutOver, values: Values<'_, '_>) -> Result<bool> {
        let text = cut_over.time.and_then(values);
        let (Some(time), Some(text)) = (cut_over.time, text) else {
            let name = cut_over.time.map_or("a time", |time| self.fields[time].name.as_str());
            return Err(Error::invalid(format!(
                "This event has no value for {name}, so it is neither before nor after the cut-over of the salt: remove from={}.",
                cut_over_text(cut_over.from)
            )));
        };
        let micros = self.fields[time]
            .micros(text)
            .ok_or_else(|| self.unsuitable(0, cut_over.time, text, "it is not a time"))?;
        Ok(micros.div_euclid(1000) >= cut_over.from)
    }

    /// Refuses a key from before the cut-over that would be mistaken for a salted key.
    #[inline(never)]
    pub(super) fn check_unsalted(&self, key: &[u8]) -> Result<()> {
        match self.leading_salt(key) {
            None => Ok(()),
            Some(salt) => Err(Error::invalid(self.ambiguous(salt, &escape(key)))),
        }
    }

    #[cold]
    fn ambiguous(&self, salt: u32, key: &str) -> String {
        let mut prefix = Vec::new();
        self.push_salt_prefix(salt, &mut prefix);
        let shown: String = key.chars().take(40).collect();
        format!(
            "A key before the cut-over begins with {}, as the salted keys do ({shown}), so readers could not distinguish them: put \
             another character after the salt, or a letter before the fields.",
            escape(&prefix)
        )
    }

    /// Returns the problem of a cut-over before which no event could be written.
    #[inline(never)]
    pub(super) fn problem_of_cut_over(&self) -> Option<String> {
        let cut_over = self.bound.salt.as_ref()?.cut_over.as_ref()?;
        if cut_over.time.is_none() {
            return Some(
                "A cut-over divides the events by their time, and they have no field of kind time: correct the kind of one with the \
                 data, or remove from=."
                    .into(),
            );
        }
        let mut known = Vec::new();
        for (at, step) in self.bound.steps.iter().enumerate().skip(1) {
            match step {
                Step::Literal(text) if at == 1 => {
                    known.extend_from_slice(&text[self.salt_separator_bytes()..]);
                }
                Step::Literal(text) => known.extend_from_slice(text),
                Step::Field(field) => {
                    known.extend(field.of_time(cut_over.from - 1).unwrap_or_default());
                    break;
                }
                _ => break,
            }
        }
        self.leading_salt(&known).map(|salt| self.ambiguous(salt, &escape(&known)))
    }

    /// Returns the side of all events with times in `[from, until)`, in milliseconds since 1970;
    /// `None` if they are on both sides. Without a cut-over, all events are after it.
    pub(crate) fn side_of_times(&self, from: Option<i64>, until: Option<i64>) -> Option<Side> {
        let Some(cut_over) = self.cut_over() else { return Some(Side::After) };
        if from.is_some_and(|from| from >= cut_over) {
            return Some(Side::After);
        }
        until.is_some_and(|until| until <= cut_over).then_some(Side::Before)
    }

    /// Returns the side of a logical key; `None` if its time does not show it.
    pub(crate) fn side_of_key(&self, logical: &[u8]) -> Option<Side> {
        let Some(cut_over) = self.cut_over() else { return Some(Side::After) };
        let mut salted = Vec::new();
        self.push_salt_prefix(0, &mut salted);
        salted.extend_from_slice(logical);
        let name = self.cut_over_field()?;
        let borders = self.borders(&salted);
        (0..self.parts.len()).find_map(|at| match &self.parts[at] {
            Part::Field { name: field, .. } if field == name => {
                self.side_of_text(at, &salted[borders[at]?..borders[at + 1]?], cut_over)
            }
            _ => None,
        })
    }

    /// Returns the side of an event for which the part at `at` wrote the time as `text`.
    fn side_of_text(&self, at: usize, text: &[u8], cut_over: i64) -> Option<Side> {
        let Step::Field(step) = &self.bound.steps[at] else { return None };
        let mut text = text.to_vec();
        for transform in &step.tail {
            match transform {
                Transform::Reverse => text.reverse(),
                _ => return None,
            }
        }
        let order = match &step.head {
            Head::Time { format, .. } => {
                // The text is on one side only if the cut-over and the millisecond before it have
                // different texts. Example: with `date` and a cut-over at noon, both sides have the
                // text of that day.
                let (first, before) = (step.head_of_time(cut_over)?, step.head_of_time(cut_over - 1)?);
                let order = match text.cmp(&first) {
                    // Times from both sides have this text.
                    Ordering::Equal if first == before => return None,
                    Ordering::Equal => return Some(Side::After),
                    order => order,
                };
                if *format == TimeFormat::ReverseTime { order.reverse() } else { order }
            }
            Head::Text => {
                let index = self.bound.salt.as_ref()?.cut_over.as_ref()?.time?;
                let micros = self.fields[index].micros(core::str::from_utf8(&text).ok()?)?;
                micros.div_euclid(1000).cmp(&cut_over)
            }
            Head::Pad(_) => return None,
        };
        Some(if order.is_lt() { Side::Before } else { Side::After })
    }
}
