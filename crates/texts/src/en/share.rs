//! The dialog that shares a workspace.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

/// Texts of the dialog.
pub struct Share {
    pub title: &'static str,
    /// What the link contains, without and with the user's own events.
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
    /// What pictures show, in the order of the choice, and their colours.
    pub picture_of: &'static str,
    pub pictures_of: [&'static str; 3],
    pub background: &'static str,
    pub backgrounds: [&'static str; 2],
    /// While something is measured that a file waits for.
    pub measures: fn(percent: f64) -> String,
    pub waits: fn(file: &str) -> String,
    pub as_it_is: &'static str,
    pub cancel: &'static str,
    pub load_all: &'static str,
    pub incomplete: fn(events: u64, of: u64, costs: (usize, usize)) -> String,
    pub nothing: &'static str,
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
    pub maps: &'static str,
    pub figures: &'static str,
    /// The sentences on the winner by access patterns, next to those on figures.
    pub by_patterns: fn(sentences: &str) -> String,
    pub event: &'static str,
    pub advice: fn(design: &str) -> String,
    pub no_advice: &'static str,
    pub remedies: &'static str,
    pub thresholds: &'static str,
}

fn designs_and_queries(designs: u64, queries: u64) -> String {
    let designs = count(designs, "design", "designs");
    match queries {
        0 => format!("{designs}, the current query"),
        queries => format!("{designs}, {}", count(queries, "saved query", "saved queries")),
    }
}

pub const ENGLISH: Share = Share {
    title: "Share this workspace",
    contains: |designs, queries| {
        format!(
            "Anyone with the link sees {} and the same events. All of this is in the part after #, which is \
             not sent to any server.",
            designs_and_queries(designs, queries)
        )
    },
    contains_own: |designs, queries| {
        format!(
            "Anyone with the link sees {} and the names of your file and its fields. All of this is in the \
             part after #, which is not sent to any server.",
            designs_and_queries(designs, queries)
        )
    },
    events_stay: "Your events are not in the link.",
    own_events: |file| {
        format!(
            "Others are asked for {file} before they see any rows. Values in your queries are in the link."
        )
    },
    link: "Link",
    length: |chars| count(chars, "character", "characters"),
    long: |chars_max| {
        format!(
            "Some services cut links of more than {} characters. Send the workspace file instead.",
            thousands(chars_max)
        )
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
    pictures: "Pictures",
    save_picture: "Save picture (SVG)",
    save_png: "Save picture (PNG)",
    copy_png: "Copy picture",
    png_copied: "Picture copied",
    png_not_copied: "The browser blocked copying the picture. Save it as a file.",
    no_png: "The browser cannot draw the picture. Save it as SVG.",
    tables: "Tables of the comparison",
    save_figures: "Save figures (CSV)",
    save_patterns: "Save access patterns (CSV)",
    save_json: "Save both (JSON)",
    picture_of: "Picture of",
    pictures_of: ["Tablets", "Map", "Access patterns"],
    background: "Background of pictures",
    backgrounds: ["Light background", "Dark background"],
    measures: |percent| format!("Measuring all designs: {percent:.0}%"),
    waits: |file| format!("\u{201c}{file}\u{201d} downloads when everything is measured."),
    as_it_is: "Use what is measured so far",
    cancel: "Cancel",
    load_all: "Load all events",
    incomplete: |events, of, (costs, all)| {
        let costs = if costs < all {
            format!(", {} of {} access pattern costs", thousands(costs as u64), thousands(all as u64))
        } else {
            String::new()
        };
        format!("Incomplete: the tables had {} of {} events{costs}.", thousands(events), thousands(of))
    },
    nothing: "Nothing to save yet.",
    report: Report {
        generated: |events, seed| {
            format!("{}, generated from seed {seed}.", count(events, "event", "events"))
        },
        sample: |name| format!("The events of the sample \u{201c}{name}\u{201d}."),
        own: |name| {
            format!("The events of {name}. None of them is in this report, but the advice may quote values.")
        },
        open: "Open this workspace in Tabletop",
        designs: "Designs",
        tablets: "Tablets: width shows stored bytes, height and colour show share of load",
        maps: "Maps",
        figures: "Figures",
        by_patterns: |sentences| format!("For the access patterns: {sentences}"),
        event: "The first event in each design",
        advice: |design| format!("Advice on {design}"),
        no_advice: "No warnings.",
        remedies: "What helps:",
        thresholds: "Measured by Tabletop, whose engine splits tablets at scaled-down thresholds: Google \
                     does not publish Bigtable's.",
    },
};
