//! What the adviser knows besides the events of a sample.

use tabletop_keys::{FamilyRule, Layout, Template};
use tabletop_workspace::{GivenRole, NamedQuery};

use crate::evaluate::Losses;

/// What is known besides the events of a sample.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The roles of fields. Those that are not given are found in the sample.
    pub roles: &'c [GivenRole],
    /// The number of events at the end of the sample that were chosen because they share a place. The
    /// others are evenly spread.
    pub others: usize,
    /// The access patterns.
    pub queries: &'c [NamedQuery],
    /// The rules of the design's families.
    pub families: &'c [FamilyRule],
    /// Returns the digits of the longest whole number that all loaded events have for a field of this
    /// name; `None` if the sample has all events.
    pub digits: &'c dyn Fn(&str) -> Option<u8>,
    /// Returns whether a value of any loaded event contains a text; `None` if the sample has all
    /// events.
    pub holds: &'c dyn Fn(&str) -> Option<bool>,
    /// Counts what a design loses of all events.
    pub counts: &'c dyn Fn(&Template, &Layout) -> Counted,
}

impl Default for Context<'_> {
    /// Nothing is known: the sample has all events.
    fn default() -> Self {
        Context {
            roles: &[],
            others: 0,
            queries: &[],
            families: &[],
            digits: &|_| None,
            holds: &|_| None,
            counts: &|_, _| Counted::OfSample,
        }
    }
}

/// The losses of a design over all loaded events, if they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The sample has all events.
    OfSample,
    /// These.
    All(Losses),
    /// They are being counted: ask again later.
    NotYet,
}
