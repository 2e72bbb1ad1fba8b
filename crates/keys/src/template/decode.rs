//! Decodes keys: the bytes of each part, and the values in them.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::RowKey;

use super::Template;
use super::key_view::{KeySpan, KeyView};
use super::part::{Part, Transform};
use super::step::{Head, Step, Width};
use crate::time::{self, TimeFormat};

impl Template {
    /// Returns the key without its salt, as the same template without the salt would write it.
    pub fn logical<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        let skip = self.bound.salt.as_ref().filter(|_| !self.is_unsalted(key)).map_or(0, |salt| salt.bytes);
        &key[skip.min(key.len())..]
    }

    /// Returns the salt at the beginning of `key`, if it is written as in a stored key and followed
    /// by more bytes.
    pub fn salt_of_stored(&self, key: &[u8]) -> Option<u32> {
        let salt = self.bound.salt.as_ref()?;
        self.leading_salt(key).filter(|_| salt.separator.is_some() && key.len() > salt.bytes)
    }

    /// Returns the key with the bytes of each part, where there is only one way to split it. If a
    /// value contains the separator that follows it, its borders are ambiguous and left out.
    pub fn key_view(&self, key: &[u8]) -> KeyView {
        let borders = self.borders(key);
        let spans = borders.windows(2).enumerate().filter_map(|(part, ends)| {
            let (start, end) = (ends[0]? as u32, ends[1]? as u32);
            Some(KeySpan { part: part as u32, start, end })
        });
        KeyView { key: RowKey::from(key), spans: spans.collect() }
    }

    /// Returns the fields and their texts for all parts that contain the value: plain, reversed or
    /// padded values, and times that name an instant (as ISO 8601). A hash, a bucket or a Z-order
    /// contains no value.
    pub fn decode(&self, key: &[u8]) -> Vec<(String, String)> {
        let borders = self.borders(key);
        let mut values: Vec<(String, String)> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let (Part::Field { name, .. }, Some(start), Some(end)) = (part, borders[at], borders[at + 1])
            else {
                continue;
            };
            if let Some(text) = self.value_of(at, &key[start..end])
                && values.iter().all(|(known, _)| known != name)
            {
                values.push((name.clone(), text));
            }
        }
        values
    }

    /// Returns the point of the key's Z-order: the middle of its cell.
    pub fn point(&self, key: &[u8]) -> Option<(f64, f64)> {
        let (at, zorder) = self.zorder()?;
        zorder.read(self.bytes_of(at, key)?)
    }

    /// Returns the bytes of a part in a key; `None` if there are several ways to split the key.
    pub(crate) fn bytes_of<'k>(&self, part: usize, key: &'k [u8]) -> Option<&'k [u8]> {
        let borders = self.borders(key);
        key.get(borders[part]?..borders[part + 1]?)
    }

    /// Returns whether the bytes of a part determine its value.
    pub(super) fn has_value(&self, at: usize) -> bool {
        let Step::Field(step) = &self.bound.steps[at] else { return false };
        let is_whole = match &step.head {
            Head::Text | Head::Pad(_) => true,
            Head::Time { buckets, format } => {
                buckets.is_empty() && format.is_instant() && *format != TimeFormat::Seconds
            }
        };
        is_whole && step.tail.iter().all(|transform| matches!(transform, Transform::Reverse))
    }

    /// Returns the text of the value that the part at `at` wrote as `bytes`; `None` if the bytes do
    /// not determine it.
    fn value_of(&self, at: usize, bytes: &[u8]) -> Option<String> {
        let Step::Field(step) = self.bound.steps.get(at).filter(|_| self.has_value(at))? else {
            return None;
        };
        let mut text = String::from_utf8(bytes.to_vec()).ok()?;
        for _ in &step.tail {
            text = text.chars().rev().collect();
        }
        if step.is_placeholder(&text) {
            return None;
        }
        match &step.head {
            Head::Text => Some(text),
            Head::Time { format, .. } => {
                format.read(text.as_bytes()).map(|millis| time::format(millis * 1000))
            }
            Head::Pad(_) => Some(match text.strip_prefix('-') {
                Some(complement) => {
                    let digits: String =
                        complement.bytes().map(|digit| char::from(b'0' + (b'9' - digit))).collect();
                    alloc::format!("-{}", digits.trim_start_matches('0'))
                }
                None => match text.trim_start_matches('0') {
                    "" => "0".into(),
                    digits => digits.into(),
                },
            }),
        }
    }

    /// Returns the borders of the parts, one more than there are parts. `None` where several
    /// borders are possible, or where the key does not match this template.
    ///
    /// A border is possible if it can be reached both from the front and from the back. If only one
    /// position is possible, the border is certain, even if borders to its left are not. Example:
    /// in `a,b,2019-05-28T00:00:00.000Z` under `{x},{y},{time:iso}`, the time is certain.
    ///
    /// In a key before a cut-over, the salt has no bytes, and the literal after it lacks its first
    /// character.
    pub(crate) fn borders(&self, key: &[u8]) -> Vec<Option<usize>> {
        if !self.is_unsalted(key) {
            return self.borders_of_steps(key);
        }
        self.borders_of_unsalted(key)
    }

    #[inline(never)]
    fn borders_of_unsalted(&self, key: &[u8]) -> Vec<Option<usize>> {
        let mut salted = Vec::with_capacity(key.len() + 4);
        self.push_salt_prefix(0, &mut salted);
        let prefix = salted.len();
        salted.extend_from_slice(key);
        self.borders_of_steps(&salted)
            .into_iter()
            .map(|border| border.map(|at| at.saturating_sub(prefix)))
            .collect()
    }

    fn borders_of_steps(&self, key: &[u8]) -> Vec<Option<usize>> {
        let steps = &self.bound.steps;
        // Front to back: all positions at which each part can end. A part of any width can end
        // anywhere. Example: under `{x},{y}`, the first literal of `a,b,c` can end at 2 or at 4.
        let mut front: Vec<Vec<usize>> = Vec::with_capacity(steps.len() + 1);
        front.push(alloc::vec![0]);
        for step in steps {
            let from = front.last().expect("there is a first border");
            let mut to = Vec::new();
            match step.width() {
                Width::Any => to.extend(from.first().map_or(0..0, |first| *first..key.len() + 1)),
                _ => from.iter().for_each(|&start| to.extend(step.fixed_end(key, start))),
            }
            to.dedup();
            front.push(to);
        }
        let mut borders = alloc::vec![None; steps.len() + 1];
        // Back to front: keep only the positions from which the end of the key can be reached. A
        // border with exactly one position left is certain.
        let mut back: Vec<usize> =
            front[steps.len()].iter().copied().filter(|end| *end == key.len()).collect();
        for at in (0..=steps.len()).rev() {
            borders[at] = if let [one] = back[..] { Some(one) } else { None };
            if at == 0 {
                break;
            }
            let step = &steps[at - 1];
            let last = back.last().copied();
            back = match step.width() {
                Width::Any => front[at - 1]
                    .iter()
                    .copied()
                    .filter(|start| last.is_some_and(|last| *start <= last))
                    .collect(),
                _ => {
                    let reaches = |start: &usize| {
                        step.fixed_end(key, *start).is_some_and(|end| back.binary_search(&end).is_ok())
                    };
                    front[at - 1].iter().copied().filter(reaches).collect()
                }
            };
        }
        borders
    }
}

impl Step {
    /// Returns the end of a step of known width that begins at `start` of `key`; `None` if the step
    /// cannot have written these bytes.
    fn fixed_end(&self, key: &[u8], start: usize) -> Option<usize> {
        let width = match self.width() {
            Width::Fixed(width) => width,
            Width::Padded(digits) => digits + usize::from(key.get(start) == Some(&b'-')),
            Width::Any => return None,
        };
        let bytes = key.get(start..start + width)?;
        let fits = match self {
            Step::Literal(literal) => bytes == literal,
            Step::Salt(_) => bytes.iter().all(u8::is_ascii_digit),
            Step::Field(step) => match (&step.head, step.tail.last()) {
                (_, Some(Transform::Hash(_))) => bytes.iter().all(u8::is_ascii_hexdigit),
                (Head::Time { format, .. }, None) => format.read(bytes).is_some(),
                (Head::Pad(digits), None) => {
                    bytes[width - usize::from(*digits)..].iter().all(u8::is_ascii_digit)
                }
                _ => true,
            },
            Step::ZOrder { .. } => true,
        };
        fits.then_some(start + width)
    }
}
