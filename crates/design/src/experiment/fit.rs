//! A straight line through points.

use serde::Serialize;

/// The line of least squares: y = intercept + slope x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// y for each x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// R²: the share of the variance of y that the line explains, up to 1.
    pub r_squared: f64,
}

impl Line {
    /// The line through these points; `None` for fewer than two different x.
    pub fn through(points: &[(f64, f64)]) -> Option<Line> {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>();
        let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
        if points.len() < 2 || xx <= 0.0 {
            return None;
        }
        let slope = xy / xx;
        // All y are the same: the line explains all of nothing.
        let r_squared = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
        Some(Line { slope, intercept: mean_y - slope * mean_x, r_squared })
    }

    /// y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}
