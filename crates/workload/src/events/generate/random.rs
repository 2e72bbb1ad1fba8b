//! Random numbers that depend only on the seed, on every machine. Therefore only integers and
//! `libm` are used.

/// xoshiro256++ 1.0 by David Blackman and Sebastiano Vigna (<https://prng.di.unimi.it/>).
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Self {
        // As the authors recommend, the state is filled from SplitMix64, which never returns four
        // zeros.
        Random { state: [1, 2, 3, 4].map(|n: u64| mix(seed.wrapping_add(n.wrapping_mul(GOLDEN_GAMMA)))) }
    }

    /// Returns the next 64 random bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless sequence of numbers is not meant to be iterated over"
    )]
    // Inlined, because the generator is in the part of the program that is fetched first, and calls
    // between parts are slow.
    #[inline(always)]
    pub fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Returns a number in `[0, n)`.
    #[inline(always)]
    pub fn below(&mut self, n: u64) -> u64 {
        scale(self.next(), n)
    }

    /// Returns a number in `[0, 1)` with 53 random bits.
    #[inline(always)]
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finalizer: a pure function of `n` that looks random.
pub fn mix(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// A pure function of `seed` and `n` that looks random.
pub fn fate(seed: u64, n: u64) -> u64 {
    mix(mix(seed ^ GOLDEN_GAMMA).wrapping_add(n.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA)))
}

/// Scales a random number of 64 bits to `[0, n)`.
#[inline]
pub fn scale(random: u64, n: u64) -> u64 {
    if n <= u64::from(u32::MAX) {
        // The same number without a 128-bit product, which WebAssembly does not have.
        let (high, low) = (random >> 32, random & u64::from(u32::MAX));
        return (high * n + ((low * n) >> 32)) >> 32;
    }
    ((u128::from(random) * u128::from(n)) >> 64) as u64
}

/// Ranks `first..=n`, usually starting at 1, with a probability proportional to `rank^-exponent`,
/// in constant time and memory: rejection-inversion (W. Hörmann and G. Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", 1996).
#[derive(Clone, Debug)]
pub struct Zipf {
    first: f64,
    n: f64,
    exponent: f64,
    /// Integrals of the hat function at its two ends.
    low: f64,
    high: f64,
    /// A point within this distance from its rank is accepted without further computation.
    sure: f64,
}

impl Zipf {
    /// Creates the distribution of ranks 1 to `n`, which must be at least 1. `exponent` must be at
    /// least 0.
    pub fn new(n: u64, exponent: f64) -> Self {
        Zipf::between(1, n, exponent)
    }

    /// Creates the distribution of the ranks from `first` (1 to `n`) on.
    pub fn between(first: u64, n: u64, exponent: f64) -> Self {
        let mut zipf = Zipf { first: first as f64, n: n as f64, exponent, low: 0.0, high: 0.0, sure: 0.0 };
        zipf.low = zipf.integral(zipf.first + 0.5) - zipf.height(zipf.first);
        zipf.high = zipf.integral(zipf.n + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.height(2.0));
        zipf
    }

    /// Returns the weight of a rank, to which its probability is proportional: 1 for rank 1.
    pub fn weight(&self, rank: u64) -> f64 {
        self.height(rank as f64)
    }

    /// Returns the sum of the weights of all ranks, computed as an integral: it is accurate to a
    /// millionth if the first rank is above 1,000.
    pub fn total(&self) -> f64 {
        self.high - self.integral(self.first - 0.5)
    }

    /// Draws a rank in `first..=n`.
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.high + random.unit() * (self.low - self.high);
            let x = self.inverse(area);
            let rank = libm::floor(x + 0.5).clamp(self.first, self.n);
            if rank - x <= self.sure || area >= self.integral(rank + 0.5) - self.height(rank) {
                return rank as u64;
            }
        }
    }

    fn height(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    /// Computes `(x^(1 - exponent) - 1) / (1 - exponent)`, which is `ln x` for the exponent 1.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        log * expm1_over((1.0 - self.exponent) * log)
    }

    fn inverse(&self, area: f64) -> f64 {
        // Rounding may bring it slightly below -1, where the logarithm is undefined.
        let t = (area * (1.0 - self.exponent)).max(-1.0);
        libm::exp(area * log1p_over(t))
    }
}

/// Computes `(e^x - 1) / x`, also near 0.
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { libm::expm1(x) / x } else { 1.0 + x / 2.0 }
}

/// Computes `ln(1 + x) / x`, also near 0.
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { libm::log1p(x) / x } else { 1.0 - x / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_the_published_algorithms() {
        // SplitMix64 from seed 0, and xoshiro256++ from the state 1, 2, 3, 4, as the authors' C
        // programs print them.
        assert_eq!(mix(GOLDEN_GAMMA), 0xe220_a839_7b1d_cdaf);
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!(
            [random.next(), random.next(), random.next()],
            [41_943_041, 58_720_359, 3_588_806_011_781_223]
        );
    }

    #[test]
    fn a_scaled_number_is_the_upper_half_of_the_product() {
        let mut random = Random::new(3);
        for n in [1, 2, 1_000, u64::from(u32::MAX), u64::from(u32::MAX) + 1, u64::MAX] {
            for number in [0, 1, u64::MAX].into_iter().chain((0..100).map(|_| random.next())) {
                assert_eq!(
                    scale(number, n),
                    ((u128::from(number) * u128::from(n)) >> 64) as u64,
                    "{number} of {n}"
                );
            }
        }
    }

    #[test]
    fn ranks_have_the_frequencies_of_zipfs_law() {
        for (n, exponent) in [(1, 1.0), (10, 0.0), (10, 0.5), (100, 1.0), (100, 1.3), (50, 2.0)] {
            let zipf = Zipf::new(n, exponent);
            let mut random = Random::new(7);
            let mut counts = vec![0u32; n as usize];
            const DRAWS: u32 = 200_000;
            for _ in 0..DRAWS {
                counts[zipf.draw(&mut random) as usize - 1] += 1;
            }
            let total: f64 = (1..=n).map(|rank| (rank as f64).powf(-exponent)).sum();
            for (index, &count) in counts.iter().enumerate() {
                let expected = f64::from(DRAWS) * (index as f64 + 1.0).powf(-exponent) / total;
                let allowed = 5.0 * expected.sqrt() + 1.0;
                assert!(
                    (f64::from(count) - expected).abs() <= allowed,
                    "rank {} of {n} at {exponent}: {count}, not {expected:.0}",
                    index + 1
                );
            }
        }
    }

    #[test]
    fn a_million_ranks_need_no_table() {
        let zipf = Zipf::new(1_000_000, 0.0);
        let mut random = Random::new(1);
        let mean = (0..10_000).map(|_| zipf.draw(&mut random) as f64).sum::<f64>() / 10_000.0;
        assert!((mean - 500_000.0).abs() < 15_000.0, "{mean}");
    }
}
