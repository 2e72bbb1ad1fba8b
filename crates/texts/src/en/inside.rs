//! One tablet from inside.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::PartKind;

use super::numbers::{bytes, count, thousands};

/// Texts of the view.
pub struct Inside {
    pub title: &'static str,
    pub comes: &'static str,
    /// Row range, rows and bytes of the tablet, in one line.
    pub summary: fn(number: usize, of: usize, rows: &str, stored: u64) -> String,
    pub flush: &'static str,
    pub compact: &'static str,
    pub flush_why_not: &'static str,
    pub compact_why_not: &'static str,
    pub flushed: &'static str,
    pub compacting: &'static str,
    pub parts: PartTexts,
    pub read: ReadTexts,
    pub table: SsTableTexts,
    pub bytes: ByteTexts,
    pub work: WorkTexts,
}

/// The memtable and the SSTables.
pub struct PartTexts {
    pub list: &'static str,
    pub memtable: &'static str,
    pub frozen: &'static str,
    /// Bytes of the limit, rows, cells.
    pub fill: fn(used: u64, limit: u64, rows: u64, cells: u64) -> String,
    pub sstable: fn(file: u64) -> String,
    pub figures: fn(&RunFigures) -> String,
    pub keys: fn(first: &str, last: &str) -> String,
    pub merged: &'static str,
    pub compaction: fn(is_major: bool, files: usize, input: u64, percent: Option<u64>) -> String,
    pub due: &'static str,
    pub no_sstables: &'static str,
    pub damaged: fn(reason: &str) -> String,
    pub order: &'static str,
}

/// An SSTable in one line.
pub struct RunFigures {
    pub bytes: u64,
    pub rows: u64,
    pub cells: u64,
    pub blocks: u64,
    pub depth: u32,
    pub deletions: Option<u64>,
    pub families: String,
    pub is_shared: bool,
}

/// What the last read touches.
pub struct ReadTexts {
    pub title: &'static str,
    pub about: &'static str,
    pub run: &'static str,
    pub none: &'static str,
    pub elsewhere: fn(tablets: usize) -> String,
    pub show: &'static str,
    pub summary: fn(stored: u64, cached: u64, bytes: u64, tablets: u64) -> String,
    pub skips: fn(bloom: u64, range: u64) -> String,
    pub memtable: &'static str,
    pub blocks: fn(stored: u64, cached: u64) -> String,
    pub some_skipped: fn(skipped: u64) -> String,
    pub bloom: &'static str,
    pub range: &'static str,
    pub group: &'static str,
    pub not_reached: &'static str,
    pub from_storage: &'static str,
    pub from_cache: &'static str,
}

