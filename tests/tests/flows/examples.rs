//! The note on an example: what has one, and what it says once the example is changed.

use tabletop_client::ScriptEdit;
use tabletop_workspace::{Example, ShareLink};

use super::*;
use crate::chrome::banners;
use crate::page::state::{Pane, SavedAction};

const OWN: &str = "{user_token}~{timestamp:iso}";

impl Page {
    /// Returns the text of each note on an example.
    fn notes(&mut self) -> Vec<String> {
        self.draw(banners).texts(".example-note")
    }

    fn visit(&mut self, workspace: Workspace) {
        self.act(Action::Saved(SavedAction::Visit(Rc::new(workspace), 0)));
    }

    /// Opens the link to the workspace.
    fn visit_link(&mut self) {
        let link = ShareLink { json: self.state.workspace.to_json(), design: 0, recorded: String::new() }
            .write()
            .expect("a link");
        let json = ShareLink::read(&link).expect("a link").json;
        self.visit(Workspace::from_json(&json).expect("a workspace"));
    }

    fn open_example(&mut self, example: Example) {
        self.visit(Workspace::from_json(example.json()).expect("a workspace"));
    }
}

#[test]
fn a_workspace_with_the_name_of_an_example_has_no_note() {
    let mut page = Page::with(|_| {});
    let before = (*page.state.workspace).clone();
    let after = Workspace { name: "Row per user".into(), ..before.clone() };
    page.act(Action::Adopt(Box::new(ScriptEdit { before: Some(before), after })));
    assert_eq!((page.notes(), page.state.workspace.name.as_str()), (Vec::new(), "Row per user"));
    page.visit_link();
    assert_eq!((page.notes(), page.state.workspace.name.as_str()), (Vec::new(), "Row per user"));
    page.open_example(Example::RowPerUser);
    assert_eq!(page.state.workspace.name, "Row per user");
    assert!(page.notes().concat().starts_with("Row per user. "), "{:?}", page.notes());
    page.visit_link();
    assert_eq!(page.notes().len(), 1, "its link has the note, too");
}

#[test]
fn a_note_says_that_its_example_was_changed_and_undo_leaves_the_example() {
    const CHANGED: &str = "You have changed it since. Originally:";
    let mut page = Page::with(|_| {});
    page.template(OWN);
    page.open_example(Example::AlgoliaNarrow);
    let template = |page: &mut Page| page.pane(Pane::Design).texts("textarea").concat();
    assert_eq!(template(&mut page), "{app_id},{user_token},{timestamp:iso}");
    let is_changed = |page: &mut Page| page.notes().concat().contains(CHANGED);
    assert!(!is_changed(&mut page), "the text is about the example as it opened");
    page.template(OWN);
    assert!(is_changed(&mut page));
    page.press_in_bar("Undo");
    assert!(!is_changed(&mut page) && page.notes().len() == 1);
    page.press_in_bar("Undo");
    assert_eq!((template(&mut page).as_str(), page.notes().len()), (OWN, 0));
}
