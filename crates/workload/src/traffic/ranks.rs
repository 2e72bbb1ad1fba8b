//! Zipf's law for many draws: a table of the first ranks, which account for most draws.

use crate::random::{Random, Zipf};

/// The number of ranks in the table: 32 KiB, about the size of a processor's first-level cache.
const HEAD: u64 = 4_095;

/// Draws ranks `0..n` with a probability proportional to `(rank + 1)^-exponent`.
///
/// The first ranks, and all others together, are in an alias table (M. D. Vose, "A linear algorithm
/// for generating random numbers with a given distribution", 1991): a draw takes one random number
/// and one entry. If it selects the others, one of them is drawn without a table.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    table: Vec<Entry>,
    /// The ranks after those of the table. They are selected with the table's last entry.
    tail: Option<Zipf>,
}

/// Selects its own index with a probability of `own` in units of 2^-32, otherwise another one.
#[derive(Clone, Copy, Debug)]
struct Entry {
    own: u32,
    other: u32,
}

impl Ranks {
    /// Creates the distribution of `n` ranks. `n` must be at least 1, and `exponent` at least 0.
    pub(super) fn new(n: u64, exponent: f64) -> Ranks {
        let all = Zipf::new(n, exponent);
        let head = n.min(HEAD);
        let mut weights: Vec<f64> = (1..=head).map(|rank| all.weight(rank)).collect();
        let tail = (n > head).then(|| Zipf::between(head + 1, n, exponent));
        weights.extend(tail.as_ref().map(Zipf::total));
        Ranks { table: alias_table(&weights), tail }
    }

    /// Draws a rank in `0..n`.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let product = u128::from(random.next()) * self.table.len() as u128;
        let index = (product >> 64) as usize;
        let entry = self.table[index];
        let index = if ((product >> 32) as u32) < entry.own { index } else { entry.other as usize };
        match &self.tail {
            Some(tail) if index == self.table.len() - 1 => tail.draw(random) - 1,
            _ => index as u64,
        }
    }
}

/// Returns the entries for these weights, at least one of which must be above 0.
fn alias_table(weights: &[f64]) -> Vec<Entry> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let mut shares: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
    // An entry that is filled by its own index alone needs no other one.
    let mut table: Vec<Entry> =
        (0..weights.len() as u32).map(|index| Entry { own: u32::MAX, other: index }).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..shares.len()).partition(|&index| shares[index] < 1.0);
    while let (Some(&from), Some(index)) = (large.last(), small.pop()) {
        table[index] = Entry { own: (shares[index] * 2f64.powi(32)) as u32, other: from as u32 };
        shares[from] -= 1.0 - shares[index];
        if shares[from] < 1.0 {
            large.pop();
            small.push(from);
        }
    }
    table
}