/// An SSTable and its blocks.
pub struct SsTableTexts {
    pub choose: &'static str,
    pub close: &'static str,
    pub gone: fn(file: u64) -> String,
    /// Blocks, dictionary, index and the remaining sections, Bloom filter.
    pub sections: [&'static str; 4],
    pub file: &'static str,
    pub sequence: &'static str,
    pub list: fn(file: u64) -> String,
    pub block: fn(block: u32) -> String,
    pub columns: [&'static str; 6],
    pub continues: &'static str,
    /// The rows of a block without a complete row, and of one that also contains a part of a row.
    pub part_of_row: &'static str,
    pub rows_and_part: fn(rows: u64) -> String,
    pub range: fn(first: u32, last: u32, of: u32) -> String,
    pub earlier: &'static str,
    pub later: &'static str,
    pub reading: &'static str,
}

/// The bytes of a block.
pub struct ByteTexts {
    pub choose: &'static str,
    pub title: fn(block: u32, file: u64) -> String,
    pub size: fn(stored: u32, logical: Option<u64>) -> String,
    pub legend: &'static str,
    pub group: fn(block: u32) -> String,
    pub keys: &'static str,
    pub kind: fn(PartKind) -> &'static str,
    pub part: fn(first: u32, last: u32, name: &str) -> String,
    pub in_column: fn(column: &str) -> String,
    pub groups: [&'static str; 10],
    pub more: fn(more: u32, of: u32) -> String,
    pub end: fn(shown: u64, of: u64) -> String,
    pub damaged: fn(reason: &str) -> String,
    pub damaged_advice: &'static str,
}

/// Read and write amplification.
pub struct WorkTexts {
    pub title: &'static str,
    pub written: &'static str,
    pub written_about: &'static str,
    pub read: &'static str,
    pub read_about: &'static str,
    pub chart: fn(first: u32, last: u32) -> String,
    pub chart_about: &'static str,
}

pub const ENGLISH: Inside = Inside {
    title: "Inside a tablet",
    comes: "Loading…",
    summary: |number, of, rows, stored| {
        let noun = if rows == "1" { "row" } else { "rows" };
        format!("Tablet {number} of {of} · {rows} {noun} · {} stored", bytes(stored))
    },
    flush: "Flush",
    compact: "Compact",
    flush_why_not: "The memtable is empty: nothing to flush.",
    compact_why_not: "The memtable is empty and no SSTables overlap: nothing to flush or compact.",
    flushed: "Memtable flushed to an SSTable",
    compacting: "Compaction requested",
    parts: PartTexts {
        list: "Memtable and SSTables, newest first",
        memtable: "Memtable",
        frozen: "Memtable, being written",
        fill: |used, limit, rows, cells| {
            format!(
                "{} of {} · {} · {}",
                bytes(used),
                bytes(limit),
                count(rows, "row", "rows"),
                count(cells, "cell", "cells")
            )
        },
        sstable: |file| format!("SSTable {file}"),
        figures: |run| {
            let mut parts = alloc::vec![
                bytes(run.bytes),
                count(run.rows, "row", "rows"),
                count(run.cells, "cell", "cells"),
                count(run.blocks, "block", "blocks"),
            ];
            parts.extend((run.depth > 0).then(|| format!("below {} newer", thousands(run.depth.into()))));
            parts.extend(
                run.deletions.filter(|deletions| *deletions > 0).map(|n| count(n, "deletion", "deletions")),
            );
            parts.extend((!run.families.is_empty()).then(|| format!("families {}", run.families)));
            parts.extend(run.is_shared.then(|| "shared file".into()));
            parts.join(" · ")
        },
        keys: |first, last| format!("{first} … {last}"),
        merged: "being merged",
        compaction: |is_major, files, input, percent| {
            let kind = if is_major { "major" } else { "merging" };
            let done = percent.map(|percent| format!(", {percent}% written")).unwrap_or_default();
            format!(
                "A {kind} compaction merges {} of {}{done}",
                count(files as u64, "SSTable", "SSTables"),
                bytes(input)
            )
        },
        due: "A compaction is due",
        no_sstables: "No SSTables yet: all writes are in the memtable.",
        damaged: |reason| format!("Rows that cannot be read: {reason}"),
        order: "Newest first. A read of a row checks the memtable, then each SSTable whose key range and \
                Bloom filter may contain it.",
    },
    read: ReadTexts {
        title: "Last read",
        about: "Run a query: what it touches is marked above. Blocks count as cached if they were when the \
                read started.",
        run: "Run the query",
        none: "No query has run on this table yet.",
        elsewhere: |tablets| {
            format!("It touched {}, not this one.", count(tablets as u64, "other tablet", "other tablets"))
        },
        show: "Show the first one",
        summary: |stored, cached, of, tablets| {
            format!(
                "{}: {} from storage, {} from the cache · {} · {}",
                count(stored + cached, "block", "blocks"),
                thousands(stored),
                thousands(cached),
                bytes(of),
                count(tablets, "tablet", "tablets")
            )
        },
        skips: |bloom, range| {
            let mut parts = Vec::new();
            parts.extend(
                (bloom > 0)
                    .then(|| format!("{} skipped by Bloom filters", count(bloom, "SSTable", "SSTables"))),
            );
            parts.extend(
                (range > 0).then(|| format!("{} skipped by key range", count(range, "SSTable", "SSTables"))),
            );
            parts.join(", ")
        },
        memtable: "read",
        blocks: |stored, cached| match (stored, cached) {
            (stored, 0) => format!("{} read from storage", count(stored, "block", "blocks")),
            (0, cached) => format!("{} read from the cache", count(cached, "block", "blocks")),
            (stored, cached) => {
                format!(
                    "{} read, {} of them from the cache",
                    count(stored + cached, "block", "blocks"),
                    thousands(cached)
                )
            }
        },
        some_skipped: |skipped| format!("{} skipped", count(skipped, "search", "searches")),
        bloom: "skipped: the row is not in the Bloom filter",
        range: "skipped: no key of the read is in its key range",
        group: "skipped: it has other families",
        not_reached: "not reached: the read ended first",
        from_storage: "from storage",
        from_cache: "from the cache",
    },
    table: SsTableTexts {
        choose: "Choose an SSTable above to see its blocks and their bytes.",
        close: "Close the SSTable",
        gone: |file| format!("SSTable {file} is gone: a compaction merged it, or its table was rebuilt."),
        sections: ["Blocks", "Dictionary", "Index, counts, header", "Bloom filter"],
        file: "File",
        sequence: "Sequence",
        list: |file| format!("Blocks of SSTable {file}"),
        block: |block| format!("Block {block}"),
        columns: ["Block", "Last read", "First key", "Rows", "Cells", "Bytes"],
        continues: "(continues a row)",
        part_of_row: "part of a row",
        rows_and_part: |rows| format!("{} and a part", thousands(rows)),
        range: |first, last, of| {
            format!(
                "Blocks {} to {} of {}",
                thousands(first.into()),
                thousands(last.into()),
                thousands(of.into())
            )
        },
        earlier: "Earlier blocks",
        later: "Later blocks",
        reading: "Reading…",
    },
    bytes: ByteTexts {
        choose: "Choose a block to see its bytes.",
        title: |block, file| format!("Block {block} of SSTable {file}"),
        size: |stored, logical| {
            let stored_text = thousands(stored.into());
            match logical {
                Some(logical) if logical > 0 => format!(
                    "{stored_text} B stored for {} B of keys, columns, times and values: ratio {:.1}",
                    thousands(logical),
                    logical as f64 / f64::from(stored.max(1))
                ),
                _ => format!("{stored_text} B stored"),
            }
        },
        legend: "Parts of a block by colour",
        group: |block| format!("Bytes of block {block}"),
        keys: "Left and Right choose the previous and next part, Home and End the first and last.",
        kind: |kind| match kind {
            PartKind::RowCount => "number of rows",
            PartKind::BaseTime => "base of the other times",
            PartKind::KeysLength => "length of all keys",
            PartKind::DataLength => "length of all rows without keys",
            PartKind::ColumnCount => "number of the block's own columns",
            PartKind::Family => "family",
            PartKind::QualifierLength => "length of the qualifier",
            PartKind::Qualifier => "qualifier",
            PartKind::SharedLength => "bytes shared with the previous key",
            PartKind::RestLength => "length of the rest of the key",
            PartKind::Key => "rest of the key",
            PartKind::Restart => "offset of a whole key",
            PartKind::RowEnd => "end of a row",
            PartKind::RowHead => "shape of the row",
            PartKind::Deletes => "deletions",
            PartKind::CellCount => "number of cells",
            PartKind::Column => "column",
            PartKind::Time => "time",
            PartKind::Word => "value, as a dictionary word",
            PartKind::ValueLength => "length of the value",
            PartKind::Value => "value",
            PartKind::Tokens => "value, as words and pieces",
            PartKind::Checksum => "checksum",
        },
        part: |first, last, name| {
            if first == last {
                format!("Byte {first}: {name}")
            } else {
                format!("Bytes {first} to {last}: {name}")
            }
        },
        in_column: |column| format!("of {column}"),
        groups: [
            "counts, lengths",
            "shared prefix",
            "key",
            "row offsets",
            "shape",
            "column",
            "time",
            "value",
            "dictionary word",
            "deletions, checksum",
        ],
        more: |more, of| format!("Show {} more of {} bytes", thousands(more.into()), thousands(of.into())),
        end: |shown, of| {
            format!("Showing the first {} of {} bytes (the maximum).", thousands(shown), thousands(of))
        },
        damaged: |reason| format!("This block is damaged: {reason}"),
        damaged_advice: "Parts after the damage are not named. Reads of its rows fail for the same reason.",
    },
    work: WorkTexts {
        title: "Amplification of the table",
        written: "Write amplification",
        written_about: "Bytes written to storage per byte written to the table. Flushes and compactions \
                        rewrite rows.",
        read: "Read amplification",
        read_about: "Bytes of blocks read from storage per byte returned by reads.",
        chart: |first, last| {
            let events = count(last.into(), "event", "events");
            format!("Amplification from {} to {events}. The dotted line is 1.", thousands(first.into()))
        },
        chart_about: "Play the events to see both grow.",
    },
};
