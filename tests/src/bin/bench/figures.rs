//! Measured figures, as a table and as JSON.

use std::fmt;

use serde_json::json;
use tabletop_keys::thousands;

/// All figures, in the order of measurement.
#[derive(Debug, Default)]
pub struct Figures(Vec<Figure>);

/// One figure.
#[derive(Debug)]
struct Figure {
    group: &'static str,
    name: String,
    value: f64,
    unit: &'static str,
    /// The maximum acceptable value, in the same unit.
    budget: Option<f64>,
}

impl Figures {
    /// Adds a figure and prints it immediately, because the whole run takes minutes.
    pub fn add(
        &mut self,
        group: &'static str,
        name: impl Into<String>,
        value: f64,
        unit: &'static str,
        budget: Option<f64>,
    ) {
        let figure = Figure { group, name: name.into(), value, unit, budget };
        eprintln!("bench: {group}: {}: {} {unit}", figure.name, number(value));
        self.0.push(figure);
    }

    /// Returns the figures as a list of objects.
    pub fn json(&self) -> String {
        let figures = self.0.iter().map(|figure| {
            json!({
                "group": figure.group,
                "name": figure.name,
                "value": figure.value,
                "unit": figure.unit,
                "budget": figure.budget,
            })
        });
        format!("{:#}\n", json!(Vec::from_iter(figures)))
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
        let mut group = "";
        for figure in &self.0 {
            if figure.group != group {
                group = figure.group;
                writeln!(f, "\n{group}")?;
            }
            write!(f, "  {:<width$}  {:>13} {:<8}", figure.name, number(figure.value), figure.unit)?;
            match figure.budget {
                Some(budget) if figure.value > budget => {
                    writeln!(f, "OVER its budget of {}", number(budget))?;
                }
                Some(budget) => writeln!(f, "budget {}", number(budget))?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

/// Formats a number, with a fraction only if it is small.
fn number(value: f64) -> String {
    if value < 100.0 && value.fract() != 0.0 {
        format!("{value:.1}")
    } else {
        thousands(value.round() as u64)
    }
}
