//! The figures of designs and the costs of their access patterns as data: CSV for spreadsheets,
//! JSON for programs.
//!
//! Spreadsheets run a cell that begins with `=`, `+`, `-` or `@` as a formula, and names of designs
//! and patterns may come with a link from anyone. In CSV an apostrophe is put before such a text,
//! as OWASP recommends. Numbers are written unchanged.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use tabletop_advice::{DesignCosts, DesignFigures, Figure, QueryOutcome, Scoreboard, TableState};
use tabletop_keys::Field;
use tabletop_texts::messages;
use tabletop_workspace::{Design, NamedQuery};

use super::tables::tables_read;
use crate::in_words::{in_words, storage_of};

/// A value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// Unknown, or missing.
    Nothing,
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Lines of values with names.
pub struct DataTable {
    columns: Vec<&'static str>,
    lines: Vec<Vec<Datum>>,
}

impl DataTable {
    /// A line for each design with its figures, in bytes and as shares from 0 to 1, and how many
    /// events of the total they cover. `fields` are the fields of the events.
    pub fn of_figures(designs: &[DesignFigures], fields: &[Field]) -> DataTable {
        let line = |each: &DesignFigures| {
            let design = &each.design;
            let names =
                [design.name.as_str(), &design.template, &storage_of(design, fields)].map(Datum::from);
            let events = [each.events_built, each.events_total].map(|count| Datum::Number(count.into()));
            names.into_iter().chain(Figure::ALL.map(|figure| figure.of(each).into())).chain(events).collect()
        };
        DataTable {
            columns: ["design", "row_key", "layout"]
                .into_iter()
                .chain(Figure::ALL.map(column))
                .chain(["events", "events_of"])
                .collect(),
            lines: designs.iter().map(line).collect(),
        }
    }

    /// A line for each access pattern on each design, with the counts of one read.
    pub fn of_patterns(tables: &[Design], queries: &[NamedQuery], costs: &[DesignCosts]) -> DataTable {
        let columns = vec![
            "access_pattern",
            "query",
            "reads_per_second",
            "design",
            "index_table",
            "state",
            "plan",
            "ranges",
            "rows_seen",
            "rows_returned",
            "cells_seen",
            "bytes_read",
            "blocks",
            "tablets",
            "time_micros",
            "limits_missed",
        ];
        let lines = queries.iter().enumerate().flat_map(|(at, named)| {
            let read = tables_read(tables, named).into_iter().chain(core::iter::repeat(None));
            costs.iter().zip(read).map(move |(each, index)| pattern_line(at, named, each, index))
        });
        DataTable { columns, lines: lines.collect() }
    }

    /// A line for each design with the work that its access patterns need per second.
    pub fn of_totals(costs: &[DesignCosts], board: &Scoreboard) -> DataTable {
        let line = |(each, total): (&DesignCosts, &Option<tabletop_advice::Total>)| {
            let number = |value: fn(&tabletop_advice::Total) -> f64| Datum::from(total.as_ref().map(value));
            vec![
                Datum::from(each.design.name.as_str()),
                number(|total| total.blocks),
                number(|total| total.rows),
                number(|total| total.cells),
                number(|total| total.standing.unanswered.into()),
                number(|total| total.missed.into()),
            ]
        };
        let columns = vec![
            "design",
            "blocks_per_second",
            "rows_per_second",
            "cells_per_second",
            "unanswered",
            "limits_missed",
        ];
        DataTable { columns, lines: costs.iter().zip(&board.totals).map(line).collect() }
    }

    /// Writes it as CSV (RFC 4180) with a header line.
    pub fn csv(&self) -> String {
        let head = self.columns.join(",") + "\r\n";
        let line = |cells: &Vec<Datum>| cells.iter().map(csv_field).collect::<Vec<_>>().join(",") + "\r\n";
        head + &self.lines.iter().map(line).collect::<String>()
    }

