//! The stored events of the user: their sets are listed, exported and deleted.

use super::*;
use crate::page::actions::StorageAction;
use crate::panes::storage::storage_dialog;

type Asked = Rc<RefCell<Vec<StorageAction>>>;

/// Draws the dialog with the sets that the worker has, and notes what its buttons ask for.
fn dialog(page: &mut Page, asked: &Asked) -> Drawn {
    let Answer::Storage(stored) = page.ask(Ask::Storage) else { panic!("there is a storage") };
    page.act(Action::Storage(stored));
    let asked = asked.clone();
    page.draw(|state, actions| {
        let storage = Callback::from(move |action| asked.borrow_mut().push(action));
        storage_dialog(state, &Actions { storage, ..actions.clone() })
    })
}

#[test]
fn sets_are_listed_exported_and_deleted_by_a_second_press() {
    let (mut page, asked) = (Page::with(|_| {}), Asked::default());
    assert!(dialog(&mut page, &asked).texts(".set").is_empty());
    page.load("first.csv", "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z,11\n");
    page.load("second.csv", "a,b\n1,x\n2,\n3,z\n");
    let drawn = dialog(&mut page, &asked);
    assert_eq!(drawn.texts(".set-name"), ["first.csv", "second.csv"]);
    let sizes = drawn.texts(".set-text");
    assert!(sizes[0].contains("2 events") && sizes[1].contains("3 events"), "{sizes:?}");
    let shown = drawn.texts(".set-tools");
    assert!(!shown[0].contains("Shown now") && shown[1].contains("Shown now"), "{shown:?}");
    let groups = drawn.attributes("span[role=group]", "aria-label");
    for group in ["Show first.csv", "Export first.csv", "Delete: 2 events of first.csv"] {
        assert!(groups.contains(&group.to_owned()), "{group}: {groups:?}");
    }
    page.press("Export");
    assert!(matches!(&asked.take()[..], [StorageAction::Export(set)] if set.own.name == "first.csv"));
    // The first press only asks for confirmation, and the user can keep the set.
    page.press("Delete");
    assert!(dialog(&mut page, &asked).says("Press again to delete 2 events of first.csv."));
    page.press("Keep");
    assert!(!dialog(&mut page, &asked).says("Delete permanently"));
    page.press("Delete");
    assert!(asked.borrow().is_empty(), "nothing was deleted");
    dialog(&mut page, &asked);
    page.press("Delete permanently");
    let [StorageAction::Delete(Some(set))] = asked.take()[..] else { panic!("a set is deleted") };
    page.ask(Ask::DeleteSet { set });
    assert_eq!(dialog(&mut page, &asked).texts(".set-name"), ["second.csv"]);
}
