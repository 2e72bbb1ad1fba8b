//! The text format of Prometheus, version 0.0.4.

use std::fmt::{Display, Write};

/// The kind of a family of time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Only grows until the process restarts. Its name ends in `_total`.
    Counter,
    /// Any number.
    Gauge,
    /// Counts by upper bound.
    Histogram,
}

/// A text of families, each with its samples.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

impl Exposition {
    /// Begins a family. All of its samples follow before the next one.
    pub fn family(&mut self, name: &str, kind: Kind, help: &str) {
        debug_assert_eq!(kind == Kind::Counter, name.ends_with("_total"), "{name}");
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Writes a sample.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            self.0.push(if at == 0 { '{' } else { ',' });
            self.0.push_str(label);
            self.0.push_str("=\"");
            for c in text.chars() {
                match c {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    c => self.0.push(c),
                }
            }
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        self.write(format_args!(" {value}\n"));
    }

    /// Writes a histogram. `counts` has one entry per bucket, one more than `bounds`, and `sum` is
    /// the sum of all values.
    pub fn histogram(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        bounds: &[f64],
        counts: &[u64],
        sum: f64,
    ) {
        let bucket = format!("{name}_bucket");
        let texts: Vec<String> = bounds.iter().map(f64::to_string).chain(["+Inf".to_string()]).collect();
        let mut up_to = 0;
        for (text, count) in texts.iter().zip(counts) {
            up_to += count;
            self.sample(&bucket, &[labels, &[("le", text)]].concat(), up_to);
        }
        self.sample(&format!("{name}_sum"), labels, sum);
        self.sample(&format!("{name}_count"), labels, up_to);
    }

    /// Returns the text.
    pub fn into_text(self) -> String {
        self.0
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_buckets_add_up() {
        let mut out = Exposition::default();
        out.family("a_total", Kind::Counter, "A \\ and\na line.");
        out.sample("a_total", &[("x", "a\"b\\c\nd"), ("y", "")], 1);
        out.family("b", Kind::Histogram, "B.");
        out.histogram("b", &[("z", "é")], &[0.5, 10.0], &[2, 0, 3], 40.25);
        let expected = r#"# HELP a_total A \\ and\na line.
# TYPE a_total counter
a_total{x="a\"b\\c\nd",y=""} 1
# HELP b B.
# TYPE b histogram
b_bucket{z="é",le="0.5"} 2
b_bucket{z="é",le="10"} 2
b_bucket{z="é",le="+Inf"} 5
b_sum{z="é"} 40.25
b_count{z="é"} 5
"#;
        assert_eq!(out.into_text(), expected);
    }
}