    /// Writes it as a JSON array of objects.
    pub fn json(&self) -> String {
        let object = |cells: &Vec<Datum>| {
            let members = self.columns.iter().zip(cells);
            let members: Vec<String> =
                members.map(|(name, value)| format!("{}:{}", json_text(name), json_value(value))).collect();
            format!("{{{}}}", members.join(","))
        };
        format!("[\n{}\n]", self.lines.iter().map(object).collect::<Vec<_>>().join(",\n"))
    }
}

fn pattern_line(at: usize, named: &NamedQuery, costs: &DesignCosts, index_table: Option<&str>) -> Vec<Datum> {
    let outcome = costs.outcomes.get(at).unwrap_or(&QueryOutcome::Waiting);
    let state = match (costs.state, outcome) {
        (TableState::Invalid, _) => "invalid_template",
        (TableState::Growing, _) => "events_missing",
        (TableState::Complete, QueryOutcome::Waiting) => "not_measured",
        (TableState::Complete, QueryOutcome::Refused(_)) => "no_answer",
        (TableState::Complete, QueryOutcome::Answered(_)) => "answered",
    };
    let mut line = vec![
        Datum::from(named.name.as_str()),
        Datum::from(in_words(&named.query).as_str()),
        Datum::Number(named.reads_per_second),
        Datum::from(costs.design.name.as_str()),
        index_table.map_or(Datum::Nothing, Datum::from),
        Datum::from(state),
    ];
    match outcome {
        QueryOutcome::Answered(cost) => {
            let stats = &cost.stats;
            line.push(Datum::from((messages().advice.plan)(cost).as_str()));
            let counts = [
                cost.ranges.into(),
                stats.rows_seen,
                stats.rows_returned,
                stats.cells_seen,
                stats.bytes_read,
                cost.blocks(),
                stats.tablets_touched,
                cost.elapsed_micros,
                cost.misses(named).len() as u64,
            ];
            line.extend(counts.map(|count| Datum::Number(count as f64)));
        }
        QueryOutcome::Waiting | QueryOutcome::Refused(_) => {
            line.extend(core::iter::repeat_n(Datum::Nothing, 10));
        }
    }
    line
}

/// The name of a figure's column.
fn column(figure: Figure) -> &'static str {
    match figure {
        Figure::HottestShare => "hottest_tablet_share",
        Figure::HottestTimesMedian => "hottest_over_median",
        Figure::Splits => "splits",
        Figure::Rows => "rows",
        Figure::Cells => "cells",
        Figure::LogicalBytes => "logical_bytes",
        Figure::CompressedBytes => "compressed_bytes_estimate",
        Figure::StoredBytes => "stored_bytes",
        Figure::BytesPerEvent => "stored_bytes_per_event",
        Figure::LongestKey => "longest_key_bytes",
        Figure::WriteAmplification => "write_amplification",
    }
}

/// The file for programs: the sentence on the best design, why it is incomplete (null if it is
/// complete), and all tables.
pub fn json_file(
    workspace: &str,
    sentence: &str,
    note: Option<&str>,
    tables: &[(&str, DataTable)],
) -> String {
    let tables = tables.iter().map(|(name, table)| format!(",\n{}:{}", json_text(name), table.json()));
    let note = note.map_or("null".into(), json_text);
    let head = format!(
        "{{\"workspace\":{},\n\"result\":{},\n\"incomplete\":{note}",
        json_text(workspace),
        json_text(sentence)
    );
    head + &tables.collect::<String>() + "\n}\n"
}

fn csv_field(value: &Datum) -> String {
    let text = match value {
        Datum::Nothing => return String::new(),
        Datum::Number(number) => return number.to_string(),
        Datum::Text(text) => text,
    };
    // Spreadsheets skip spaces and control characters before a formula.
    let first = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
    let guard = if first.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

fn json_value(value: &Datum) -> String {
    match value {
        Datum::Number(number) if number.is_finite() => number.to_string(),
        Datum::Nothing | Datum::Number(_) => "null".into(),
        Datum::Text(text) => json_text(text),
    }
}

fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            character if character < ' ' => out += &format!("\\u{:04x}", character as u32),
            character => out.push(character),
        }
    }
    out + "\""
}

impl From<&str> for Datum {
    fn from(text: &str) -> Datum {
        Datum::Text(text.into())
    }
}

