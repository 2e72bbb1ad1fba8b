//! Requests events of the list in Compare: those around a number, or the event of a row.

use std::rc::Rc;

use tabletop_model::{Error, RowKey};
use tabletop_texts::messages;
use tabletop_workspace::Design;
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use super::watch::PREVIEW_EVENTS;
use crate::page::state::{Action, event_of_row};

/// The maximum number of events of an answer.
const SLICE: u32 = 1_000;
/// Events that are searched for a row. Writing their keys takes about a second.
const SEARCHED_MAX: u32 = 200_000;

/// What the list of events shows next.
#[derive(Clone, Debug, PartialEq)]
pub enum EventsRequest {
    /// The event with this index among all.
    Number(u32),
    /// The first event that the design shown writes to this row.
    OfRow(RowKey),
}

impl EngineLink {
    /// Shows events in the list, with one of them chosen. A later request cancels an earlier one.
    pub fn show_events(&self, request: EventsRequest) {
        let link = self.clone();
        let (ticket, design) = {
            let mut sync = self.sync.borrow_mut();
            sync.events_asked += 1;
            (sync.events_asked, sync.desired.designs.get(sync.design as usize).cloned())
        };
        spawn_local(async move {
            let done = match (request, design) {
                (EventsRequest::Number(index), _) => link.show_event(index, ticket).await,
                (EventsRequest::OfRow(key), Some(design)) => link.find_event(&key, &design, ticket).await,
                (EventsRequest::OfRow(_), None) => Ok(()),
            };
            if let Err(error) = done {
                link.refused(error);
            }
        });
    }

    async fn show_event(&self, index: u32, ticket: u32) -> Result<(), Error> {
        let version = self.sync.borrow().events_version;
        let events = self.client.events(index - index % PREVIEW_EVENTS, PREVIEW_EVENTS).await?;
        if self.is_last(ticket, version) && !events.events.is_empty() {
            let at = (index % PREVIEW_EVENTS) as usize;
            self.act.emit(Action::ListedEvents(Rc::new(events), at));
        }
        Ok(())
    }

    async fn find_event(&self, key: &RowKey, design: &Design, ticket: u32) -> Result<(), Error> {
        let version = self.sync.borrow().events_version;
        let mut start = 0;
        while start < SEARCHED_MAX {
            let events = self.client.events(start, SLICE).await?;
            if !self.is_last(ticket, version) {
                return Ok(());
            }
            if let Some(at) = event_of_row(&events, design, key) {
                return self.show_event(start + at as u32, ticket).await;
            }
            match events.events.len() as u32 {
                0 => break,
                count => start += count,
            }
        }
        self.act.emit(Action::Say(messages().compare.no_event_of_row.into()));
        Ok(())
    }

    /// Returns whether this is still the latest request, and the events are the same.
    fn is_last(&self, ticket: u32, version: u32) -> bool {
        let sync = self.sync.borrow();
        (sync.events_asked, sync.events_version) == (ticket, version)
    }
}
