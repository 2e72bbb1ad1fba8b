//! One part of a template, prepared for writing keys.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use super::domain::reverse_domain;
use super::part::Transform;
use super::placeholder::Placeholder;
use crate::Field;
use crate::salt::hash;
use crate::time::{self, DateFormat, TimeFormat, push_digits};
use crate::zorder::{ZOrder, push_hex};

/// One part, prepared for writing keys.
#[derive(Clone)]
pub(super) enum Step {
    Literal(Vec<u8>),
    Salt(usize),
    Field(FieldStep),
    ZOrder { x: Option<usize>, y: Option<usize>, zorder: ZOrder },
}

/// The conversion of one field.
#[derive(Clone)]
pub(super) struct FieldStep {
    /// Index of the field; `None` if the set does not have it.
    pub index: Option<usize>,
    /// The format of its times, if it differs from the formats of `FieldKind::Time`.
    pub input: Option<DateFormat>,
    /// The text of an absent value, if there is one.
    pub placeholder: Option<Placeholder>,
    pub head: Head,
    pub tail: Vec<Transform>,
}

/// The parser of a field's text.
#[derive(Clone)]
pub(super) enum Head {
    Text,
    Time { buckets: Vec<u32>, format: TimeFormat },
    Pad(u8),
}

/// The number of bytes that a step writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    Fixed(usize),
    /// This many digits, or a minus sign and this many digits.
    Padded(usize),
    Any,
}

#[cold]
fn not_written_as(input: &DateFormat) -> Cow<'static, str> {
    format!("it is not a time written as {}", input.as_str()).into()
}

impl FieldStep {
    /// Creates the step of a field, if there is one, with its index, through these transforms.
    pub fn new(field: Option<(usize, &Field)>, transforms: &[Transform]) -> Self {
        let index = field.map(|(index, _)| index);
        let input = field.and_then(|(_, field)| field.format.clone());
        let mut buckets = Vec::new();
        let (placeholder, mut rest) = match transforms {
            [Transform::Or(placeholder), rest @ ..] => (Some(*placeholder), rest),
            _ => (None, transforms),
        };
        while let [Transform::Bucket(seconds), tail @ ..] = rest {
            buckets.push(*seconds);
            rest = tail;
        }
        let head = match rest {
            [Transform::Time(format), tail @ ..] => {
                rest = tail;
                Head::Time { buckets, format: *format }
            }
            _ if !buckets.is_empty() => Head::Time { buckets, format: TimeFormat::Iso },
            [Transform::Pad(digits), tail @ ..] => {
                rest = tail;
                Head::Pad(*digits)
            }
            _ => Head::Text,
        };
        FieldStep { index, input, placeholder, head, tail: rest.to_vec() }
    }

    /// Returns the text that the step writes for a value; `None` if the value is absent and has no
    /// placeholder.
    pub fn or_placeholder<'t>(&'t self, text: Option<&'t str>) -> Option<&'t str> {
        match &self.placeholder {
            None => text,
            Some(placeholder) => text.filter(|text| !text.is_empty()).or(Some(placeholder.text())),
        }
    }

    /// Returns whether this text stands for an absent value.
    pub fn is_placeholder(&self, text: &str) -> bool {
        self.placeholder.is_some_and(|placeholder| placeholder.text() == text)
    }

