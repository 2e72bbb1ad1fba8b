//! Panes of the page, the user's own events, and reads.

use tabletop_keys::FieldRole;
use tabletop_workspace::{Format, GivenRole, OnBadLine, OwnData};

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
            reading: Default::default(),
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

/// Readings of two sensors. Users do not look up a concentration.
fn readings() -> String {
    let lines = (0..400).map(|n| {
        let (minute, site) = (n / 2, if n % 2 == 0 { "north-1" } else { "south-1" });
        let ppm = 400 + (n * n * 13) % 601;
        format!("2026-03-01T{:02}:{:02}:00Z,{site},{ppm}\n", minute / 60, minute % 60)
    });
    "time,site,ppm\n".to_string() + &lines.collect::<String>()
}

#[test]
fn fields_have_roles_that_the_user_can_correct() {
    let mut page = Page::with(|_| {});
    page.load("readings.csv", &readings());
    page.look();
    let data = page.pane(Pane::Data);
    let roles = |drawn: &Drawn| drawn.texts("table.fields option[selected]");
    let of_roles = |drawn: &Drawn| roles(drawn).into_iter().skip(1).step_by(2).collect::<Vec<_>>();
    assert_eq!(of_roles(&data), ["Event time", "Shared ID", "Measure"]);
    assert!(data.says("The values of ppm allow several roles, so its name decided."), "{}", data.text());
    page.fill("Role of ppm", "Counter").expect("there is a choice");
    let data = page.pane(Pane::Data);
    assert_eq!(of_roles(&data)[2], "Counter");
    assert!(!data.says("allow several roles"), "{}", data.text());
    assert_eq!(page.workspace()["roles"], serde_json::json!([{ "field": "ppm", "role": "counter" }]));
    page.press_in_bar("Undo");
    assert_eq!(page.workspace()["roles"], serde_json::json!([]));
    // A file with other fields has other roles.
    page.pane(Pane::Data);
    page.fill("Role of ppm", "Counter").expect("there is a choice");
    page.load("other.csv", "a,b\n1,2\n");
    assert_eq!(page.workspace()["roles"], serde_json::json!([]));
}

#[test]
fn a_fix_follows_the_roles() {
    let mut page = Page::with(|_| {});
    page.load("readings.csv", &readings());
    page.template("{time:iso}");
    page.look();
    let fixes = |page: &Page| -> Vec<String> {
        let fixes = page.state.view.warnings.iter().flat_map(|warning| warning.fixes.iter());
        fixes.filter_map(|fix| fix.patch.template.clone()).collect()
    };
    assert!(fixes(&page).iter().all(|template| !template.contains("ppm")), "{:?}", fixes(&page));
    assert!(fixes(&page).iter().any(|template| template.starts_with("{site")), "{:?}", fixes(&page));
    page.edit(|workspace| {
        workspace.roles.push(GivenRole { field: "site".into(), role: FieldRole::Measure });
    });
    page.look();
    assert!(!fixes(&page).iter().any(|template| template.starts_with("{site")), "{:?}", fixes(&page));
}