impl From<Option<f64>> for Datum {
    fn from(value: Option<f64>) -> Datum {
        value.map_or(Datum::Nothing, Datum::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_advice::QueryCost;
    use tabletop_keys::PlanKind;
    use tabletop_workspace::Workspace;

    #[test]
    fn no_text_is_a_formula_in_a_spreadsheet() {
        let field = |text: &str| csv_field(&Datum::from(text));
        for (text, written) in [
            ("=1+2", "'=1+2"),
            ("+1", "'+1"),
            ("-x", "'-x"),
            ("@sum", "'@sum"),
            ("\t =1", "'\t =1"),
            ("=HYPERLINK(\"a\",\"b\")", "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\""),
            ("\r\n=1", "\"'\r\n=1\""),
            ("a=1", "a=1"),
            ("{user}-1", "{user}-1"),
            ("a,b", "\"a,b\""),
        ] {
            assert_eq!(field(text), written);
        }
        assert_eq!(csv_field(&Datum::Number(-1.5)), "-1.5", "a number is no formula");
        assert_eq!(csv_field(&Datum::Nothing), "");
    }

    #[test]
    fn patterns_are_lines_of_csv_and_objects_of_json() {
        let mut workspace = Workspace::default();
        workspace.designs[0].name = "=A".into();
        let queries = [NamedQuery::new("one \"user\"", workspace.query.clone())];
        let mut stats = tabletop_model::ReadStats::default();
        (stats.rows_seen, stats.rows_returned, stats.blocks_read) = (20, 3, 2);
        let cost = QueryCost {
            kind: PlanKind::Scan,
            stats,
            ranges: 1,
            scans_more: true,
            newest: None,
            entities: None,
            wrong: None,
            timings: 1,
            elapsed_micros: 70,
        };
        let design = || workspace.designs[0].clone();
        let costs = [
            DesignCosts {
                design: design(),
                state: TableState::Complete,
                is_hot: false,
                lost: 0,
                events: 100,
                heat: 0.0,
                largest_row: None,
                tables: 1,
                stored_bytes: 100,
                outcomes: vec![QueryOutcome::Answered(cost)],
            },
            DesignCosts {
                design: design(),
                state: TableState::Growing,
                is_hot: false,
                lost: 0,
                events: 100,
                heat: 0.0,
                largest_row: None,
                tables: 1,
                stored_bytes: 0,
                outcomes: vec![],
            },
        ];
        let table = DataTable::of_patterns(&workspace.designs, &queries, &costs);
        let csv = table.csv();
        let lines: Vec<&str> = csv.split("\r\n").collect();
        assert_eq!(
            lines[1],
            "\"one \"\"user\"\"\",all rows \u{b7} at most 100 rows,1,'=A,,answered,full scan,1,20,3,0,0,2,0,70,0"
        );
        assert_eq!(
            lines[2],
            "\"one \"\"user\"\"\",all rows \u{b7} at most 100 rows,1,'=A,,events_missing,,,,,,,,,,"
        );
        assert!(
            lines
                .iter()
                .take(3)
                .all(|line| line.replace("\"one \"\"user\"\"\"", "").matches(',').count() == 15),
            "{csv}"
        );
        let json = table.json();
        assert!(
            json.contains("{\"access_pattern\":\"one \\\"user\\\"\",") && json.contains("\"design\":\"=A\""),
            "{json}"
        );
        assert!(
            json.contains("\"rows_seen\":20,\"rows_returned\":3") && json.contains("\"plan\":null"),
            "{json}"
        );
    }

    #[test]
    fn a_file_for_programs_has_all_tables() {
        let file = json_file(
            "a\tb",
            "best",
            Some("4 of 5"),
            &[("designs", DataTable::of_figures(&[], &[])), ("totals", DataTable::of_figures(&[], &[]))],
        );
        assert_eq!(
            file,
            "{\"workspace\":\"a\\u0009b\",\n\"result\":\"best\",\n\"incomplete\":\"4 of 5\",\n\"designs\":[\n\n],\n\"totals\":[\n\n]\n}\n"
        );
    }
}
