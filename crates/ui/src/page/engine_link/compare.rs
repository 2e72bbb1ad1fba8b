//! Requests the figures of all designs while Compare is shown, proposals of other designs, and the
//! events of one entity.

use std::pin::Pin;
use std::rc::Rc;

use tabletop_client::JobHost;
use tabletop_model::Error;
use tabletop_protocol::{ReadOnAllDesigns, ReadOnDesign};
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;

use super::EngineLink;
use crate::page::state::{Action, EntityReads};

impl EngineLink {
    /// Shows proposed designs for the access patterns.
    pub fn propose_designs(&self) {
        let link = self.clone();
        spawn_local(async move {
            match link.client.propose_designs().await {
                Ok(designs) => {
                    link.act.emit(Action::Say((messages().compare.proposals.found)(designs.len()).into()));
                    link.act.emit(Action::Proposed(designs));
                }
                Err(error) => link.refused(error),
            }
        });
    }

    /// Reads the events of an entity from one design after the other, and shows what each read
    /// costs.
    pub fn read_entity(&self, mut reads: EntityReads) {
        let link = self.clone();
        spawn_local(async move {
            let query = reads.query();
            link.act.emit(Action::Entity(Rc::new(reads.clone())));
            let mut run = link.client.run::<ReadOnAllDesigns>(&query);
            while let Some(Ok(ReadOnDesign { index, cost, complete })) = run.next(&()).await {
                let Some((_, outcome)) = reads.designs.get_mut(index as usize).filter(|_| complete) else {
                    continue;
                };
                *outcome = Some(cost);
                link.act.emit(Action::Entity(Rc::new(reads.clone())));
            }
        });
    }

    /// Shows the figures of all designs and the costs of access patterns, and patterns that suit
    /// all `events`, once they are all loaded. Returns whether the figures are still changing. Its
    /// future is boxed to keep its code out of the one that runs early.
    #[inline(never)]
    pub(super) fn compare(
        &self,
        events: Option<u32>,
    ) -> Pin<Box<dyn Future<Output = Result<bool, Error>> + '_>> {
        Box::pin(async move {
            let designs = self.client.compare().await?;
            let changes = designs.iter().any(|figures| figures.changes);
            self.act.emit(Action::Compared(designs));
            self.measure_soon();
            if let Some(events) = events {
                self.suggest_once(events).await?;
            }
            Ok(changes)
        })
    }
}
