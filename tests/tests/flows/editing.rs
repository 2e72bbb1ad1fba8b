//! Stories of a design that is edited: its key, its layout, and what the page says about them.

use tabletop_keys::{CellTime, Layout, LayoutKind};
use tabletop_model::{Aggregate, GcRule, TableRequest, TableSpec};
use tabletop_shell::{Language, write};
use tabletop_workspace::{Decoding, Design, DesignsChange, ResultColumns};

use super::*;
use crate::page::state::Pane;
use crate::panes::tablets::inspector;
use crate::views::design::look::EditorLook;

const TEMPLATE: &str = "{app_id},{user_token},{timestamp:iso}";

impl Page {
    fn design(&self) -> &Design {
        self.state.design()
    }

    /// Returns the command that makes the table.
    fn created(&self) -> String {
        let spec = TableSpec { families: self.state.families(), ..TableSpec::default() };
        write(Language::Cbt, &TableRequest::Create(spec).of(self.state.table_id())).join("\n")
    }

    fn undo(&mut self) {
        self.press_in_bar("Undo");
    }
}

#[test]
fn a_gc_rule_is_explained_used_for_all_families_exported_and_undone() {
    let mut page = Page::with(|_| {});
    page.act(Action::Look(Box::new(|look| look.unfolded.push("gc"))));
    page.pane(Pane::Design);
    page.press("Row per entity");
    page.act(Action::Edit(Edit::GcRule(vec!["click".into()], GcRule::MaxVersions(1)), 90_000.0));
    let drawn = page.pane(Pane::Design);
    assert!(drawn.says("Collects cells that are older than the newest version of their column."));
    assert_eq!(page.design().families.len(), 1);
    page.press("Use for all");
    let of: Vec<&str> = page.design().families.iter().map(|rule| rule.family.as_str()).collect();
    assert_eq!(of, ["click", "conversion", "view"]);
    assert!(page.pane(Pane::Design).attributes("input", "value").contains(&"maxversions=1".into()));
    assert!(page.created().contains("view:maxversions=1"), "{}", page.created());
    page.undo();
    assert_eq!(page.design().families.len(), 1);
    assert!(page.created().contains("view:never"), "{}", page.created());
    page.undo();
    assert_eq!(page.design().families, []);
}

#[test]
fn a_mistake_in_a_template_has_a_place_and_the_last_valid_one_stays() {
    let mut page = Page::with(|_| {});
    page.template("{app_id}|{timestamp:iso}");
    let keys = page.state.view.first_keys.clone();
    page.template("{app_id}|{timestamp:iso}{usr_token}");
    let drawn = page.pane(Pane::Design);
    for text in ["Did you mean user_token?", "At 26 to 34", "Still showing the last valid template:"] {
        assert!(drawn.says(text), "{text}: {}", drawn.text());
    }
    assert_eq!(drawn.attributes("textarea", "aria-invalid"), ["true"]);
    assert!(drawn.texts(".warnings").is_empty(), "there is no advice on another template");
    assert_eq!(page.state.view.first_keys, keys, "the table stays");
    page.show(ViewId::Compare);
    let drawn = page.view();
    assert!(drawn.says("The template has an error: edit the design"), "{}", drawn.text());
    assert!(drawn.says("With the last valid template: "), "{}", drawn.text());
}

