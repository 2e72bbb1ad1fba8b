//! The errors of a workspace with values that it cannot have.

use alloc::format;
use alloc::string::String;
use core::ops::RangeInclusive;

use tabletop_model::{Error, Result};

pub(super) fn within(place: &str, number: f64, range: RangeInclusive<f64>) -> Result<()> {
    if range.contains(&number) {
        return Ok(());
    }
    refuse(place, format!("is {number}; it must be from {} to {}", range.start(), range.end()))
}

pub(super) fn refuse(place: &str, why: String) -> Result<()> {
    Err(Error::invalid(format!("{place} {why}.")))
}
