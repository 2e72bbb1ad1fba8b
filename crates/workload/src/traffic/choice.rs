//! A choice of keys that is ready to draw events.

use std::ops::Range;

use tabletop_model::{Error, Result};
use tabletop_workspace::KeyChoice;

use super::population::Population;
use super::ranks::Ranks;
use crate::random::{Random, fate, mix, scale};

/// A [`KeyChoice`] for a population.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// Each event equally likely.
    Any,
    /// Events in their order, with the number of events so far.
    InOrder(u64),
    /// A value, then one of its events.
    Value { field: usize, values: Values },
    /// Zipf's law of events.
    Event { ranks: Ranks, order: Permutation },
    /// Zipf's law of ages.
    Latest(Ranks),
    /// A share of the requests for the events at these places of a field.
    HotValue { share: u64, field: usize, places: Range<usize> },
    /// A share of the requests for one event.
    HotEvent { share: u64, event: u32 },
}

/// How a value is chosen: by its index.
#[derive(Clone, Debug)]
pub(super) enum Values {
    Uniform(u64),
    Zipf(Ranks),
}

/// An event that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// A loaded event.
    Loaded(u32),
    /// The event with this age; 0 is the newest one.
    Age(u64),
}

impl Choice {
    /// Prepares a choice.
    ///
    /// # Errors
    /// `InvalidArgument`, with the rest of a sentence about the choice, when there is no such field
    /// or value.
    pub(super) fn new(keys: &KeyChoice, population: &Population, seed: u64) -> Result<Choice> {
        let events = u64::from(population.events());
        let values_of = |name: &str| {
            let (at, values) = population.field(name).ok_or_else(|| {
                Error::invalid(format!("needs the field \"{name}\", which the events do not have"))
            })?;
            if values.values() == 0 {
                return Err(Error::invalid(format!(
                    "needs values of the field \"{name}\", and no event has one"
                )));
            }
            Ok((at, values))
        };
        Ok(match keys {
            KeyChoice::AsEvents => Choice::Any,
            KeyChoice::Sequential => Choice::InOrder(0),
            KeyChoice::Uniform { field } => {
                let (field, values) = values_of(field)?;
                Choice::Value { field, values: Values::Uniform(values.values() as u64) }
            }
            KeyChoice::Zipf { field: Some(field), exponent } => {
                let (field, values) = values_of(field)?;
                Choice::Value { field, values: Values::Zipf(Ranks::new(values.values() as u64, *exponent)) }
            }
            KeyChoice::Zipf { field: None, exponent } => {
                Choice::Event { ranks: Ranks::new(events, *exponent), order: Permutation::new(events) }
            }
            KeyChoice::Latest { exponent } => Choice::Latest(Ranks::new(events, *exponent)),
            KeyChoice::Hot { field: Some(name), value, share } => {
                let (field, values) = values_of(name)?;
                let found = match value {
                    Some(text) => values.find(text),
                    None => values.most_frequent(),
                };
                let text = value.as_deref().unwrap_or_default();
                let missing = || {
                    Error::invalid(format!("needs an event whose {name} is \"{text}\", and there is none"))
                };
                let places = values.events_of(found.ok_or_else(missing)?);
                Choice::HotValue { share: threshold(*share), field, places }
            }
            KeyChoice::Hot { field: None, share, .. } => {
                let event = scale(fate(seed, 0), events) as u32;
                Choice::HotEvent { share: threshold(*share), event }
            }
        })
    }

    /// Draws an event.
    #[inline]
    pub(super) fn draw(&mut self, population: &Population, random: &mut Random) -> Drawn {
        let events = u64::from(population.events());
        let any = |random: &mut Random| random.below(events) as u32;
        Drawn::Loaded(match self {
            Choice::Any => any(random),
            Choice::InOrder(count) => {
                let event = *count % events;
                *count += 1;
                event as u32
            }
            Choice::Value { field, values } => {
                let value = match values {
                    Values::Uniform(values) => random.below(*values),
                    Values::Zipf(ranks) => ranks.draw(random),
                };
                one_of(population, *field, population.events_of(*field, value as usize), random)
            }
            Choice::Event { ranks, order } => order.of(ranks.draw(random)) as u32,
            Choice::Latest(ranks) => return Drawn::Age(ranks.draw(random)),
            Choice::HotValue { share, field, places } => {
                if is_hot(random, *share) {
                    one_of(population, *field, places.clone(), random)
                } else {
                    any(random)
                }
            }
            Choice::HotEvent { share, event } => {
                if is_hot(random, *share) {
                    *event
                } else {
                    any(random)
                }
            }
        })
    }
}

fn one_of(population: &Population, field: usize, places: Range<usize>, random: &mut Random) -> u32 {
    population.event_of(field, places.start + random.below(places.len() as u64) as usize)
}

/// Returns a share of 0 to 1 in units of 2^-53, in which random numbers are drawn.
fn threshold(share: f64) -> u64 {
    (share * (1u64 << 53) as f64) as u64
}

fn is_hot(random: &mut Random, threshold: u64) -> bool {
    random.next() >> 11 < threshold
}

/// An order of `0..n` that looks random and needs no table. It is always the same for one `n`.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    n: u64,
    /// A mask of ones for the bits of numbers below the next power of two.
    mask: u64,
    shift: u32,
}

impl Permutation {
    /// Creates the order of `n` numbers, which must be at least 1.
    pub(super) fn new(n: u64) -> Permutation {
        let bits = (u64::BITS - (n - 1).leading_zeros()).max(1);
        Permutation { n, mask: u64::MAX >> (u64::BITS - bits), shift: bits.div_ceil(2) }
    }

    /// Returns the number at this place of the order. Each step permutes the numbers below the
    /// power of two, and results of `n` or more are mapped again, which are fewer than half of all.
    pub(super) fn of(&self, place: u64) -> u64 {
        let mut number = place;
        loop {
            for round in 0..3 {
                let random = mix(round + 1);
                number = number.wrapping_add(random >> 32) & self.mask;
                number = number.wrapping_mul(random | 1) & self.mask;
                number ^= number >> self.shift;
            }
            if number < self.n {
                return number;
            }
        }
    }
}
