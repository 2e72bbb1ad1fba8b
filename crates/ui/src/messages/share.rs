//! The dialog that shares a workspace.

use super::numbers::{count, thousands};

/// Texts of the dialog.
pub struct Share {
    pub title: &'static str,
    /// What the link has, without and with events of the person's own.
    pub contains: fn(designs: u64, queries: u64) -> String,
    pub contains_own: fn(designs: u64, queries: u64) -> String,
    pub events_stay: &'static str,
    pub own_events: fn(file: &str) -> String,
    pub link: &'static str,
    pub length: fn(chars: u64) -> String,
    pub long: fn(chars_max: u64) -> String,
    pub copy_link: &'static str,
    pub copy_markdown: &'static str,
    pub link_copied: &'static str,
    pub markdown_copied: &'static str,
    /// The title of a link in Markdown to a workspace without a name, and the columns of its table.
    pub unnamed: &'static str,
    pub design: &'static str,
    pub row_key: &'static str,
    pub layout: &'static str,
    /// The files.
    pub files: &'static str,
    pub save_report: &'static str,
    pub pictures: &'static str,
    pub save_picture: &'static str,
    pub save_png: &'static str,
    pub copy_png: &'static str,
    pub png_copied: &'static str,
    pub png_not_copied: &'static str,
    pub no_png: &'static str,
    pub tables: &'static str,
    pub save_figures: &'static str,
    pub save_patterns: &'static str,
    pub save_json: &'static str,
    pub one_design: &'static str,
    pub report: Report,
}

/// Texts of the report.
pub struct Report {
    pub generated: fn(events: u64, seed: u64) -> String,
    pub sample: fn(name: &str) -> String,
    pub own: fn(name: &str) -> String,
    pub open: &'static str,
    /// The sections.
    pub designs: &'static str,
    pub tablets: &'static str,
    pub figures: &'static str,
    pub event: &'static str,
    pub advice: fn(design: &str) -> String,
    pub thresholds: &'static str,
}

fn designs_and_queries(designs: u64, queries: u64) -> String {
    let designs = count(designs, "design", "designs");
    match queries {
        0 => format!("{designs}, the query on the screen"),
        queries => format!("{designs}, {}", count(queries, "saved query", "saved queries")),
    }
}

pub const ENGLISH: Share = Share {
    title: "Share this workspace",
    contains: |designs, queries| {
        format!(
            "Whoever opens the link sees {} and the same events; all of this is in the part after #, which no server receives.",
            designs_and_queries(designs, queries)
        )
    },
    contains_own: |designs, queries| {
        format!(
            "Whoever opens the link sees {} and the names of your file and its fields; all of this is in the part after #, which no \
             server receives.",
            designs_and_queries(designs, queries)
        )
    },
    events_stay: "Your events are not in the link.",
    own_events: |file| {
        format!(
            "Without {file}, others see no tablets and no rows: they are asked for the file. Values in your queries are in the link."
        )
    },
    link: "Link",
    length: |chars| count(chars, "character", "characters"),
    long: |chars_max| {
        format!("Some services cut links of more than {} characters. Send the workspace file instead.", thousands(chars_max))
    },
    copy_link: "Copy link",
    copy_markdown: "Copy as Markdown",
    link_copied: "Link copied",
    markdown_copied: "Link and tables copied, as Markdown",
    unnamed: "Tabletop workspace",
    design: "Design",
    row_key: "Row key",
    layout: "Layout",
    files: "As files",
    save_report: "Save report (HTML)",
    pictures: "Pictures of the tablets",
    save_picture: "Save picture of the tablets (SVG)",
    save_png: "Save picture (PNG)",
    copy_png: "Copy picture",
    png_copied: "Picture copied",
    png_not_copied: "The browser does not let this page copy pictures. Save the picture as a file.",
    no_png: "The browser cannot draw the picture. Save it as SVG.",
    tables: "Tables of the comparison",
    save_figures: "Save figures (CSV)",
    save_patterns: "Save access patterns (CSV)",
    save_json: "Save both (JSON)",
    one_design: "This is of the design on the screen. In the view Compare, pictures, report and Markdown have all designs, their figures and \
                 the costs of access patterns, and these can be saved as tables.",
    report: Report {
        generated: |events, seed| format!("{}, generated from seed {seed}.", count(events, "event", "events")),
        sample: |name| format!("The events of the sample \u{201c}{name}\u{201d}."),
        own: |name| format!("The events of {name}, none of which is in this report; the advice may quote values."),
        open: "Open this workspace in Tabletop",
        designs: "Designs",
        tablets: "Tablets by stored bytes, and their load",
        figures: "Figures",
        event: "The first event in each design",
        advice: |design| format!("Advice on {design}"),
        thresholds: "Measured by Tabletop, whose engine split tablets at thresholds that are scaled down: Google does not publish \
                     those of Bigtable.",
    },
};
