//! A vector as a small chart: one line over its numbers, in their order.

use yew::{Html, html};

use crate::messages::messages;

/// The most columns of a chart. A column of several numbers spans their minimum to their maximum.
const COLUMNS_MAX: usize = 128;
/// The height of a chart, in its own units; a column has the width 1.
const HEIGHT: f64 = 24.0;

/// Draws the numbers, with a text that says how many there are, and their range.
pub fn chart(numbers: &[f64]) -> Html {
    let finite: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
    let Some((least, most)) = bounds(&finite) else { return html! {} };
    let text = (messages().objects.vector)(numbers.len(), least, most);
    let columns = columns(&finite);
    let view_box = format!("0 0 {} {HEIGHT}", columns.len().max(2) - 1);
    html! {
        <span class="vector">
            <svg viewBox={view_box} preserveAspectRatio="none" role="img" aria-label={text.clone()}>
                <path d={path(&columns, least, most)} vector-effect="non-scaling-stroke" />
            </svg>
            <span class="soft small num">{ text }</span>
        </span>
    }
}

fn bounds(numbers: &[f64]) -> Option<(f64, f64)> {
    let least = numbers.iter().copied().reduce(f64::min)?;
    Some((least, numbers.iter().copied().fold(least, f64::max)))
}

/// Returns the least and the greatest number of each column.
fn columns(numbers: &[f64]) -> Vec<(f64, f64)> {
    let count = numbers.len().min(COLUMNS_MAX);
    let column = |at: usize| bounds(&numbers[at * numbers.len() / count..(at + 1) * numbers.len() / count]);
    (0..count).filter_map(column).collect()
}

fn path(columns: &[(f64, f64)], least: f64, most: f64) -> String {
    // Equal numbers are a line in the middle.
    let y = |number: f64| if most > least { HEIGHT * (most - number) / (most - least) } else { HEIGHT / 2.0 };
    let mut path = String::new();
    for (x, (low, high)) in columns.iter().enumerate() {
        path.push_str(&format!("{}{x} {:.1}", if x == 0 { "M" } else { "L" }, y(*high)));
        if low < high {
            path.push_str(&format!("L{x} {:.1}", y(*low)));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_a_line() {
        assert_eq!(path(&columns(&[0.0, 1.0, 0.5]), 0.0, 1.0), "M0 24.0L1 0.0L2 12.0");
        assert_eq!(path(&columns(&[2.0, 2.0]), 2.0, 2.0), "M0 12.0L1 12.0");
        assert_eq!(bounds(&[]), None);
    }

    #[test]
    fn many_numbers_share_columns() {
        let numbers: Vec<f64> = (0..1_000).map(f64::from).collect();
        let columns = columns(&numbers);
        assert_eq!(columns.len(), COLUMNS_MAX);
        assert_eq!((columns[0], columns[COLUMNS_MAX - 1]), ((0.0, 6.0), (992.0, 999.0)));
        assert!(path(&columns, 0.0, 999.0).starts_with("M0 23.9L0 24.0"));
    }
}
