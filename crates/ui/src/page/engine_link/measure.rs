//! Requests the costs of access patterns, while Compare is shown. The worker measures one slice per
//! request, so leaving the view ends the work.

use tabletop_client::JobHost;
use tabletop_model::Error;
use tabletop_protocol::{JobError, MeasurePatterns};
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::browser;
use crate::page::state::Action;

/// Milliseconds between two pictures of the costs.
const SHOW_MILLIS: f64 = 250.0;

impl EngineLink {
    /// Measures access patterns until all are measured. At most one loop runs, with at most one
    /// request at a time.
    pub(super) fn measure_soon(&self) {
        if std::mem::replace(&mut self.sync.borrow_mut().measuring, true) {
            return;
        }
        let link = self.clone();
        spawn_local(async move {
            let done = link.measure().await;
            link.sync.borrow_mut().measuring = false;
            if let Err(error) = done {
                link.refused(error);
            }
        });
    }

    async fn measure(&self) -> Result<(), Error> {
        let mut shown_at = 0.0;
        let mut run = self.client.run::<MeasurePatterns>(&());
        loop {
            let sent = {
                let sync = self.sync.borrow();
                sync.sent.clone().filter(|sent| sync.compares && !sent.queries.is_empty())
            };
            let Some(sent) = sent else { return Ok(()) };
            let measured = match run.next(&()).await {
                Some(Ok(measured)) => measured,
                // The workspace has changed: measure the current one.
                Some(Err(JobError::Gone)) | None => {
                    run = self.client.run::<MeasurePatterns>(&());
                    continue;
                }
                Some(Err(error)) => return Err(error.into_error()),
            };
            let more = measured.more;
            let now = browser::now_millis();
            if !more || now - shown_at > SHOW_MILLIS {
                shown_at = now;
                self.act.emit(Action::Measured(sent, measured));
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Requests what the values of the events suggest, once for these events and the roles that the
    /// user has given. `count` is the number of events.
    pub(super) async fn suggest_once(&self, count: u32) -> Result<(), Error> {
        let version = {
            let mut sync = self.sync.borrow_mut();
            let roles = sync.sent.as_ref().map(|sent| sent.roles.clone()).unwrap_or_default();
            let asked = Some((sync.events_version, count, roles));
            if sync.suggested == asked {
                return Ok(());
            }
            sync.suggested = asked;
            sync.events_version
        };
        let suggested = self.client.suggest().await?;
        // The events may have changed in the meantime.
        if self.sync.borrow().events_version == version {
            self.act.emit(Action::Suggested(suggested));
        }
        Ok(())
    }
}
