//! Charts: curves over time, lines and bars with axes, and a line over a few numbers.

mod axes;
mod curves;
mod vector;

pub use axes::{AxesChart, Series};
pub use curves::{Curve, Curves, Scale, against_diagonal};
pub use vector::Vector;
