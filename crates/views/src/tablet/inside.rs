//! What the page shows of a tablet's internals.

use alloc::rc::Rc;
use alloc::vec::Vec;

use tabletop_model::{BlockList, BlockPage, TableView, TabletInside, Touched};

/// The maximum number of samples that are kept: with more, every second one is dropped.
const SAMPLES_MAX: usize = 240;
/// The maximum number of bytes of a block that are shown.
pub const SHOWN_BYTES_MAX: usize = 64 << 10;

/// The chosen tablet, and which of its parts are open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InsideLook {
    /// The tablet.
    pub tablet: Option<Rc<TabletInside>>,
    /// What the last read touches; `None` until the engine has answered.
    pub touched: Option<Rc<Touched>>,
    /// The amplification of the table while this view was open.
    pub samples: Vec<Sample>,
    /// The file of the open SSTable.
    pub file: Option<u64>,
    /// Blocks of it.
    pub blocks: Option<Rc<BlockList>>,
    /// The part of the open block that was read.
    pub page: Option<Rc<BlockPage>>,
}

/// The amplification of a table at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Events in the table.
    pub events: u32,
    /// Bytes written to storage per byte written to the table.
    pub written: f64,
    /// Bytes read from storage per byte returned by reads.
    pub read: f64,
}

impl Sample {
    /// Returns the amplification of a table with this many events.
    pub fn of(events: u32, table: &TableView) -> Sample {
        let read = table.bytes_read as f64 / table.bytes_returned.max(1) as f64;
        Sample { events, written: table.work.write_amplification(), read }
    }
}

impl InsideLook {
    /// Takes a picture of the tablet. The open parts of another tablet are closed, unless the new
    /// one has the same SSTable.
    pub fn show(&mut self, tablet: TabletInside, sample: Sample) {
        let is_other = self.tablet.as_ref().is_none_or(|shown| shown.tablet != tablet.tablet);
        let has_file = tablet.runs.iter().any(|run| Some(run.file) == self.file);
        if is_other && !has_file {
            self.close_file();
        }
        self.tablet = Some(Rc::new(tablet));
        self.sample(sample);
    }

    /// Adds a sample. Samples at later positions are dropped: the table went back, or was rebuilt.
    fn sample(&mut self, sample: Sample) {
        if self.samples.last().is_some_and(|last| *last == sample) {
            return;
        }
        let samples = &mut self.samples;
        samples.retain(|known| known.events < sample.events);
        samples.push(sample);
        if samples.len() > SAMPLES_MAX {
            let mut at = 0;
            samples.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
    }

    /// Shows a list of blocks, unless another SSTable was opened in the meantime.
    pub fn show_blocks(&mut self, list: BlockList) {
        if self.file == Some(list.file) {
            self.blocks = Some(Rc::new(list));
        }
    }

    /// Shows bytes of a block. Bytes that follow the ones shown are appended.
    pub fn show_page(&mut self, page: BlockPage) {
        let follows = |shown: &BlockPage| {
            (shown.file, shown.block) == (page.file, page.block)
                && shown.bytes.len() == page.from as usize
                && page.from > 0
        };
        match &mut self.page {
            Some(shown) if follows(shown) => {
                let shown = Rc::make_mut(shown);
                let beyond = shown.parts.last().map_or(0, |part| part.at + part.length);
                shown.parts.extend(page.parts.into_iter().filter(|part| part.at >= beyond));
                shown.bytes.extend(page.bytes);
            }
            _ if page.from == 0 && self.file == Some(page.file) => self.page = Some(Rc::new(page)),
            _ => {}
        }
    }

    /// Opens an SSTable.
    pub fn open_file(&mut self, file: u64) {
        if self.file != Some(file) {
            self.close_file();
        }
        self.file = Some(file);
    }

    /// Closes the open SSTable.
    pub fn close_file(&mut self) {
        (self.file, self.blocks, self.page) = (None, None, None);
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;

    use tabletop_model::{BlockPart, PartKind, RunView, TabletId};

    use super::*;

    fn tablet(id: u64, files: &[u64]) -> TabletInside {
        TabletInside {
            tablet: TabletId(id),
            memtables: Vec::new(),
            memtable_bytes_max: 1,
            runs: files.iter().map(|file| RunView { file: *file, ..RunView::default() }).collect(),
            sstables_max: 4,
            compaction: None,
            compaction_is_due: false,
            damaged: Vec::new(),
        }
    }

    fn sample(events: u32) -> Sample {
        Sample { events, written: f64::from(events), read: 0.0 }
    }

    #[test]
    fn an_sstable_stays_open_in_the_other_half_of_a_split_tablet() {
        let mut look = InsideLook::default();
        look.show(tablet(1, &[7, 8]), sample(1));
        look.open_file(7);
        look.show(tablet(2, &[7]), sample(2));
        assert_eq!(look.file, Some(7));
        look.show(tablet(2, &[9]), sample(3));
        assert_eq!(look.file, Some(7), "the view says that it is gone");
        look.show(tablet(3, &[9]), sample(4));
        assert_eq!(look.file, None);
    }

    #[test]
    fn samples_are_of_the_past_and_few() {
        let mut look = InsideLook::default();
        (0..1_000).for_each(|events| look.sample(sample(events)));
        look.sample(sample(999));
        assert!(look.samples.len() <= SAMPLES_MAX && look.samples.is_sorted_by(|a, b| a.events < b.events));
        assert_eq!(look.samples.last().map(|last| last.events), Some(999));
        look.sample(sample(500));
        assert_eq!(look.samples.last().map(|last| last.events), Some(500));
    }

    #[test]
    fn pages_of_a_block_are_put_together() {
        let part =
            |at, length| BlockPart { at, length, kind: PartKind::Key, text: String::new(), column: None };
        let page = |from, parts: Vec<BlockPart>| BlockPage {
            file: 7,
            block: 1,
            total: 6,
            from,
            bytes: vec![from as u8; 3],
            parts,
            ..BlockPage::default()
        };
        let mut look = InsideLook::default();
        look.show_page(page(0, vec![part(0, 2), part(2, 2)]));
        assert_eq!(look.page, None, "the SSTable was closed before the answer");
        look.open_file(7);
        look.show_page(page(0, vec![part(0, 2), part(2, 2)]));
        look.show_page(page(3, vec![part(2, 2), part(4, 2)]));
        let shown = look.page.clone().unwrap();
        assert_eq!(shown.bytes, [0, 0, 0, 3, 3, 3]);
        assert_eq!(shown.parts.iter().map(|part| part.at).collect::<Vec<_>>(), [0, 2, 4]);
        look.show_page(page(3, vec![]));
        assert_eq!(look.page, Some(shown), "an answer that comes twice adds nothing");
    }
}