#[test]
fn layouts_and_encodings_are_chosen_and_explained() {
    let mut page = Page::with(|workspace| workspace.designs[0].template = TEMPLATE.into());
    let encoding = |page: &Page| page.workspace()["designs"][0]["layout"]["encoding"].clone();
    assert_eq!(encoding(&page), "json");
    page.act(Action::Look(Box::new(|look| look.unfolded.push("gc"))));
    for (name, written) in
        [("MessagePack", "message_pack"), ("Protobuf", "protobuf"), ("Compact list", "compact_list")]
    {
        page.pane(Pane::Design);
        page.fill("Encoding", name).expect("it is a choice");
        assert_eq!(encoding(&page), written);
        assert!(page.pane(Pane::Design).says("Filters cannot match values."));
        page.run_query();
        assert!(page.pane(Pane::Results).says("[[\"category\",\":\","), "the grid shows what bytes mean");
    }
    let hex = ResultColumns { values_as: Decoding::Hex, ..ResultColumns::default() };
    page.act(Action::Edit(Edit::Results(Some(Box::new(hex))), 9e6));
    assert!(!page.pane(Pane::Results).says("[[\"category\",\":\","));
    for (name, kind, text) in [
        ("Wide", "wide", ""),
        ("Row per entity", "row_per_entity", "All events of one key in one row"),
        ("Columns", "columns", ""),
    ] {
        page.pane(Pane::Design);
        page.press(name);
        assert_eq!(page.workspace()["designs"][0]["layout"]["kind"], kind);
        let drawn = page.pane(Pane::Design);
        assert!(drawn.says(text), "{}", drawn.text());
        assert_eq!(drawn.says("Filters cannot match values."), name != "Columns", "texts have no encoding");
    }
}

