//! What the page does with the events that are kept in this browser.

use tabletop_model::{Code, Error};
use tabletop_schema::SetView;
use web_sys::Blob;

use super::Session;
use crate::browser;
use crate::results::format::count;
use crate::state::Action;

impl Session {
    /// Shows what is kept in this browser, as it is now.
    pub fn look_at_storage(&self) {
        self.act(|session| async move {
            let storage = session.client.storage().await?;
            session.act.emit(Action::Storage(storage));
            session.show_room().await;
            Ok(())
        });
    }

    /// Keeps events in this tab from now on.
    pub fn keep_here(&self) {
        self.act(|session| async move {
            let storage = session.client.keep_here().await?;
            session.act.emit(Action::Storage(storage));
            Ok(())
        });
    }

    /// Deletes one kept set, or all.
    pub fn delete_kept(&self, set: Option<u32>) {
        self.act(move |session| async move {
            let storage = match set {
                Some(set) => session.client.delete_set(set).await?,
                None => session.client.delete_sets().await?,
            };
            session.act.emit(Action::Storage(storage));
            session.talk.borrow_mut().events_loaded = None;
            session.show_room().await;
            session.act.emit(Action::Say("Deleted".into()));
            Ok(())
        });
    }

    /// Offers a kept set as a file of JSON lines.
    pub fn export_kept(&self, kept: SetView) {
        self.act(move |session| async move {
            let (file, unreadable) = session.client.export_set(kept.set).await?;
            let name = kept.own.name.rsplit_once('.').map_or(&*kept.own.name, |(name, _)| name);
            let offered = session.offer(&format!("{name}.jsonl"), &file, "The events are downloaded");
            if offered && unreadable > 0 {
                let lost = count(unreadable.into(), "event");
                let message = format!("{name}.jsonl has what can still be read: {lost} could not");
                return Err(Error::new(Code::DataLoss, message));
            }
            Ok(())
        });
    }

    /// Offers the table of the design on the screen as a file.
    pub fn export_table(&self) {
        self.act(|session| async move {
            let (design, wanted) = {
                let talk = session.talk.borrow();
                (talk.design, talk.wanted.clone())
            };
            let name = wanted.designs.get(design as usize).map_or("", |design| design.name.as_str());
            let file = session.client.export_table(design).await?;
            session.offer(&format!("{name}.tabletop"), &file, "The table is downloaded");
            Ok(())
        });
    }

    /// Asks the browser to delete nothing of this page by itself.
    pub fn persist(&self) {
        self.act(|session| async move {
            let agreed = session.client.persist().await;
            session.act.emit(Action::Look(Box::new(move |look| look.persist_refused = !agreed)));
            session.show_room().await;
            Ok(())
        });
    }

    /// Lets the person take a file; whether the browser did.
    fn offer(&self, name: &str, file: &Blob, done: &'static str) -> bool {
        let offered = browser::offer(name, file).is_ok();
        let said = if offered { done } else { "The browser did not let the page offer a download" };
        self.act.emit(Action::Say(said.into()));
        offered
    }

    async fn show_room(&self) {
        if let Some(room) = self.client.room().await {
            self.act.emit(Action::Room(room));
        }
    }
}
