//! The rows. Any of them can be generated from its number.

use tabletop_model::{Mutation, RowMutation};
use tabletop_tests::faulty::chance;

/// The bytes of a value.
const VALUE_BYTES: usize = 1_000;
/// Number of different words.
const WORDS: f64 = 200_000.0;

/// The kind of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Random bytes, without any repetition.
    Random,
    /// Text made of words, a few of which are frequent, as in a natural language.
    Words,
}

impl Values {
    pub fn name(self) -> &'static str {
        match self {
            Values::Random => "random",
            Values::Words => "words",
        }
    }

    /// Writes a row again, or for the first time.
    pub fn row(self, number: u64, round: u64) -> RowMutation {
        let value = match self {
            Values::Random => random(number ^ round << 40),
            Values::Words => words(number ^ round << 40),
        };
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: value.into(),
        };
        RowMutation { key: key(number).into(), mutations: vec![set] }
    }
}

/// Returns the key of a row. Rows that are written one after the other are in different tablets.
pub fn key(number: u64) -> Vec<u8> {
    format!("{:016x}#{number:020}", chance(number)(u64::MAX)).into_bytes()
}

/// The bytes that a row has for its user.
pub fn row_bytes() -> u64 {
    (key(0).len() + "fq".len() + VALUE_BYTES + 8) as u64
}

fn random(seed: u64) -> Vec<u8> {
    let mut next = chance(seed);
    let mut value: Vec<u8> =
        (0..VALUE_BYTES.div_ceil(8)).flat_map(|_| next(u64::MAX).to_le_bytes()).collect();
    value.truncate(VALUE_BYTES);
    value
}

fn words(seed: u64) -> Vec<u8> {
    let mut next = chance(seed);
    let mut value = Vec::with_capacity(VALUE_BYTES + 16);
    while value.len() < VALUE_BYTES {
        // The frequency of a word is the inverse of its rank.
        let rank = WORDS.powf(next(1 << 30) as f64 / (1 << 30) as f64) as u64;
        let mut letter = chance(rank);
        let length = 3 + letter(8);
        value.extend((0..length).map(|_| b'a' + letter(26) as u8));
        value.push(b' ');
    }
    value.truncate(VALUE_BYTES);
    value
}
