//! The view of the sizes of rows.

use alloc::format;
use alloc::string::String;

use super::numbers::{bytes, count};

/// Texts of the sizes of rows.
pub struct Sizes {
    /// On the tab.
    pub name: &'static str,
    pub title: &'static str,
    /// Rows and stored bytes of the table.
    pub summary: fn(u64, u64) -> String,
    /// The choice of what bars count, and its choices.
    pub count: &'static str,
    pub counts: [&'static str; 2],
    /// The title of the picture with each choice, with the name of the design.
    pub pictures: [fn(&str) -> String; 2],
    /// How many rows are counted, and whether these are all.
    pub counted: fn(u64, bool) -> String,
    /// The size at which a tablet is split, and the button that halves it.
    pub split: fn(u64) -> String,
    pub halve: &'static str,
    pub halved: &'static str,
    pub save: &'static str,
}

pub const ENGLISH: Sizes = Sizes {
    name: "Sizes",
    title: "Row sizes",
    summary: |rows, stored| format!("{}, {} stored", count(rows, "row", "rows"), bytes(stored)),
    count: "Bars show",
    counts: ["Rows", "Bytes"],
    pictures: [
        |design| format!("{design}: rows of each size"),
        |design| format!("{design}: bytes in rows of each size"),
    ],
    counted: |rows, all| match all {
        true => format!("{} counted.", count(rows, "row", "rows")),
        false => format!("Counting… {} so far.", count(rows, "row", "rows")),
    },
    split: |size| {
        format!("A row is never split. A tablet is split between rows when it reaches {}.", bytes(size))
    },
    halve: "Halve the tablet size",
    halved: "Tablet size halved.",
    save: "Save as SVG",
};