#[test]
fn a_z_order_is_added_from_the_menu() {
    let mut page = Page::with(|_| {});
    page.load(
        "quakes.csv",
        "time,longitude,latitude\n2024-01-01T00:00:00Z,-122.5,37.75\n2024-01-02T00:00:00Z,13.4,52.5\n",
    );
    page.template("{time}");
    page.pane(Pane::Design);
    page.press("Z-order of two numbers");
    assert!(page.design().template.contains("zorder(longitude, latitude, as=hex)"));
    page.act(Action::part(|look: &mut EditorLook| look.part = Some(0)));
    page.pane(Pane::Design);
    page.press("Remove time");
    let key = page.state.view.first_keys[0].key.to_string();
    assert!(key.len() == 8 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
}

#[test]
fn the_fix_of_a_warning_is_a_button() {
    let mut page = Page::with(|_| {});
    page.template("{event_type}");
    let says = |page: &mut Page| {
        let drawn = [page.pane(Pane::Tablets), page.pane(Pane::Design)];
        drawn.iter().any(|pane| pane.says("already used by an earlier one"))
    };
    assert!(says(&mut page));
    page.press("Add user_token to the end and add timestamp to the end");
    assert_ne!(page.design().template, "{event_type}");
    assert!(!says(&mut page));
}

#[test]
fn an_edit_says_what_it_has_changed_and_so_does_its_undo() {
    let mut page = Page::with(|_| {});
    page.run_query();
    let said = |page: &mut Page| page.pane(Pane::Tablets).texts(".last-edit").join(" ");
    assert_eq!(said(&mut page), "");
    page.template("{user_token},{timestamp:iso}");
    let after = said(&mut page);
    let rates: Vec<f64> =
        page.state.view.table.tablets.iter().map(|tablet| tablet.writes_per_second).collect();
    let hottest = rates.iter().copied().fold(0.0, f64::max) / rates.iter().sum::<f64>();
    let expected = format!("hottest tablet 100% to → {:.0}%", hottest * 100.0);
    assert!(after.starts_with("Last edit:") && after.contains(&expected), "{after} has no {expected}");
    page.undo();
    assert!(said(&mut page).contains("→ 100%"), "{}", said(&mut page));
    page.press_in_bar("Redo");
    assert!(said(&mut page).contains(&expected));
}

#[test]
fn a_layout_and_a_template_are_undone_one_after_the_other() {
    let mut page = Page::with(|_| {});
    let first = page.design().template.clone();
    page.template("{user_token}");
    page.pane(Pane::Design);
    page.press("Wide");
    let checked = |page: &mut Page| page.pane(Pane::Design).texts("button[aria-checked=\"true\"]").join(" ");
    assert!(checked(&mut page).contains("Wide"), "{}", checked(&mut page));
    page.undo();
    assert!(checked(&mut page).contains("Narrow") && page.design().template == "{user_token}");
    page.undo();
    assert_eq!(page.design().template, first);
    page.press_in_bar("Redo");
    assert_eq!(page.pane(Pane::Design).texts("textarea"), ["{user_token}"]);
}

#[test]
fn a_family_adds_up_and_the_anatomy_says_so() {
    let mut page = Page::with(|workspace| workspace.designs[0].template = "{app_id}".into());
    page.pane(Pane::Design);
    page.press("Columns");
    page.edit(|workspace| {
        let columns = &mut workspace.designs[0].layout.columns;
        columns.truncate(1);
        let first = &mut columns[0];
        (first.family, first.qualifier, first.value) = ("count".into(), "{event_type}".into(), "1".into());
        first.time = CellTime::Zero;
    });
    assert!(page.pane(Pane::Tablets).says("3 rows · 9 cells"));
    page.act(Action::Look(Box::new(|look| look.unfolded.push("gc"))));
    page.pane(Pane::Design);
    page.fill("Values of count", "Sum").expect("it is a choice");
    assert_eq!(page.design().aggregate("count"), Some(Aggregate::Sum));
    assert!(page.created().contains("intsum"), "{}", page.created());
    page.show(ViewId::Compare);
    let drawn = page.view();
    assert!(drawn.says("count: sum") && drawn.says("+ 1"), "{}", drawn.text());
    page.edit(|workspace| workspace.designs[0].layout.columns[0].value = "{app_id}".into());
    assert!(page.pane(Pane::Design).says("Family count aggregates whole numbers of 64 bits"));
}

#[test]
fn index_tables_go_with_their_design() {
    let mut page = Page::with(|_| {});
    page.show(ViewId::Compare);
    let tables = |page: &Page| -> Vec<String> {
        let name = |design: &Design| match &design.index_of {
            Some(of) => format!("{of}/{}", design.name),
            None => design.name.clone(),
        };
        page.state.workspace.designs.iter().map(name).collect()
    };
    for (button, expected) in [
        ("Add an index table to Design 1", &["Design 1", "Design 1/Design 1, index"][..]),
        ("Add design", &["Design 1", "Design 1/Design 1, index", "Design 2"]),
        ("Move Design 2 up", &["Design 2", "Design 1", "Design 1/Design 1, index"]),
    ] {
        page.view();
        page.press(button);
        assert_eq!(tables(&page), expected);
    }
    page.act(Action::Edit(Edit::Designs(DesignsChange::Rename(1, "Events".into())), 5e6));
    let renamed = ["Design 2", "Events", "Events/Design 1, index"];
    assert_eq!(tables(&page), renamed);
    page.view();
    page.press("Remove Events");
    assert_eq!(tables(&page), ["Design 2"]);
    page.undo();
    assert_eq!(tables(&page), renamed);
}

#[test]
fn a_tablet_is_inspected_and_the_strip_is_read_as_a_table() {
    let mut page = Page::with(|_| {});
    let id = page.state.view.table.tablets[1].id;
    page.act(Action::SelectTablet(Some(id)));
    let drawn = page.draw(|state, actions| inspector(id, state, actions));
    for text in ["Tablet 2 of", "Start, inclusive", "End, exclusive", "Rows", "SSTables", "Writes per second"]
    {
        assert!(drawn.says(text), "{text}: {}", drawn.text());
    }
    page.press("Close the inspector");
    assert_eq!(page.state.tablet, None);
    page.pane(Pane::Tablets);
    page.press("Table");
    let drawn = page.pane(Pane::Tablets);
    assert_eq!(drawn.texts(".tablet-table tr").len(), page.state.view.table.tablets.len() + 1);
    assert!(drawn.says("Write amplification"), "{}", drawn.text());
}

#[test]
fn a_design_is_compared_with_its_key_before_the_edit() {
    let mut page = Page::with(|_| {});
    let before = page.design().template.clone();
    page.pane(Pane::Tablets);
    assert!(!page.can("Compare with the key before"), "nothing is edited yet");
    page.template(TEMPLATE);
    page.pane(Pane::Tablets);
    page.press("Compare with the key before");
    let designs = &page.state.workspace.designs;
    assert_eq!([&*designs[0].template, &*designs[1].template], [TEMPLATE, &before]);
    page.pane(Pane::Tablets);
    assert!(!page.can("Compare with the key before"), "it is among the designs");
    page.undo();
    assert_eq!(page.state.toast.as_str(), "Undone: 1 design added");
    page.undo();
    assert_eq!(page.state.toast.as_str(), format!("Undone: row key {TEMPLATE}"));
    page.template("{user_token}");
    assert_eq!(page.state.toast.as_str(), "");
}

#[test]
fn a_template_that_a_script_has_changed_is_in_the_field() {
    let mut page = Page::with(|_| {});
    let before = page.state.workspace.clone();
    let mut after = (*before).clone();
    after.designs[0].template = "{user_token}+{timestamp:iso}".into();
    page.act(Action::Adopt(Box::new(tabletop_client::ScriptEdit { before: Some((*before).clone()), after })));
    assert_eq!(page.pane(Pane::Design).texts("textarea"), ["{user_token}+{timestamp:iso}"]);
}

#[test]
fn what_is_typed_while_a_script_changes_the_layout_is_in_the_engine_with_it() {
    const TYPED: &str = "{app_id},{user_token}";
    let mut page = Page::with(|_| {});
    let before = (*page.state.workspace).clone();
    let mut after = before.clone();
    after.designs[0].layout = Layout { family_field: None, ..Layout::new(LayoutKind::Wide) };
    page.template(TYPED);
    page.act(Action::Adopt(Box::new(tabletop_client::ScriptEdit { before: Some(before), after })));
    let Answer::Workspace(engine) = page.ask(Ask::Workspace) else { panic!("there is a workspace") };
    let design = &engine.designs[0];
    assert_eq!((design.template.as_str(), design.layout.kind), (TYPED, LayoutKind::Wide));
    let drawn = page.pane(Pane::Design);
    assert_eq!(drawn.texts("textarea"), [TYPED]);
    assert!(drawn.texts("button[aria-checked=\"true\"]").join(" ").contains("Wide"));
}

#[test]
fn a_template_is_chips_and_keys_and_keys_are_bytes_on_request() {
    let mut page = Page::with(|_| {});
    page.template("{user_token}~{timestamp:reverse_time}");
    let chips = page.pane(Pane::Design).attributes("button", "aria-label");
    assert!(chips.iter().any(|name| name.starts_with("Edit user_token")), "{chips:?}");
    let key = page.state.view.first_keys[0].key.to_string();
    assert!(key.contains('~') && page.pane(Pane::Tablets).texts(".keys li").contains(&key), "{key}");
    page.press("Hex");
    let bytes: Vec<String> = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let drawn = page.pane(Pane::Tablets).texts(".keys li").swap_remove(0).replace(' ', "");
    assert!(bytes.concat().starts_with(&drawn[..8]) && !drawn.contains('~'), "{drawn}");
}

#[test]
fn playback_is_paused_and_continued_by_one_button() {
    let mut page = Page::with(|_| {});
    let mut view = (*page.state.view).clone();
    (view.playing, view.events_built) = (true, 640);
    page.state.apply(Action::View(Rc::new(view.clone())));
    assert!(page.pane(Pane::Tablets).says("640 of 2,000 events"));
    assert!(page.can("Pause") && page.can("Load all") && !page.can("Play"));
    page.press("Simulation settings");
    page.pane(Pane::Tablets);
    assert!(page.can("Restart"));
    view.playing = false;
    page.state.apply(Action::View(Rc::new(view)));
    page.pane(Pane::Tablets);
    assert!(page.can("Play") && !page.can("Pause"));
    page.press("Load all");
    assert!(page.pane(Pane::Tablets).says("2,000 of 2,000 events"));
    assert!(!page.can("Play") && !page.can("Load all"), "nothing is left to play");
}

#[test]
fn parts_are_moved_removed_added_and_transformed_and_the_text_follows() {
    let mut page = Page::with(|workspace| {
        workspace.designs[0].template = "{app_id},{user_token},{timestamp:iso}".into();
    });
    for (part, button, template) in [
        (Some(2), "Move user_token up", "{user_token},{app_id},{timestamp:iso}"),
        (Some(2), "Remove app_id", "{user_token},{timestamp:iso}"),
        (None, "event_type", "{user_token},{timestamp:iso},{event_type}"),
        (Some(4), "Remove event_type", "{user_token},{timestamp:iso}"),
        (Some(0), "Hash, 8 digits", "{user_token:hash(8)},{timestamp:iso}"),
        (Some(0), "Remove hash(8)", "{user_token},{timestamp:iso}"),
        (None, "16", "{salt(16)}-{user_token},{timestamp:iso}"),
    ] {
        page.act(Action::part(move |look: &mut EditorLook| look.part = part));
        page.pane(Pane::Design);
        page.press(button);
        assert_eq!(page.pane(Pane::Design).texts("textarea"), [template]);
    }
    assert!(page.pane(Pane::Design).says("a prefix scan becomes 16 scans"));
    page.press("Off");
    assert_eq!(page.design().template, "{user_token},{timestamp:iso}");
}

#[test]
fn columns_are_described_are_wrong_in_place_and_are_undone() {
    let mut page = Page::with(|_| {});
    page.pane(Pane::Design);
    page.press("Columns");
    let cells = |page: &mut Page| {
        let row = page.read(0, page.state.workspace.query.clone()).rows.swap_remove(0);
        let of =
            |cell: tabletop_model::Cell| (cell.family, cell.qualifier.to_string(), cell.value.to_string());
        row.cells.into_iter().map(of).collect::<Vec<_>>()
    };
    let names: Vec<String> = cells(&mut page).iter().map(|cell| format!("{}:{}", cell.0, cell.1)).collect();
    assert_eq!(
        names.join(" "),
        "d:app_id d:event_name d:event_type d:facets d:object_id d:timestamp d:user_token"
    );
    for column in (2..=7).rev() {
        page.pane(Pane::Design);
        page.press(&format!("Remove column {column}"));
    }
    for (field, text) in [("Family", "{event_type}"), ("Qualifier", "{timestamp:hour}"), ("Value", "{*}")] {
        page.pane(Pane::Design);
        page.fill(&format!("{field} of column 1"), text).expect("a column takes any text");
    }
    let (family, hour, value) = cells(&mut page).swap_remove(0);
    assert!(
        hour.starts_with("2019-05-") && value.contains(&format!("\"event_type\":\"{family}\"")),
        "{value}"
    );
    page.pane(Pane::Design);
    page.fill("Qualifier of column 1", "{event").expect("a column takes any text");
    let drawn = page.pane(Pane::Design);
    assert!(drawn.says("This brace is not closed"));
    assert_eq!(drawn.attributes(".column-text input", "aria-invalid"), ["true"]);
    assert!(page.state.view.table.tablets.iter().any(|tablet| tablet.rows > 0), "the last table stays");
    page.press("Remove column 1");
    assert!(page.pane(Pane::Design).says("A layout of columns needs a column: add one."));
    page.undo();
    page.undo();
    let columns = |page: &mut Page| page.pane(Pane::Design).attributes(".column-text input", "value");
    assert_eq!(columns(&mut page), ["{event_type}", "{timestamp:hour}", "{*}"]);
    page.press("Narrow");
    page.pane(Pane::Design);
    page.press("Columns");
    assert_eq!(columns(&mut page), ["{event_type}", "{timestamp:hour}", "{*}"], "they are kept");
}
