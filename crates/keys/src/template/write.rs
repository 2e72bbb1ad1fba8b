//! Writes the row keys of events.

use alloc::format;
use alloc::vec::Vec;

use tabletop_model::{Error, Result, limits};

use super::bind::Values;
use super::part::{Part, part_fields};
use super::step::Step;
use super::{Template, print};
use crate::Record;
use crate::numbers::thousands;
use crate::salt::{PartSalt, push_salt, salt_of, salt_width};
use crate::time::put_digits;

/// The minimum share of events without a value at which the advice is to remove the field from the
/// key.
const LACKING_MANY: f64 = 0.25;

impl Template {
    /// Appends the row key of `record`, whose fields must be those to which the template is bound.
    ///
    /// # Errors
    /// `InvalidArgument` if a field is missing, a value does not fit a transform, the key is empty
    /// or over 4 KiB, or a key before a salt's cut-over begins like a salted one. `key` is then
    /// unchanged.
    pub fn write_key(&self, record: &Record<'_>, key: &mut Vec<u8>) -> Result<()> {
        self.write_key_of(&mut |index| record.value(index), key)
    }

    /// Appends the row key of an event, like [`Template::write_key`], but looks values up only when
    /// they are needed: `values` returns the text of a field by its index.
    ///
    /// # Errors
    /// The errors of [`Template::write_key`].
    pub fn write_key_of<'r>(&self, values: Values<'_, 'r>, key: &mut Vec<u8>) -> Result<()> {
        let start = key.len();
        self.write_long_key(values, key)?;
        let written = &key[start..];
        check_length(written.len(), self.logical(written).is_empty()).inspect_err(|_| key.truncate(start))
    }

    /// Appends the row key of an event, like [`Template::write_key`], but without a check of its
    /// length.
    ///
    /// # Errors
    /// The errors of [`Template::write_key`], except for the length of the key.
    pub fn write_long_key<'r>(&self, values: Values<'_, 'r>, key: &mut Vec<u8>) -> Result<()> {
        let start = key.len();
        self.write_parts(values, key, start).inspect_err(|_| key.truncate(start))
    }

    fn write_parts<'r>(&self, values: Values<'_, 'r>, key: &mut Vec<u8>, start: usize) -> Result<()> {
        let mut part_salt =
            self.bound.salt.as_ref().filter(|salt| !salt.over.is_empty()).map(|_| PartSalt::new());
        for (at, step) in self.bound.steps.iter().enumerate() {
            let part_start = key.len();
            self.write_step(at, step, values, key)?;
            if let (Some(part_salt), Some(salt)) = (&mut part_salt, &self.bound.salt)
                && salt.over.contains(&at)
            {
                part_salt.add(&key[part_start..]);
            }
        }
        // The salt comes first but hashes what follows it, so the steps have written zeros in its
        // place. Now they become its digits, or are removed if the event is before the cut-over.
        if let Some(salt) = &self.bound.salt {
            if let Some(cut_over) = &salt.cut_over
                && !self.is_after(cut_over, values)?
            {
                key.drain(start..start + salt.bytes);
                return self.check_unsalted(&key[start..]);
            }
            let number = match part_salt {
                Some(part_salt) => part_salt.salt(salt.buckets),
                None => salt_of(&key[start + salt.bytes..], salt.buckets),
            };
            put_digits(&mut key[start..start + salt_width(salt.buckets)], number.into());
        }
        Ok(())
    }

    /// Appends the bytes of the part at `at`. `values` returns the text of a field by its index. A
    /// salt is written as zeros.
    ///
    /// # Errors
    /// `InvalidArgument` if a field is missing, or a value does not fit a transform.
    pub fn write_part<'r>(&self, at: usize, values: Values<'_, 'r>, out: &mut Vec<u8>) -> Result<()> {
        self.write_step(at, &self.bound.steps[at], values, out)
    }

    fn write_step<'r>(
        &self,
        at: usize,
        step: &Step,
        values: Values<'_, 'r>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match step {
            Step::Literal(bytes) => out.extend_from_slice(bytes),
            Step::Salt(width) => out.resize(out.len() + width, b'0'),
            Step::Field(step) => {
                let text = step.or_placeholder(step.index.and_then(&mut *values));
                let text = text.ok_or_else(|| self.missing(at, step.index))?;
                step.write(text, out).map_err(|why| self.unsuitable(at, step.index, text, &why))?;
            }
            Step::ZOrder { x, y, zorder } => {
                let mut number = |index: &Option<usize>| {
                    let text = index.and_then(&mut *values).ok_or_else(|| self.missing(at, *index))?;
                    let number: Option<f64> = text.trim().parse().ok();
                    Ok((text, number.ok_or_else(|| self.unsuitable(at, *index, text, "it is not a number"))?))
                };
                let (x_text, x_number) = number(x)?;
                let (y_text, y_number) = number(y)?;
                zorder.write(x_number, y_number, out).map_err(|axis| {
                    let (index, text) =
                        if core::ptr::eq(axis, &zorder.x) { (x, x_text) } else { (y, y_text) };
                    let why =
                        format!("it is not in {}..{}: widen the range of the Z-order", axis.min, axis.max);
                    self.unsuitable(at, *index, text, &why)
                })?;
            }
        }
        Ok(())
    }

    /// Appends `salt` and the bytes between the salt and the logical key.
    pub fn push_salt_prefix(&self, salt: u32, out: &mut Vec<u8>) {
        if let Some(bound) = &self.bound.salt {
            push_salt(out, salt, bound.buckets);
            out.extend(bound.separator);
        }
    }

    #[cold]
    fn missing(&self, at: usize, index: Option<usize>) -> Error {
        Error::invalid(match index {
            Some(index) => {
                let name = &self.fields[index].name;
                format!(
                    "This event has no value for {name}, which its row key needs: add a value, or remove the event."
                )
            }
            None => {
                format!("The events have no such field as in {}.", print::text(&self.parts[at..=at]))
            }
        })
    }

    /// Returns the field whose missing value is the cause of an error of [`Template::write_key`];
    /// `None` if the error has another cause.
    pub fn lacking(&self, record: &Record<'_>, error: &Error) -> Option<usize> {
        let has_none = |index: &usize| record.value(*index).is_none();
        (0..self.fields.len()).filter(has_none).find(|index| self.missing(0, Some(*index)) == *error)
    }

    /// Returns the error of an event without a value for a field that `lacking` of `all` events
    /// lack. The message recommends removing the field from the key only if many events lack it and
    /// the key has another field.
    pub fn lacking_error(&self, index: usize, lacking: u32, all: u32) -> Error {
        let name = &self.fields[index].name;
        let holds = |part: &&Part| part_fields(part).contains(&name);
        let solid = || self.parts.iter().filter(|part| !part_fields(part).is_empty());
        let is_many = f64::from(lacking) >= f64::from(all) * LACKING_MANY;
        let removed = solid().find(holds).filter(|_| is_many && solid().any(|part| !holds(&part)));
        let remedy = match removed {
            Some(part) => {
                let part = print::text(core::slice::from_ref(part));
                format!("remove {part} from the template, or add the missing values")
            }
            None => "add a value, or remove the event".into(),
        };
        let (lacking, all) = (thousands(lacking.into()), thousands(all.into()));
        Error::invalid(format!(
            "This event has no value for {name}, which its row key needs (without: {lacking} of {all} events): {remedy}."
        ))
    }

    #[cold]
    pub(super) fn unsuitable(&self, at: usize, index: Option<usize>, text: &str, why: &str) -> Error {
        let name = index.map_or("", |index| self.fields[index].name.as_str());
        let shown: alloc::string::String = text.chars().take(40).collect();
        let part = print::text(&self.parts[at..=at]);
        Error::invalid(format!("{name} is \"{shown}\" here, which {part} cannot hold: {why}."))
    }
}

/// Refuses a key that is too long, or that is empty without its salt. Both checks ignore the salt,
/// so a salt only changes which tablet serves an event, never whether the event is accepted.
fn check_length(bytes: usize, is_empty: bool) -> Result<()> {
    match bytes {
        _ if is_empty => Err(Error::invalid(
            "The row key of this event would be empty: put a literal or another field into the template.",
        )),
        0..=limits::ROW_KEY_BYTES_MAX => Ok(()),
        _ => Err(Error::invalid(format!(
            "The row key of this event would have {bytes} bytes, but at most {} are allowed: remove a long field, or hash it.",
            limits::ROW_KEY_BYTES_MAX
        ))),
    }
}
