//! Requests a tablet's internals while they are shown, what the last read touches, and manual
//! flushes and compactions.

use std::rc::Rc;

use tabletop_client::JobHost;
use tabletop_keys::Query;
use tabletop_model::{BLOCKS_MAX, Code, Error, Inspect, Inspected, TableView, TabletId, TabletView};
use tabletop_protocol::{DesignView, QueryOnDesign, TouchQuery};
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use super::sync::InsideAsked;
use crate::page::state::{Action, InsideLook, Sample};

/// The user's action on a tablet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsideAction {
    /// Chooses it. Without a choice, a tablet with writes is shown.
    Choose(Option<TabletId>),
    /// Writes its memtable as SSTables.
    Flush(TabletId),
    /// Merges its SSTables.
    Compact(TabletId),
    /// Opens an SSTable at a block.
    Blocks { file: u64, from: u32 },
    /// Opens a block, or reads more of its bytes.
    Block { file: u64, block: u32, from: u32 },
}

impl EngineLink {
    /// Runs the user's action on a tablet.
    pub fn inside(&self, action: InsideAction) {
        self.act(move |link| async move {
            let (says, design) = (&messages().inside, link.sync.borrow().design);
            match action {
                InsideAction::Choose(tablet) => {
                    let asked = &mut link.sync.borrow_mut().inside;
                    (asked.tablet, asked.is_chosen) = (tablet.or(asked.tablet), tablet.is_some());
                }
                InsideAction::Flush(tablet) => {
                    link.client.flush(design, tablet).await?;
                    link.act.emit(Action::Say(says.flushed.into()));
                }
                InsideAction::Compact(tablet) => {
                    link.client.compact(design, tablet).await?;
                    link.act.emit(Action::Say(says.compacting.into()));
                }
                InsideAction::Blocks { file, from } => {
                    link.inspect(design, Inspect::Blocks { file, from, count: BLOCKS_MAX }).await?;
                }
                InsideAction::Block { file, block, from } => {
                    link.inspect(design, Inspect::Block { file, block, from }).await?;
                }
            }
            Ok(())
        });
    }

    /// Shows a tablet's internals, after the picture of all tablets. At most one request is in
    /// flight.
    #[inline(never)]
    pub(super) fn look_inside(&self, view: Rc<DesignView>) {
        let is_asked = {
            let asked = &mut self.sync.borrow_mut().inside;
            asked.view = Some(view);
            std::mem::replace(&mut asked.is_asked, true)
        };
        if is_asked {
            return;
        }
        let link = self.clone();
        spawn_local(async move {
            while let Some(view) = link.next_picture() {
                if let Err(error) = link.show_tablet(view).await {
                    link.refused(error);
                }
            }
        });
    }

    /// Returns the last picture that was not followed up yet.
    fn next_picture(&self) -> Option<Rc<DesignView>> {
        let asked = &mut self.sync.borrow_mut().inside;
        asked.is_asked = asked.view.is_some();
        asked.view.take()
    }

