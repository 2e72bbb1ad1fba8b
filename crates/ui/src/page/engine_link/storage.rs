//! Requests about the events that this browser stores.

use js_sys::{Array, Uint8Array};
use tabletop_model::{Code, Error, ReadRows, Response, Row, RowFilter, TableRequest};
use tabletop_protocol::SetView;
use tabletop_texts::messages;
use tabletop_views::shell::CsvColumns;
use web_sys::Blob;

use super::EngineLink;
use crate::browser;
use crate::page::state::{Action, ROWS_FILE, StorageLook};

/// Cells of one slice of the rows of a file.
const SLICE_CELLS: u64 = 20_000;

impl EngineLink {
    /// Shows what this browser stores now.
    pub fn look_at_storage(&self) {
        self.act(|link| async move {
            let storage = link.client.storage().await?;
            link.act.emit(Action::Storage(storage));
            link.show_room().await;
            Ok(())
        });
    }

    /// Stores events from this tab from now on.
    pub fn keep_here(&self) {
        self.act(|link| async move {
            let storage = link.client.keep_here().await?;
            link.act.emit(Action::Storage(storage));
            Ok(())
        });
    }

    /// Deletes one stored set, or all.
    pub fn delete_kept(&self, set: Option<u32>) {
        self.act(move |link| async move {
            let storage = match set {
                Some(set) => link.client.delete_set(set).await?,
                None => link.client.delete_sets().await?,
            };
            link.act.emit(Action::Storage(storage));
            link.sync.borrow_mut().events_loaded = None;
            link.show_room().await;
            link.act.emit(Action::Say(messages().common.deleted.into()));
            Ok(())
        });
    }

    /// Offers a stored set as a file of JSON lines.
    pub fn export_kept(&self, kept: SetView) {
        self.act(move |link| async move {
            let (file, unreadable) = link.client.export_set(kept.set).await?;
            let name = kept.own.name.rsplit_once('.').map_or(&*kept.own.name, |(name, _)| name);
            let offered = link.offer(&format!("{name}.jsonl"), &file, messages().storage.events_downloaded);
            if offered && unreadable > 0 {
                let message = (messages().storage.events_lost)(&format!("{name}.jsonl"), unreadable.into());
                return Err(Error::new(Code::DataLoss, message));
            }
            Ok(())
        });
    }

    /// Offers the table of the design shown as a file.
    pub fn export_table(&self) {
        self.act(|link| async move {
            let (design, desired) = {
                let sync = link.sync.borrow();
                (sync.design, sync.desired.clone())
            };
            let name = desired.designs.get(design as usize).map_or("", |design| design.name.as_str());
            let file = link.client.export_table(design).await?;
            link.offer(&format!("{name}.tabletop"), &file, messages().storage.table_downloaded);
            Ok(())
        });
    }

    /// Offers the rows of the design shown as the file that cbt imports.
    pub fn export_rows(&self) {
        self.act(|link| async move {
            let table = {
                let sync = link.sync.borrow();
                sync.desired.table_ids().swap_remove(sync.design as usize)
            };
            // The first pass finds the columns, which are at the top of the file; the second writes
            // the rows.
            let mut columns = CsvColumns::default();
            let read = |filter| ReadRows { filter, slice_cells_max: SLICE_CELLS, ..ReadRows::default() };
            let names_only =
                RowFilter::Chain(vec![RowFilter::CellsPerColumnLimit(1), RowFilter::StripValue(true)]);
            link.read_all(&table, read(Some(names_only)), &mut |rows| {
                let fit = rows.iter().all(|row| columns.see(row));
                if fit {
                    Ok(())
                } else {
                    Err(Error::new(Code::ResourceExhausted, messages().storage.too_many_columns))
                }
            })
            .await?;
            let parts = Array::of1(&Uint8Array::from(columns.head().as_slice()));
            link.read_all(&table, read(None), &mut |rows| {
                let mut lines = Vec::new();
                let known = rows.iter().try_for_each(|row| columns.push_row(row, &mut lines));
                parts.push(&Uint8Array::from(lines.as_slice()));
                known.ok_or_else(|| Error::new(Code::Unavailable, messages().storage.table_changed))
            })
            .await?;
            let file = Blob::new_with_u8_array_sequence(&parts);
            let file =
                file.map_err(|_| Error::new(Code::ResourceExhausted, messages().storage.no_room_for_file))?;
            link.offer(ROWS_FILE, &file, messages().storage.rows_downloaded);
            Ok(())
        });
    }

    /// Reads all rows of a table in slices.
    pub(super) async fn read_all(
        &self,
        table: &str,
        mut read: ReadRows,
        take: &mut dyn FnMut(&[Row]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        loop {
            let request = TableRequest::ReadRows(read.clone()).of(table);
            let chunk = match self.client.request(request).await? {
                Response::Rows(chunk) => chunk,
                // A partial file would look complete.
                Response::Refused(error) => return Err(error),
                _ => return Err(Error::new(Code::Internal, "a read has another answer than rows")),
            };
            take(&chunk.rows)?;
            read.resume = chunk.resume;
            if read.resume.is_none() {
                return Ok(());
            }
        }
    }

    /// Asks the browser not to evict data of this page.
    pub fn persist(&self) {
        self.act(|link| async move {
            let agreed = link.client.persist().await;
            link.act.emit(Action::part(move |look: &mut StorageLook| look.persist_refused = !agreed));
            link.show_room().await;
            Ok(())
        });
    }

    /// Offers a file as a download. Returns whether the browser allowed it.
    fn offer(&self, name: &str, file: &Blob, done: &'static str) -> bool {
        let offered = browser::offer(name, file).is_ok();
        let said = if offered { done } else { messages().common.download_forbidden };
        self.act.emit(Action::Say(said.into()));
        offered
    }

    async fn show_room(&self) {
        if let Some(room) = self.client.room().await {
            self.act.emit(Action::Room(room));
        }
    }
}
