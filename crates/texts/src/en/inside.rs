//! One tablet from inside.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::PartKind;

use super::numbers::{bytes, count, thousands};

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

texts!(Inside {
    title: "Inside a tablet",
    comes: "Loading…",
    /// Row range, rows and bytes of the tablet, in one line.
    summary: |number: usize, of: usize, rows: &str, stored: u64| {
        let noun = if rows == "1" { "row" } else { "rows" };
        format!("Tablet {number} of {of} · {rows} {noun} · {} stored", bytes(stored))
    },
    flush: "Flush",
    compact: "Compact",
    flush_why_not: "The memtable is empty: nothing to flush.",
    compact_why_not: "The memtable is empty and no SSTables overlap: nothing to flush or compact.",
    flushed: "Memtable flushed to an SSTable",
    compacting: "Compaction requested",
    /// The memtable and the SSTables.
    parts: PartTexts {
        list: "Memtable and SSTables, newest first",
        memtable: "Memtable",
        frozen: "Memtable, being flushed",
        /// Bytes of the limit, rows, cells.
        fill: |used: u64, limit: u64, rows: u64, cells: u64| {
            format!(
                "{} of {} · {} · {}",
                bytes(used),
                bytes(limit),
                count(rows, "row", "rows"),
                count(cells, "cell", "cells")
            )
        },
        sstable: |file: u64| format!("SSTable {file}"),
        figures: |run: &RunFigures| {
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
        keys: |first: &str, last: &str| format!("{first} … {last}"),
        merged: "being merged",
        compaction: |is_major: bool, files: usize, input: u64, percent: Option<u64>| {
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
        damaged: |reason: &str| format!("Some rows cannot be read: {reason}"),
        order: "Newest first. A read of a row checks the memtable, then each SSTable whose key range and \
                Bloom filter may contain it.",
    },
    /// What the last read touches.
    read: ReadTexts {
        title: "Last read",
        about: "Run a query: what it touches is marked above. Blocks count as cached if they were when the \
                read started.",
        run: "Run the query",
        none: "No query has run on this table yet.",
        elsewhere: |tablets: usize| {
            format!("It touched {}, not this one.", count(tablets as u64, "other tablet", "other tablets"))
        },
        show: "Show the first one",
        summary: |stored: u64, cached: u64, of: u64, tablets: u64| {
            format!(
                "{}: {} from storage, {} from the cache · {} · {}",
                count(stored + cached, "block", "blocks"),
                thousands(stored),
                thousands(cached),
                bytes(of),
                count(tablets, "tablet", "tablets")
            )
        },
        skips: |bloom: u64, range: u64| {
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
        blocks: |stored: u64, cached: u64| match (stored, cached) {
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
        some_skipped: |skipped: u64| format!("{} skipped", count(skipped, "search", "searches")),
        bloom: "skipped: the row is not in the Bloom filter",
        range: "skipped: no key of the read is in its key range",
        group: "skipped: it has other families",
        not_reached: "not reached: the read ended first",
        from_storage: "from storage",
        from_cache: "from the cache",
    },
    /// An SSTable and its blocks.
    table: SsTableTexts {
        choose: "Choose an SSTable above to see its blocks and their bytes.",
        close: "Close the SSTable",
        gone: |file: u64| {
            format!("SSTable {file} is gone: a compaction merged it, or its table was rebuilt.")
        },
        /// Blocks, dictionary, index and the remaining sections, Bloom filter.
        sections: ["Blocks", "Dictionary", "Index, counts, header", "Bloom filter"],
        file: "File",
        sequence: "Sequence",
        list: |file: u64| format!("Blocks of SSTable {file}"),
        block: |block: u32| format!("Block {block}"),
        columns: ["Block", "Last read", "First key", "Rows", "Cells", "Bytes"],
        continues: "(continues a row)",
        /// The rows of a block without a complete row, and of one that also contains a part of a row.
        part_of_row: "part of a row",
        rows_and_part: |rows: u64| format!("{} and a part", thousands(rows)),
        range: |first: u32, last: u32, of: u32| {
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
    /// The bytes of a block.
    bytes: ByteTexts {
        choose: "Choose a block to see its bytes.",
        title: |block: u32, file: u64| format!("Block {block} of SSTable {file}"),
        size: |stored: u32, logical: Option<u64>| {
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
        group: |block: u32| format!("Bytes of block {block}"),
        keys: "Left and Right choose the previous and next part, Home and End the first and last.",
        kind: |kind: PartKind| -> &'static str {
            match kind {
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
            }
        },
        part: |first: u32, last: u32, name: &str| {
            if first == last {
                format!("Byte {first}: {name}")
            } else {
                format!("Bytes {first} to {last}: {name}")
            }
        },
        in_column: |column: &str| format!("of {column}"),
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
        more: |more: u32, of: u32| {
            format!("Show {} more of {} bytes", thousands(more.into()), thousands(of.into()))
        },
        end: |shown: u64, of: u64| {
            format!("Showing the first {} of {} bytes (the maximum).", thousands(shown), thousands(of))
        },
        damaged: |reason: &str| format!("This block is damaged: {reason}"),
        damaged_advice: "Parts after the damage are not named. Reads of its rows fail for the same reason.",
    },
    /// Read and write amplification.
    work: WorkTexts {
        title: "Amplification of the table",
        written: "Write amplification",
        written_about: "Bytes written to storage per byte written to the table. Flushes and compactions \
                        rewrite rows.",
        read: "Read amplification",
        read_about: "Bytes of blocks read from storage per byte returned by reads.",
        chart: |first: u32, last: u32| {
            let events = count(last.into(), "event", "events");
            format!("Amplification from {} to {events}. The dotted line is 1.", thousands(first.into()))
        },
        chart_about: "Play the events to see both grow.",
    },
});