    async fn show_tablet(&self, view: Rc<DesignView>) -> Result<(), Error> {
        let (design, tablet) = {
            let mut sync = self.sync.borrow_mut();
            let InsideAsked { tablet, is_chosen, .. } = sync.inside;
            sync.inside.tablet = tablet_to_show(&view.table, tablet, is_chosen);
            (sync.design, sync.inside.tablet)
        };
        let Some(tablet) = tablet else { return Ok(()) };
        match self.client.inspect(design, Inspect::Tablet(tablet)).await {
            Ok(Inspected::Tablet(inside)) => {
                let sample = Sample::of(view.events_built, &view.table);
                self.look(move |look| look.show(inside, sample));
            }
            // It was split after the picture, or the table is being rebuilt: another picture
            // follows.
            Err(error) if error.code == Code::NotFound => self.watch_soon(),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let (turn, touched, query) = {
            let sync = self.sync.borrow();
            (sync.query, sync.inside.touched, sync.desired.query.clone())
        };
        if turn != touched && turn > 0 {
            self.touch_first(turn, &query);
        }
        Ok(())
    }

    /// Requests what a query touches, while a tablet is shown. The request is sent before the read
    /// of the rows, so it sees the cache as the read will. Nothing is shown for a query that is
    /// refused: the read reports why.
    #[inline(never)]
    pub(super) fn touch_first(&self, turn: u32, query: &Query) {
        let index = {
            let mut sync = self.sync.borrow_mut();
            sync.inside.touched = turn;
            sync.design
        };
        let link = self.clone();
        let mut run = self.client.run::<TouchQuery>(&QueryOnDesign { index, query: query.clone() });
        spawn_local(async move {
            let mut touched = None;
            while let Some(Ok(chunk)) = run.next(&()).await {
                if link.sync.borrow().query != turn {
                    return;
                }
                if chunk.complete {
                    touched = Some(Rc::new(chunk.touched));
                    break;
                }
            }
            link.look(move |inside| inside.touched = touched);
        });
    }

    /// Requests a part of an SSTable, and shows it.
    async fn inspect(&self, design: u32, look: Inspect) -> Result<(), Error> {
        match self.client.inspect(design, look).await? {
            Inspected::Blocks(list) => self.look(move |inside| inside.show_blocks(list)),
            Inspected::Block(page) => self.look(move |inside| inside.show_page(page)),
            Inspected::Tablet(_) => {}
        }
        Ok(())
    }

    fn look(&self, change: impl FnOnce(&mut InsideLook) + 'static) {
        self.act.emit(Action::part(change));
    }
}

/// Returns the tablet that was shown before, or the first one that was split from it. Unless the
/// user has chosen it, a tablet without writes is replaced by the one with most.
pub fn tablet_to_show(table: &TableView, before: Option<TabletId>, is_chosen: bool) -> Option<TabletId> {
    let find = |matches: &dyn Fn(&&TabletView) -> bool| table.tablets.iter().find(matches);
    let known = before
        .and_then(|id| find(&|tablet| tablet.id == id).or_else(|| find(&|tablet| tablet.parent == Some(id))));
    let busiest = || {
        let load = |tablet: &TabletView| (tablet.writes_per_second, tablet.memtable_bytes);
        let most = table
            .tablets
            .iter()
            .map(load)
            .fold((-1.0, 0), |most, load| if load > most { load } else { most });
        find(&|tablet| load(tablet) == most)
    };
    let kept = known.filter(|tablet| is_chosen || tablet.writes_per_second > 0.0);
    kept.or_else(busiest).map(|tablet| tablet.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_tablet_is_followed_through_splits() {
        let tablet = |id, parent: Option<u64>, writes_per_second| TabletView {
            id: TabletId(id),
            parent: parent.map(TabletId),
            start: Default::default(),
            end: Default::default(),
            rows: 0,
            cells: 0,
            exact: true,
            bytes: 0,
            memtable_bytes: 0,
            sstables: 0,
            reads: 0,
            writes: 0,
            reads_per_second: 0.0,
            writes_per_second,
        };
        let tablets = vec![tablet(4, Some(1), 0.0), tablet(5, Some(1), 9.0), tablet(3, None, 2.0)];
        let table = TableView { tablets, ..TableView::default() };
        let shown =
            |id: Option<u64>, is_chosen| tablet_to_show(&table, id.map(TabletId), is_chosen).map(|id| id.0);
        let ids = [Some(3), Some(4), Some(1), Some(9), None];
        assert_eq!(ids.map(|id| shown(id, true)), [Some(3), Some(4), Some(4), Some(5), Some(5)]);
        assert_eq!(ids.map(|id| shown(id, false)), [Some(3), Some(5), Some(5), Some(5), Some(5)]);
        assert_eq!(tablet_to_show(&TableView::default(), None, false), None);
    }
}
