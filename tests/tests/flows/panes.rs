//! Panes of the page, the user's own events, and reads.

use tabletop_workspace::{Format, OnBadLine, OwnData};

use super::*;
use crate::app::pane;
use crate::chrome::top_bar;
use crate::page::state::Pane;

impl Page {
    /// Draws a pane.
    pub fn pane(&mut self, which: Pane) -> Drawn {
        self.draw(|state, actions| pane(which, state, actions))
    }

    /// Presses a button of the bar at the top.
    pub fn press_in_bar(&mut self, name: &str) {
        self.draw(top_bar);
        self.press(name);
    }

    /// Types a template.
    pub fn template(&mut self, text: &str) {
        self.millis += 60_000.0;
        self.act(Action::Edit(Edit::TemplateTyping(text.into()), self.millis));
    }

    /// Loads a text as the user's own events.
    pub fn load(&mut self, name: &str, text: &str) {
        self.load_part(name, text, true);
    }

    /// Loads the beginning of a text, which is all of it if it is the `last` part.
    pub fn load_part(&mut self, name: &str, text: &str, last: bool) {
        let own = OwnData {
            name: name.into(),
            format: Format::Detect,
            fields: Vec::new(),
            on_bad_line: OnBadLine::Skip,
            content: None,
        };
        self.act(Action::Edit(Edit::Source(Source::Own(own.clone()), None), 0.0));
        self.ask(Ask::BeginOwn(own));
        self.ask(Ask::OwnBytes { bytes: text.as_bytes().into(), last });
        // The fields of the events bring a template, with which the table is built.
        self.look();
        self.settle();
        self.act(Action::Ready(Vec::new()));
        self.act(Action::Look(Box::new(|look| look.is_complete = true)));
    }

    /// Shows all events of a sample.
    pub fn finish(&mut self) {
        self.ask(Ask::Play(Playback::Finish));
        self.look();
    }
}
