//! The dialog that shares a workspace.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

fn designs_and_queries(designs: u64, queries: u64) -> String {
    let designs = count(designs, "design", "designs");
    match queries {
        0 => format!("{designs}, the current query"),
        queries => format!("{designs}, {}", count(queries, "access pattern", "access patterns")),
    }
}

texts!(Share {
    title: "Share this workspace",
    /// What the link contains, without and with the user's own events.
    contains: |designs: u64, queries: u64| {
        format!(
            "Anyone with the link sees {} and the same events. All of this is in the part after #, which is \
             not sent to any server.",
            designs_and_queries(designs, queries)
        )
    },
    contains_own: |designs: u64, queries: u64| {
        format!(
            "Anyone with the link sees {} and the names of your file and its fields. All of this is in the \
             part after #, which is not sent to any server.",
            designs_and_queries(designs, queries)
        )
    },
    events_stay: "Your events are not in the link.",
    own_events: |file: &str| {
        format!(
            "Others are asked for {file} before they see any rows. Values in your queries are in the link."
        )
    },
    /// The sender's consent to measurements and events in the link.
    record: "Add the measured figures and the verdict",
    record_events: |events: u64| format!("Add the first {}", count(events, "event", "events")),
    /// What the recipient sees of them.
    recorded: "Measured by the sender",
    recorded_on: |day: [u32; 3]| {
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let [year, month, day] = day;
        let month = month.checked_sub(1).and_then(|month| MONTHS.get(month as usize)).unwrap_or(&"");
        format!("Measured by the sender on {day} {month} {year}.")
    },
    recorded_about: "This page has not measured it: it has no events.",
    load_events: |events: u64| format!("Load {} of the sender", count(events, "event", "events")),
    events_of: |events: u64, file: &str| format!("{} of {file}", count(events, "event", "events")),
    link: "Link",
    length: |chars: u64| count(chars, "character", "characters"),
    long: |chars_max: u64| {
        format!(
            "Some services cut links of more than {} characters. Send the workspace file instead.",
            thousands(chars_max)
        )
    },
    copy_link: "Copy link",
    copy_markdown: "Copy as Markdown",
    link_copied: "Link copied",
    markdown_copied: "Link and tables copied, as Markdown",
    /// The title of a link in Markdown to a workspace without a name, and the columns of its table.
    unnamed: "Tabletop workspace",
    design: "Design",
    row_key: "Row key",
    layout: "Layout",
    /// The files.
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
    /// What pictures show, in the order of the choice, and their colours.
    picture_of: "Picture of",
    pictures_of: ["Tablets", "Map", "Access patterns"],
    background: "Background of pictures",
    backgrounds: ["Light background", "Dark background"],
    /// While something is measured that a file waits for.
    measures: |percent: f64| format!("Measuring all designs: {percent:.0}%"),
    waits: |file: &str| format!("\u{201c}{file}\u{201d} downloads when everything is measured."),
    as_it_is: "Use what is measured so far",
    cancel: "Cancel",
    load_all: "Load all events",
    incomplete: |events: u64, of: u64, costs: (usize, usize)| {
        let (costs, all) = costs;
        let costs = if costs < all {
            format!(", {} of {} access pattern costs", thousands(costs as u64), thousands(all as u64))
        } else {
            String::new()
        };
        format!("Incomplete: the tables had {} of {} events{costs}.", thousands(events), thousands(of))
    },
    nothing: "Nothing to save yet.",
    /// Texts of the report.
    report: Report {
        generated: |events: u64, seed: u64| {
            format!("{}, generated from seed {seed}.", count(events, "event", "events"))
        },
        sample: |name: &str| format!("The events of the sample \u{201c}{name}\u{201d}."),
        own: |name: &str| {
            format!("The events of {name}. None of them is in this report, but the advice may quote values.")
        },
        open: "Open this workspace in Tabletop",
        /// The sections.
        designs: "Designs",
        tablets: "Tablets: width shows stored bytes, height and colour show share of load",
        maps: "Maps",
        figures: "Figures",
        /// The sentences on the winner by access patterns, next to those on figures.
        by_patterns: |sentences: &str| format!("For the access patterns: {sentences}"),
        event: "The first event in each design",
        advice: |design: &str| format!("Advice on {design}"),
        no_advice: "No warnings.",
        remedies: "What helps:",
        thresholds: "Measured by Tabletop, whose engine splits tablets at scaled-down thresholds: Google \
                     does not publish Bigtable's.",
    },
});