    /// Appends the bytes of `text`.
    ///
    /// # Errors
    /// The reason why the step cannot write this text.
    pub fn write(&self, text: &str, out: &mut Vec<u8>) -> core::result::Result<(), Cow<'static, str>> {
        let start = out.len();
        match &self.head {
            Head::Text => out.extend_from_slice(text.as_bytes()),
            Head::Time { buckets, format } => {
                let micros = match &self.input {
                    None => time::parse(text).ok_or("it is not a time")?,
                    Some(input) => input.parse(text).ok_or_else(|| not_written_as(input))?,
                };
                return Ok(self.write_time(micros.div_euclid(1000), buckets, *format, out)?);
            }
            Head::Pad(digits) => push_padded(text, usize::from(*digits), out)?,
        }
        Ok(self.write_tail(start, out)?)
    }

    /// Appends the bytes of a time in milliseconds since 1970; only for steps whose head is a time.
    fn write_time(
        &self,
        millis: i64,
        buckets: &[u32],
        format: TimeFormat,
        out: &mut Vec<u8>,
    ) -> core::result::Result<(), &'static str> {
        let start = out.len();
        let millis = floor(millis, buckets);
        format.write(millis, out).ok_or("it is outside of the range that this format can write")?;
        self.write_tail(start, out)
    }

    /// Returns the bytes of a time, as [`FieldStep::write`] writes it; `None` if the step does not
    /// have a time or cannot write this one.
    pub fn of_time(&self, millis: i64) -> Option<Vec<u8>> {
        let Head::Time { buckets, format } = &self.head else {
            return None;
        };
        let mut out = Vec::new();
        self.write_time(millis, buckets, *format, &mut out).ok()?;
        Some(out)
    }

    /// Returns the bytes of a time before the transforms that follow its format; `None` in the same
    /// cases as [`FieldStep::of_time`].
    pub fn head_of_time(&self, millis: i64) -> Option<Vec<u8>> {
        FieldStep { tail: Vec::new(), ..self.clone() }.of_time(millis)
    }

    fn write_tail(&self, start: usize, out: &mut Vec<u8>) -> core::result::Result<(), &'static str> {
        for transform in &self.tail {
            match transform {
                Transform::Hash(digits) => {
                    let hash = hash(&out[start..]);
                    out.truncate(start);
                    push_hex(out, hash >> (64 - 4 * u32::from(*digits)), usize::from(*digits));
                }
                Transform::Reverse => reverse_chars(&mut out[start..]),
                Transform::ReverseDomain => {
                    let reversed = reverse_domain(&out[start..]);
                    out.truncate(start);
                    out.extend_from_slice(&reversed);
                }
                Transform::Upper => out[start..].make_ascii_uppercase(),
                Transform::Lower => out[start..].make_ascii_lowercase(),
                Transform::Time(_) | Transform::Bucket(_) => {
                    return Err("a time is written before it is transformed further");
                }
                Transform::Or(_) => return Err("an absent value is replaced before it is transformed"),
                Transform::Pad(_) => return Err("a number is padded before it is transformed further"),
            }
        }
        Ok(())
    }

    /// Returns the number of bytes that the step writes.
    pub fn width(&self) -> Width {
        let head = match &self.head {
            Head::Text => Width::Any,
            Head::Time { format, .. } => Width::Fixed(format.width()),
            Head::Pad(digits) => Width::Padded(usize::from(*digits)),
        };
        self.tail.iter().fold(head, |width, transform| match (transform, width) {
            (Transform::Hash(digits), _) => Width::Fixed(usize::from(*digits)),
            // A reversed number ends with its minus sign.
            (Transform::Reverse, Width::Padded(_)) | (Transform::ReverseDomain, _) => Width::Any,
            (_, width) => width,
        })
    }
}

impl Step {
    /// Returns the number of bytes that the step writes.
    pub fn width(&self) -> Width {
        match self {
            Step::Literal(bytes) => Width::Fixed(bytes.len()),
            Step::Salt(width) => Width::Fixed(*width),
            Step::Field(step) => step.width(),
            Step::ZOrder { zorder, .. } => Width::Fixed(zorder.width()),
        }
    }
}

/// Rounds `millis` down to a multiple of each of some spans of seconds.
pub(super) fn floor(millis: i64, buckets: &[u32]) -> i64 {
    buckets.iter().fold(millis, |millis, seconds| {
        let span = i64::from(*seconds) * 1000;
        millis.div_euclid(span) * span
    })
}

fn push_padded(text: &str, width: usize, out: &mut Vec<u8>) -> core::result::Result<(), &'static str> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("it is not a whole number");
    }
    let digits = digits.trim_start_matches('0').as_bytes();
    if digits.len() > width {
        return Err("it has more digits than the padding: use a wider padding");
    }
    // Minus zero is zero.
    let negative = negative && !digits.is_empty();
    if negative {
        out.push(b'-');
    }
    let start = out.len();
    push_digits(out, 0, width - digits.len());
    out.extend_from_slice(digits);
    if negative {
        out[start..].iter_mut().for_each(|digit| *digit = b'0' + (b'9' - *digit));
    }
    Ok(())
}

/// Reverses the characters of a text in place: first all bytes, then the bytes of each character
/// back again.
fn reverse_chars(text: &mut [u8]) {
    text.reverse();
    let mut start = 0;
    for at in 0..text.len() {
        if text[at] & 0xc0 != 0x80 {
            text[start..=at].reverse();
            start = at + 1;
        }
    }
}
