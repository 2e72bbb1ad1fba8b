//! Load that comes in waves.

use alloc::vec;
use alloc::vec::Vec;

use crate::heat::{Cell, Column};

/// The number of points of the series in which waves are looked for.
const POINTS: usize = 240;
/// Shorter waves cannot be told from chance.
const POINTS_OF_WAVE: usize = 4;
/// How closely a series must agree with itself one wave later; 1 means that it is the same.
const AGREEMENT: f64 = 0.6;
/// The smallest deviation of the load from its mean, as a share of the mean.
const DEVIATION: f64 = 0.15;

/// Load that recurs.
pub(super) struct Wave {
    /// Seconds from peak to peak.
    pub seconds: f64,
    /// Requests per second at the peaks.
    pub most: f64,
    /// Requests per second between them.
    pub least: f64,
    /// The CPU seconds that a request takes.
    pub cores_per_request: f64,
}

/// The number of complete waves that show a period: two peaks have a distance, not a period.
const WAVES_MIN: usize = 3;

/// Finds waves in the requests of all seconds, of which there must be at least [`WAVES_MIN`]
/// complete ones.
pub(super) fn wave(columns: &[Column]) -> Option<Wave> {
    let (series, seconds) = series(columns);
    let mean = series.iter().sum::<f64>() / series.len().max(1) as f64;
    let around: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let variance = around.iter().map(|value| value * value).sum::<f64>() / series.len().max(1) as f64;
    if mean <= 0.0 || libm::sqrt(variance) < DEVIATION * mean || series.len() < WAVES_MIN * POINTS_OF_WAVE {
        return None;
    }
    let agreement = |lag: usize| {
        let pairs = around.len() - lag;
        around.iter().zip(&around[lag..]).map(|(one, other)| one * other).sum::<f64>()
            / pairs as f64
            / variance
    };
    // Half a wave later, the load is on the other side of its mean. A load that only grows never
    // returns to the same value.
    let longest = series.len() / WAVES_MIN;
    let half = (1..longest).find(|lag| agreement(*lag) < 0.0)?;
    let best = (half..=longest).max_by(|one, other| agreement(*one).total_cmp(&agreement(*other)))?;
    // Two peaks agree with each other, and with nothing one wave later.
    let recurs = (1..WAVES_MIN).all(|times| agreement(best * times) >= AGREEMENT);
    if !recurs || best < POINTS_OF_WAVE {
        return None;
    }
    let mut sorted = series;
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    let sum = |of: fn(&Cell) -> f64| columns.iter().flat_map(|column| &column.cells).map(of).sum::<f64>();
    let requests = sum(|cell| f64::from(cell.reads) + f64::from(cell.writes));
    let cores_per_request = sum(|cell| cell.core_seconds.into()) / requests.max(1.0);
    Some(Wave { seconds: best as f64 * seconds, most: at(0.95), least: at(0.05), cores_per_request })
}

/// Returns the requests per second at equally spaced points, and their distance in seconds.
fn series(columns: &[Column]) -> (Vec<f64>, f64) {
    let all = columns.last().map_or(0, |column| column.second + column.seconds) as usize;
    let step = all.div_ceil(POINTS).max(1);
    let mut points = vec![0.0; all / step];
    for column in columns {
        let requests: f64 =
            column.cells.iter().map(|cell| f64::from(cell.reads) + f64::from(cell.writes)).sum();
        for second in column.second..column.second + column.seconds {
            if let Some(point) = points.get_mut(second as usize / step) {
                *point += requests / f64::from(column.seconds) / step as f64;
            }
        }
    }
    (points, step as f64)
}
