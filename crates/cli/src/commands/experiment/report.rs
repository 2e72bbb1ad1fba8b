//! The figures of an experiment as text, JSON, Markdown and CSV.

use serde::Serialize;
use tabletop_keys::{LayoutKind, bytes, thousands};
use tabletop_protocol::experiment::{DesignFigures, ExperimentReport, Median, PointFigures};
use tabletop_views::markdown;

use crate::commands::counted;
use crate::commands::report::{self, list};
use crate::commands::run::{Grid, on_one_line};
use crate::commands::style::STRONG;

/// Formats the report for a terminal, with styles.
pub(super) fn text(report: &ExperimentReport, source: &str) -> String {
    let mut out = format!("{}\n", headline(report, source));
    for (title, grid) in grids(report) {
        out.push_str(&format!("\n{STRONG}{title}{STRONG:#}\n{}", grid.text()));
    }
    out.push('\n');
    for line in notes(report) {
        out.push_str(&format!("{}\n", on_one_line(&line)));
    }
    out
}

/// Formats the report as Markdown.
pub(super) fn markdown(report: &ExperimentReport, source: &str) -> String {
    let mut out = format!("## {}\n", markdown::text(&headline(report, source)));
    for (title, grid) in grids(report) {
        out.push_str(&format!("\n### {title}\n\n{}", grid.markdown()));
    }
    out + "\n" + &list(&notes(report))
}

/// Formats the report for programs.
pub(super) fn json(report: &ExperimentReport, source: &str) -> String {
    #[derive(Serialize)]
    struct WithSource<'r> {
        source: &'r str,
        #[serde(flatten)]
        report: &'r ExperimentReport,
    }
    report::json(&WithSource { source, report })
}

fn headline(report: &ExperimentReport, source: &str) -> String {
    format!(
        "Profiles of {} from {}, {}; each run {}, in random order",
        counted(report.users, "user", "users"),
        counted(report.events, "event", "events"),
        on_one_line(source),
        if report.rounds == 1 { "once".into() } else { format!("{} times", report.rounds) }
    )
}

fn grids(report: &ExperimentReport) -> Vec<(String, Grid)> {
    let asked = report.facets_asked;
    let names: Vec<&str> = report.facets.iter().take(asked as usize).map(String::as_str).collect();
    let names: String = format!("{} of {} facets: {}", asked, report.facets.len(), names.join(", "));
    let mut by_size = points_grid();
    report
        .points
        .iter()
        .filter(|point| point.facets == asked)
        .for_each(|point| by_size.push(line(report, point, point.events)));
    let mut by_facets = facets_grid();
    let largest = report.points.iter().filter(|point| point.events == report.events);
    largest.for_each(|point| by_facets.push(facets_line(report, point)));
    let mut grids = vec![
        (format!("Time against events ({})", on_one_line(&names)), by_size),
        ("Time against the number of facets requested (all events)".into(), by_facets),
        ("Storage of all events, and time per event".into(), designs_grid(report)),
    ];
    if let Some(first) = report.encodings.first() {
        grids.push((
            format!("Encodings of values ({})", counted(first.events, "event", "events")),
            encodings_grid(report),
        ));
    }
    grids
}

fn points_grid() -> Grid {
    let head = vec![
        "DESIGN",
        "EVENTS",
        "ROWS",
        "CELLS",
        "CELLS RETURNED",
        "BYTES READ",
        "BYTES RETURNED",
        "SERVER",
        "CLIENT",
        "NETWORK",
        "TOTAL",
        "SPREAD",
    ];
    Grid::new(head, 1)
}

fn line(report: &ExperimentReport, point: &PointFigures, events: u64) -> Vec<String> {
    vec![
        report.designs[point.design as usize].name.clone(),
        thousands(events),
        thousands(point.rows),
        thousands(point.cells),
        thousands(point.cells_returned),
        bytes(point.bytes_read),
        bytes(point.bytes_returned),
        millis(point.server_micros.median),
        millis(point.client_micros.median),
        if report.network.is_some() { millis(point.network_micros) } else { "-".into() },
        millis(point.total_micros.median),
        spread(point.total_micros),
    ]
}

fn facets_grid() -> Grid {
    let head = vec!["DESIGN", "FACETS", "BYTES RETURNED", "SERVER", "CLIENT", "TOTAL", "SPREAD", "SPEED-UP"];
    Grid::new(head, 1)
}

fn facets_line(report: &ExperimentReport, point: &PointFigures) -> Vec<String> {
    let speedup = report
        .speedups
        .iter()
        .find(|speedup| (speedup.design, speedup.facets) == (point.design, point.facets));
    vec![
        report.designs[point.design as usize].name.clone(),
        thousands(point.facets),
        bytes(point.bytes_returned),
        millis(point.server_micros.median),
        millis(point.client_micros.median),
        millis(point.total_micros.median),
        spread(point.total_micros),
        speedup.map_or("-".into(), |speedup| format!("{:.2}x", speedup.times)),
    ]
}

fn designs_grid(report: &ExperimentReport) -> Grid {
    let head = vec![
        "DESIGN",
        "STORED",
        "PER EVENT",
        "COMPRESSED PER EVENT",
        "\u{b5}S PER EVENT",
        "EVENTS/S",
        "R\u{b2}",
        "REFUSED",
    ];
    let mut grid = Grid::new(head, 1);
    for design in report.designs.iter().filter(|design| design.left_out.is_none()) {
        let per = |all: u64, of: u64| format!("{:.1} B", all as f64 / of.max(1) as f64);
        let none = || "-".to_owned();
        grid.push(vec![
            design.name.clone(),
            bytes(design.stored_bytes),
            per(design.stored_bytes, report.events),
            per(design.compressed.compressed_bytes, design.compressed.events),
            design.line.map_or_else(none, |line| format!("{:.3}", line.slope)),
            design.line.map_or_else(none, |line| thousands((1e6 / line.slope.max(1e-6)) as u64)),
            design.line.map_or_else(none, |line| format!("{:.4}", line.r_squared)),
            thousands(design.events_refused),
        ]);
    }
    grid
}

fn encodings_grid(report: &ExperimentReport) -> Grid {
    let head = vec![
        "ENCODING",
        "VALUES",
        "STORED",
        "PER VALUE",
        "COMPRESSED PER EVENT",
        "ENCODE",
        "SPREAD",
        "DECODE",
        "SPREAD",
    ];
    let mut grid = Grid::new(head, 2);
    for figures in &report.encodings {
        let per = |all: u64| format!("{:.1} B", all as f64 / figures.events.max(1) as f64);
        grid.push(vec![
            figures.encoding.name().into(),
            if figures.layout == LayoutKind::Narrow {
                "counts of facets".into()
            } else {
                "whole events".into()
            },
            bytes(figures.stored_bytes),
            per(figures.compressed.value_bytes),
            per(figures.compressed.compressed_bytes),
            millis(figures.encode_micros.median),
            spread(figures.encode_micros),
            millis(figures.decode_micros.median),
            spread(figures.decode_micros),
        ]);
    }
    grid
}

/// Returns the findings, and the designs that were left out.
fn notes(report: &ExperimentReport) -> Vec<String> {
    let left_out = |design: &DesignFigures| {
        design.left_out.as_ref().map(|why| format!("{} was left out. {why}", design.name))
    };
    report.findings.iter().cloned().chain(report.designs.iter().filter_map(left_out)).collect()
}

fn millis(micros: f64) -> String {
    format!("{:.2} ms", micros / 1e3)
}

fn spread(median: Median) -> String {
    format!("{:.2}\u{2013}{:.2}", median.min / 1e3, median.max / 1e3)
}
