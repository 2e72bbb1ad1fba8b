//! The view of one tablet's internals: flush and compaction, and what a read touches.

use tabletop_keys::{Query, RowChoice};
use tabletop_model::PartKind;
use tabletop_protocol::Playback;
use tabletop_workspace::{ViewId, Workspace};

use super::Page;
use super::drawn::Drawn;
use crate::page::state::InsideLook;

const USER_FIRST: &str = "{user_token},{timestamp:iso}";

fn open(template: Option<&str>) -> Page {
    let mut page = Page::with(|workspace| {
        if let Some(template) = template {
            workspace.designs[0].template = template.into();
        }
    });
    page.show(ViewId::Tablet);
    page
}

/// Returns the texts of the memtable and of each SSTable, newest first.
fn parts(drawn: &Drawn) -> Vec<String> {
    drawn.texts(".inside-list li")
}

fn cells(page: &mut Page) -> u64 {
    page.read(0, Query { rows_limit: 0, ..Workspace::default().query }).stats.cells_returned
}

#[test]
fn flush_and_compact_change_the_sstables_but_not_the_rows() {
    let mut page = open(None);
    let before = parts(&page.view());
    assert!(page.can("Flush"), "the memtable has rows: {before:?}");
    let (rows, could_undo) = (cells(&mut page), page.state.can_undo());
    page.press("Flush");
    let drawn = page.view();
    assert_eq!(parts(&drawn).len(), before.len() + 1, "there is one more SSTable");
    assert!(parts(&drawn)[0].contains(" 0 B of"), "the memtable is empty");
    assert!(
        drawn.says("The memtable is empty and no SSTables overlap: nothing to flush or compact."),
        "{:?}",
        parts(&drawn)
    );
    assert!(!page.can("Flush") && !page.can("Compact"));
    assert_eq!((cells(&mut page), page.state.can_undo()), (rows, could_undo));

    let mut page = open(Some(USER_FIRST));
    let overlaps = (5..20).any(|at| {
        page.seek(at * 100);
        parts(&page.view()).iter().any(|part| part.contains("below 1 newer"))
    });
    assert!(overlaps, "SSTables overlap at some time");
    let rows = cells(&mut page);
    page.press("Compact");
    let drawn = page.view();
    assert_eq!(parts(&drawn).len(), 2, "one SSTable is left: {:?}", parts(&drawn));
    assert!(parts(&drawn)[0].contains(" 0 B of"), "the memtable is in it");
    assert_eq!(cells(&mut page), rows);
}

#[test]
fn a_query_lights_the_blocks_it_reads_and_crosses_what_a_bloom_filter_skips() {
    let mut page = open(Some(USER_FIRST));
    // A row that does not exist, between existing ones.
    let query = Query { rows_limit: 900, ..Workspace::default().query };
    let key = page.read(0, query).rows.pop().expect("a row").key.to_string() + "~";
    page.edit(move |workspace| {
        workspace.query = Query {
            rows: RowChoice::Keys(vec![key.clone().into()]),
            rows_limit: 10,
            filter: None,
            reversed: false,
        };
    });
    page.view();
    page.press("Run the query");
    assert!(page.view().says("skipped by Bloom filter"));
    if page.can("Show the first one") {
        page.press("Show the first one");
        page.look();
    }
    let drawn = page.view();
    assert!(!drawn.texts(".inside-list .crossed").is_empty());
    assert!(parts(&drawn).iter().any(|part| part.contains("skipped: the row is not in the Bloom filter")));
    assert!(drawn.texts(".inside-list .run.lit").is_empty());

    page.edit(|workspace| {
        workspace.query = Query { rows: RowChoice::All, rows_limit: 0, filter: None, reversed: false }
    });
    page.view();
    page.press("Run the query");
    let drawn = page.view();
    assert!(
        !drawn.texts(".inside-list .run.lit").is_empty() && drawn.texts(".inside-list .crossed").is_empty()
    );
    assert!(parts(&drawn).iter().any(|part| part.contains("read from") || part.contains(" read, ")));
    assert!(drawn.says(" from storage, "));
    // The second time, the cache has the blocks.
    page.press("Run the query");
    assert!(page.view().says(" 0 from storage, "));
}

#[test]
fn an_sstable_opens_to_its_blocks_and_a_block_to_its_bytes() {
    let mut page = open(None);
    page.view();
    page.press("Flush");
    assert!(page.view().says("Choose an SSTable above"));
    let sstable = page.named("SSTable ");
    page.press(&sstable);
    let drawn = page.view();
    let lists = drawn.attributes(".inside-scroll", "aria-label");
    assert_eq!(lists, [format!("Blocks of {sstable}")]);
    assert!(drawn.says("Choose a block to see its bytes."));
    page.press("Block 0");
    let drawn = page.view();
    for text in
        [&*format!("Block 0 of {sstable}"), "Byte 0: number of rows", "B of keys, columns, times and values"]
    {
        assert!(drawn.says(text), "{text}: {}", drawn.text());
    }
    let legend = drawn.texts(".inside-legend li");
    for part in ["counts, lengths", "key", "time"] {
        assert!(legend.iter().any(|name| name == part), "{part}: {legend:?}");
    }
    let block = |page: &Page| page.state.look.part::<InsideLook>().page.clone().expect("a block is open");
    let size = |page: &Page| (block(page).bytes.len(), block(page).total as usize);
    loop {
        let (shown, total) = size(&page);
        if shown == total {
            break;
        }
        let more = page.named(" more of ");
        page.press(&more);
        assert!(size(&page).0 > shown, "more bytes are shown");
        page.view();
    }
    let drawn = page.view();
    assert_eq!(drawn.texts(".hex-line").len(), size(&page).1.div_ceil(16), "all bytes, 16 in a line");
    assert_eq!(block(&page).parts.last().map(|part| part.kind), Some(PartKind::Checksum));
    page.press("Close the SSTable");
    assert!(page.view().says("Choose an SSTable above"));
}

#[test]
fn without_events_it_says_what_to_do() {
    let mut page = Page::with_own("a,b\n".into(), |_| {});
    page.show(ViewId::Tablet);
    let drawn = page.view();
    assert!(drawn.says("Choose another file"), "{}", drawn.text());
}

#[test]
fn the_picture_follows_the_events_while_they_play() {
    let mut page = open(None);
    page.play(Playback::Restart, 2);
    assert!(parts(&page.view())[0].contains(" row"), "the memtable fills");
    let mut count = 1;
    for _ in 0..100 {
        page.play(Playback::Play, 4);
        count = parts(&page.view()).len().max(count);
    }
    assert!(count > 1, "an SSTable appears");
    let pictures = page.view().attributes("svg[role=img]", "aria-label");
    assert!(pictures.iter().any(|name| name.starts_with("Amplification from ")), "{pictures:?}");
    page.press("Simulation settings");
    page.view();
    assert!(page.can("Restart"));
}
