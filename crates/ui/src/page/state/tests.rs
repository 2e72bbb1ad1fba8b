//! Stories of edits.

use std::cell::RefCell;

use tabletop_client::ScriptEdit;
use tabletop_keys::{CellTime, Column, Encoding, FamilyRule, Field, FieldKind, Layout, LayoutKind};
use tabletop_model::{GcRule, RowFilter};
use tabletop_objects::{DataType, ObjectSchema};
use tabletop_protocol::LoadState;
use tabletop_workspace::{
    ContentDigest, Decoding, Design, DesignPatch, DesignsChange, EventScore, ExampleId, Format, KeyChoice,
    NamedQuery, OnBadLine, OwnData, ResultColumn, ResultColumns, Schedule, Source, Strategy, Stream,
    StreamKind, Traffic,
};
use yew::Callback;
use yew::callback::CallbackRefMut;

use super::Timeline;
use super::*;

fn page() -> PageState {
    PageState::new(Workspace::default())
}

fn after(mut state: PageState, actions: impl IntoIterator<Item = Action>) -> PageState {
    actions.into_iter().for_each(|action| state.apply(action));
    state
}

fn typed(text: &str, at_millis: f64) -> Action {
    Action::Edit(Edit::TemplateTyping(text.into()), at_millis)
}

fn changed(how: fn(&mut Workspace)) -> Action {
    Action::Edit(Edit::Change(CallbackRefMut::from(how)), 9_000.0)
}

fn own(fields: Vec<Field>) -> Source {
    Source::Own(OwnData {
        name: "a.csv".into(),
        format: Format::Detect,
        fields,
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    })
}

#[test]
fn two_fields_that_are_filled_before_a_drawing_are_both_kept() {
    let edits = Rc::new(RefCell::new(Vec::new()));
    let on_edit = {
        let edits = edits.clone();
        Callback::from(move |edit: Edit| edits.borrow_mut().push(Action::Edit(edit, 0.0)))
    };
    // Both controls are drawn before the first edit.
    let pace = Edit::by(&on_edit, |workspace, pace: f64| workspace.cluster.events_per_second = pace);
    let size = Edit::by(&on_edit, |workspace, size: u64| workspace.cluster.tablet_bytes_max = Some(size));
    pace.emit(7.0);
    size.emit(50_000);
    let state = after(page(), edits.take());
    let cluster = &state.workspace.cluster;
    assert_eq!((cluster.events_per_second, cluster.tablet_bytes_max), (7.0, Some(50_000)));
    assert_eq!(
        after(state, [Action::Undo]).workspace.cluster.tablet_bytes_max,
        None,
        "each is a step of its own"
    );
}

#[test]
fn typing_in_one_go_is_one_step_back() {
    let before = page().workspace;
    let state =
        after(page(), [typed("{a", 0.0), typed("{a}", 300.0), typed("{a},{b}", 5_000.0), Action::Undo]);
    assert_eq!(state.design().template, "{a}");
    let state = after(state, [Action::Undo]);
    assert_eq!(state.workspace, before);
    assert!(!state.can_undo() && state.can_redo());
    let state = after(state, [Action::Redo, Action::Redo, Action::Redo]);
    assert_eq!(state.design().template, "{a},{b}");
    assert!(!state.can_redo());
}

#[test]
fn a_button_is_a_step_of_its_own() {
    let state = after(
        page(),
        [
            typed("{a}", 0.0),
            Action::Edit(Edit::Template("{b}".into()), 10.0),
            typed("{b},", 20.0),
            Action::Undo,
        ],
    );
    assert_eq!(state.design().template, "{b}");
    assert_eq!(after(state, [Action::Undo]).design().template, "{a}");
}

#[test]
fn a_fix_is_applied_whole_and_undone_in_one_step() {
    let column = Column {
        family: "e".into(),
        qualifier: "{event_name}".into(),
        value: Column::RECORD.into(),
        time: CellTime::Zero,
    };
    let layout = Layout {
        family_field: Some("event_type".into()),
        columns: vec![column],
        encoding: Encoding::MessagePack,
        ..Layout::new(LayoutKind::Columns)
    };
    let families = vec![FamilyRule::new("e", GcRule::MaxVersions(1))];
    let patch = DesignPatch {
        template: Some("{user_token}".into()),
        layout: Some(layout.clone()),
        families: Some(families.clone()),
        name: None,
    };
    let state = after(page(), [Action::Edit(Edit::Fix(Box::new(patch)), 0.0)]);
    let expected = Design { families, ..Design::new("Design 1", "{user_token}", layout) };
    assert_eq!(state.workspace.designs, [expected]);
    let state = after(state, [Action::Undo]);
    assert_eq!(*state.workspace, Workspace::default());
    assert!(!state.can_undo());
}

#[test]
fn an_edit_after_undo_forgets_what_was_undone() {
    let state = after(
        page(),
        [typed("{a}", 0.0), Action::Undo, Action::Edit(Edit::Layout(LayoutKind::RowPerEntity), 10.0)],
    );
    assert!(!state.can_redo());
    assert_eq!(state.design().layout.kind, LayoutKind::RowPerEntity);
}

#[test]
fn an_edit_that_changes_nothing_is_not_a_step() {
    let state = page();
    let same = state.design().template.clone();
    assert!(!after(state, [typed(&same, 0.0)]).can_undo());
}

#[test]
fn what_could_not_be_read_again_is_refused() {
    let stream = |name: String| Stream {
        name,
        what: StreamKind::PointReads,
        per_second: 1.0,
        keys: KeyChoice::AsEvents,
        when: Schedule::Constant,
    };
    let traffic = |streams| {
        move |workspace: &mut Workspace| {
            let traffic = Traffic { streams, ..Traffic::default() };
            workspace.traffic = Some(traffic.into());
        }
    };
    let objects = |proto: String, owner: String| {
        move |workspace: &mut Workspace| {
            let data_types = vec![DataType { family: "e".into(), owner, ..DataType::default() }];
            let results = ResultColumns {
                objects: Some(ObjectSchema { proto, data_types }.into()),
                ..ResultColumns::default()
            };
            workspace.designs[0].results = Some(results.into());
        }
    };
    let rule = |rule: FamilyRule| move |workspace: &mut Workspace| workspace.designs[0].families.push(rule);
    let named = |names: [String; 2]| {
        move |workspace: &mut Workspace| {
            workspace.queries =
                names.into_iter().map(|name| NamedQuery::new(name, workspace.query.clone())).collect();
        }
    };
    let column = |name: String| {
        move |workspace: &mut Workspace| {
            let column = ResultColumn { name, ..ResultColumn::default() };
            workspace.designs[0].results =
                Some(ResultColumns { columns: vec![column], ..ResultColumns::default() }.into());
        }
    };
    let long = |chars: usize| "x".repeat(chars);
    type MakeEdit<'a> = Box<dyn FnOnce(&mut Workspace) + 'a>;
    let edits: Vec<MakeEdit<'_>> = vec![
        Box::new(named([long(101), "a".into()])),
        Box::new(named(["a".into(), "a".into()])),
        Box::new(traffic(vec![stream(long(101))])),
        Box::new(traffic(vec![stream("a".into()), stream("a".into())])),
        Box::new(traffic(vec![stream(" ".into())])),
        Box::new(objects(long(1 << 20), String::new())),
        Box::new(objects(String::new(), long(10_000))),
        Box::new(column(long(1_001))),
        Box::new(rule(FamilyRule::new(long(65), GcRule::MaxVersions(1)))),
        Box::new(rule(FamilyRule::new("e", GcRule::MaxVersions(0)))),
        Box::new(|workspace| {
            workspace.strategy = Some(Strategy::new(vec![EventScore::new(long(201), "a", 1)], vec![]).into());
        }),
        Box::new(|workspace| workspace.cluster.tablet_bytes_max = Some(0)),
        Box::new(|workspace| workspace.query.filter = Some(RowFilter::Chain(vec![]))),
        Box::new(|workspace| workspace.designs[0].index_of = Some("none".into())),
    ];
    for (at, edit) in edits.into_iter().enumerate() {
        let mut next = Workspace::default();
        edit(&mut next);
        assert!(Workspace::from_json(&next.to_json()).is_err() || next.check().is_err(), "{at}");
        let state = after(page(), [Action::Edit(Edit::Workspace(Box::new(next)), 0.0)]);
        assert_eq!(
            (&*state.workspace, state.can_undo(), state.opened),
            (&Workspace::default(), false, 1),
            "{at}"
        );
        let why = state.refusal.expect("it is refused").message;
        assert!(why.starts_with("Not changed: ") && why.ends_with('.'), "{why}");
    }
    let renamed = changed(|workspace| {
        workspace.queries = vec![NamedQuery::new("x".repeat(101), workspace.query.clone())];
    });
    let state = after(page(), [renamed, Action::SayDone("Saved".into())]);
    let why = "Not changed: Access pattern 1: name is longer than 100 characters.";
    assert_eq!(state.refusal.as_ref().map(|error| error.message.as_str()), Some(why));
    assert_eq!(state.status, why, "nothing says that it is saved");
    let state = after(state, [typed("{a}", 0.0), Action::SayDone("Saved".into())]);
    assert_eq!(state.status, "Saved");
    assert_eq!((state.design().template.as_str(), state.refusal.is_none()), ("{a}", true));
}

#[test]
fn detected_fields_bring_their_own_template_and_are_not_a_step() {
    let field = |name: &str, kind| Field::new(name, kind);
    let fields = vec![
        field("sensor", FieldKind::Text),
        field("at", FieldKind::Time),
        field("value", FieldKind::Float),
    ];
    let state = after(page(), [Action::Edit(Edit::Source(own(Vec::new()), None), 0.0)]);
    let state = after(state, [Action::Data(DataView { fields: fields.clone(), ..DataView::default() })]);
    assert_eq!(state.workspace.source, own(fields));
    assert_eq!(state.design().template, "{sensor},{at:iso}");
    let state = after(state, [Action::Undo]);
    assert_eq!(*state.workspace, Workspace::default());
}

#[test]
fn a_template_that_fits_the_detected_fields_stays() {
    let fields = vec![Field::new("sensor", FieldKind::Text)];
    let edits = [
        Action::Edit(Edit::Source(own(Vec::new()), Some("{sensor}#x".into())), 0.0),
        Action::Data(DataView { fields, ..DataView::default() }),
    ];
    assert_eq!(after(page(), edits).design().template, "{sensor}#x");
}

#[test]
fn a_change_of_the_designs_is_a_step_and_shows_a_design() {
    let copy = || Action::Edit(Edit::Designs(DesignsChange::Duplicate(0)), 0.0);
    let state = after(page(), [copy()]);
    let two = state.workspace.designs.clone();
    let state = after(state, [typed("{b}", 10.0)]);
    assert_eq!(
        (state.design, state.design().name.as_str(), state.design().template.as_str()),
        (1, "Design 2", "{b}")
    );
    assert_eq!(state.workspace.designs[0], two[0], "an edit changes only the design on the screen");
    let state = after(state, [Action::Undo]);
    assert_eq!(state.workspace.designs, two);
    let state = after(state, [Action::Undo]);
    assert_eq!(
        (state.design, state.workspace.designs.len()),
        (0, 1),
        "the design on the screen is one that there is"
    );
    let state = after(state, [Action::Redo]);
    assert_eq!(state.workspace.designs, two);
    let state = after(state, [Action::Edit(Edit::Designs(DesignsChange::Remove(7)), 20.0)]);
    assert_eq!(
        (state.workspace.designs.len(), state.status.as_str()),
        (2, "There is no such design; the number of designs is 2.")
    );
}

#[test]
fn the_template_that_is_exported_is_that_of_the_design_on_the_screen() {
    let fields = vec![Field::new("a", FieldKind::Text), Field::new("b", FieldKind::Text)];
    let data = || Action::Data(DataView { fields: fields.clone(), ..DataView::default() });
    let exported = |state: &PageState| state.shown.right.as_ref().map(|right| right.text());
    let designs = |change| Action::Edit(Edit::Designs(change), 0.0);
    let first = || after(page(), [data(), typed("{a}", 0.0)]);
    for change in [DesignsChange::Duplicate(0), DesignsChange::AddIndex(0)] {
        let mut state = after(first(), [designs(change)]);
        let own = state.design().template.clone();
        assert_eq!(exported(&state).as_ref(), Some(&own), "it may have the same text as the one before");
        for at in [0, 1, 1, 0] {
            state = after(state, [Action::SelectDesign(at)]);
            assert_eq!(exported(&state).as_ref(), Some(&state.design().template));
        }
    }
    // A text with a problem keeps the last valid one of the same table, and never that of another
    // one.
    let state = after(first(), [designs(DesignsChange::Duplicate(0)), typed("{b}", 10.0), typed("{b", 20.0)]);
    assert_eq!(exported(&state).as_deref(), Some("{b}"));
    let state = after(state, [Action::SelectDesign(0), Action::SelectDesign(1)]);
    assert_eq!(exported(&state), None);
    let state = after(state, [Action::Undo, Action::Undo]);
    assert_eq!(exported(&state).as_deref(), Some("{a}"), "the copy is gone");
}

fn adopt(before: &Workspace, change: impl FnOnce(&mut Workspace)) -> Action {
    let mut after = before.clone();
    change(&mut after);
    Action::Adopt(Box::new(ScriptEdit { before: Some(before.clone()), after }))
}

#[test]
fn a_workspace_from_a_script_can_be_undone() {
    let edit =
        adopt(&Workspace::default(), |workspace| workspace.designs[0].template = "{user_token}".into());
    let state = after(page(), [edit]);
    assert_eq!(state.design().template, "{user_token}");
    assert_eq!(*after(state, [Action::Undo]).workspace, Workspace::default());
}

#[test]
fn text_that_the_user_types_while_a_script_changes_a_design_stays() {
    let before = Workspace::default();
    let wide = |workspace: &mut Workspace| {
        workspace.designs[0].layout = Layout::new(LayoutKind::Wide);
        workspace.designs[0].template = "{user_token}".into();
        workspace.designs.push(workspace.designs[0].clone());
    };
    let state = after(page(), [typed("{app_id}", 0.0), adopt(&before, wide)]);
    let templates: Vec<&str> =
        state.workspace.designs.iter().map(|design| design.template.as_str()).collect();
    assert_eq!(templates, ["{app_id}", "{user_token}"], "the user's text, and the script's other design");
    assert_eq!(
        state.design().layout.kind,
        LayoutKind::Wide,
        "the script's, because the user has not changed it"
    );
    let state = after(state, [Action::Undo]);
    assert_eq!(
        (state.design().template.as_str(), state.design().layout.kind),
        ("{app_id}", LayoutKind::Narrow)
    );

    // A query that is typed while a script opens other events.
    let query = Query { rows_limit: 7, ..before.query.clone() };
    let sample = |workspace: &mut Workspace| workspace.source = Source::Sample("phones".into());
    let state = after(page(), [Action::Edit(Edit::Query(query.clone()), 0.0), adopt(&before, sample)]);
    assert_eq!((&state.workspace.query, &state.workspace.source), (&query, &Source::Sample("phones".into())));

    // The designs have other indexes.
    let copied = || Action::Edit(Edit::Designs(DesignsChange::Duplicate(0)), 0.0);
    let state = after(page(), [copied(), adopt(&before, wide)]);
    assert_eq!(state.workspace.designs, after(page(), [copied()]).workspace.designs);
}

#[test]
fn a_change_by_a_script_of_events_that_the_user_has_left_is_dropped() {
    let before = Workspace::default();
    let chosen = || Action::Edit(Edit::Source(Source::Sample("phones".into()), None), 0.0);
    let state = after(
        page(),
        [chosen(), adopt(&before, |workspace| workspace.designs[0].template = "{user_token}".into())],
    );
    assert_eq!(state.workspace, after(page(), [chosen()]).workspace);
    // The content of a file that the page has just learned is not a choice of other events.
    let loaded = Workspace { source: own(Vec::new()), ..before };
    let state = after(
        PageState::new(Workspace { source: file("1"), ..loaded.clone() }),
        [adopt(&loaded, |workspace| {
            workspace.source = Source::Sample("phones".into());
        })],
    );
    assert_eq!(state.workspace.source, Source::Sample("phones".into()));
}

#[test]
fn other_events_have_the_encoding_that_was_chosen() {
    let other = Edit::Source(Source::Sample("phones".into()), None);
    let state =
        after(page(), [Action::Edit(Edit::Encoding(Encoding::MessagePack), 0.0), Action::Edit(other, 10.0)]);
    assert_eq!(
        state.design().layout,
        Layout { encoding: Encoding::MessagePack, ..Layout::new(LayoutKind::Narrow) }
    );
}

#[test]
fn rows_of_other_events_go_and_those_of_another_design_stay() {
    let mut answer = QueryResult::default();
    answer.ranges = 7;
    let answer = Rc::new(answer);
    let answered = || after(page(), [Action::Result(answer.clone())]);
    assert_eq!(after(answered(), [typed("{user_token}", 0.0)]).result.ranges, 7);
    let state = after(answered(), [Action::Edit(Edit::Source(own(vec![]), None), 0.0)]);
    assert_eq!(state.result.ranges, 0);
    let state = after(state, [Action::Result(answer.clone()), Action::Undo]);
    assert_eq!(state.result.ranges, 0, "back to the generated events");
}

#[test]
fn fields_that_are_found_later_are_followed_also_by_undo() {
    let field = |name: &str, kind| Field::new(name, kind);
    let data =
        |kind, state| Action::Data(DataView { fields: vec![field("n", kind)], state, ..DataView::default() });
    let state = after(
        page(),
        [
            Action::Edit(Edit::Source(own(Vec::new()), None), 0.0),
            data(FieldKind::Text, LoadState::Loading),
            typed("{n}#", 5_000.0),
            data(FieldKind::Int, LoadState::Loaded),
        ],
    );
    let int = own(vec![field("n", FieldKind::Int)]);
    assert_eq!((&state.workspace.source, state.design().template.as_str()), (&int, "{n}#"));
    let corrected = vec![field("n", FieldKind::Text)];
    let state = after(
        state,
        [
            changed(|workspace| workspace.source = own(vec![Field::new("n", FieldKind::Text)])),
            data(FieldKind::Int, LoadState::Loaded),
        ],
    );
    assert_eq!(state.workspace.source, own(corrected), "what the user chose stays");
    let state = after(state, [Action::Undo]);
    assert_eq!(state.workspace.source, int);
    let state = after(state, [Action::Undo]);
    assert_eq!((&state.workspace.source, state.design().template.as_str()), (&int, "{n}"));
}

/// A workspace that is the example "Newest first", edited.
fn example_on_screen() -> PageState {
    let example = Some(ExampleId("newest_first".into()));
    let workspace = Workspace { name: "Newest first".into(), example, ..Workspace::default() };
    after(PageState::new(workspace), [typed("{user_token}", 0.0)])
}

fn example_of(state: &PageState) -> (&str, Option<&str>) {
    (
        &state.workspace.name,
        tabletop_workspace::example(&state.workspace).map(tabletop_workspace::Example::id),
    )
}

#[test]
fn an_example_ends_with_its_events_or_its_name() {
    let other = || Action::Edit(Edit::Source(Source::Sample("earthquakes".into()), None), 0.0);
    let named = |name: &str| Action::Edit(Edit::Name(name.into()), 0.0);
    let opened = example_on_screen;
    assert_eq!(example_of(&opened()), ("Newest first", Some("newest_first")), "it is edited");
    assert_eq!(example_of(&after(opened(), [other()])), (Workspace::UNNAMED, None));
    assert_eq!(example_of(&after(opened(), [other(), Action::Undo])), ("Newest first", Some("newest_first")));
    assert_eq!(example_of(&after(opened(), [named("Mine")])), ("Mine", None));
    assert_eq!(example_of(&after(opened(), [named("Mine"), named("Newest first")])), ("Newest first", None));
    let fresh = Action::Edit(Edit::Workspace(Box::default()), 0.0);
    assert_eq!(example_of(&after(opened(), [fresh])), (Workspace::UNNAMED, None), "starting over");
}

#[test]
fn a_workspace_with_the_name_of_an_example_is_not_one() {
    let renamed = after(page(), [Action::Edit(Edit::Name("Newest first".into()), 0.0)]);
    assert_eq!(example_of(&renamed), ("Newest first", None));
    let script = adopt(&Workspace::default(), |workspace| workspace.name = "Row per user".into());
    assert_eq!(example_of(&after(page(), [script])), ("Row per user", None));
    let other = Action::Edit(Edit::Source(Source::Sample("earthquakes".into()), None), 0.0);
    assert_eq!(example_of(&after(renamed, [other])), ("Newest first", None), "its name is the user's");
}

#[test]
fn a_script_ends_an_example_with_other_events_and_opens_another_one() {
    let opened = example_on_screen;
    let sample = |workspace: &mut Workspace| workspace.source = Source::Sample("phones".into());
    let before = opened().workspace;
    assert_eq!(example_of(&after(opened(), [adopt(&before, sample)])), ("Newest first", None));
    let other = adopt(&before, |workspace| {
        sample(workspace);
        (workspace.name, workspace.example) = ("IoT sensors".into(), Some(ExampleId("iot".into())));
    });
    assert_eq!(example_of(&after(opened(), [other])), ("IoT sensors", Some("iot")));
}

#[test]
fn a_position_at_rest_is_that_of_the_workspace_and_no_step() {
    let view = |events_arrived: u32, playing: bool| {
        let (events_built, events_total) = (events_arrived, 20_000);
        Action::View(Rc::new(DesignView {
            events_arrived,
            events_built,
            events_total,
            playing,
            ..DesignView::default()
        }))
    };
    let position = |actions: Vec<Action>| after(page(), actions).workspace.arrived;
    assert_eq!(position(vec![view(12_000, false)]), None, "a first visit is there anyway");
    assert_eq!(position(vec![view(20_000, false)]), Some(20_000));
    assert_eq!(position(vec![view(700, false), view(900, true)]), Some(700), "events arrive");
    assert_eq!(position(vec![view(700, false), view(12_000, false)]), None);
    let state = after(page(), [view(700, false)]);
    assert!(!state.can_undo());
    let state = after(state, [typed("{a}", 0.0), view(800, false), Action::Undo, view(800, false)]);
    assert_eq!(
        (state.design().template.as_str(), state.workspace.arrived),
        ("{timestamp:iso},{app_id},{user_token}", Some(800))
    );

    // Other events were chosen, and the picture still shows the previous ones.
    let other = Edit::Source(Source::Sample("phones".into()), None);
    let state = after(page(), [Action::Edit(other, 0.0), view(700, false)]);
    assert_eq!(state.workspace.arrived, None);
    let done =
        after(state, [Action::Data(DataView { events: 20_000, ..DataView::default() }), view(20_000, false)]);
    assert_eq!(done.workspace.arrived, None, "a sample is complete anyway");
}

#[test]
fn the_page_shows_a_moment_before_the_tables_have_reached_it() {
    let seek = |events: u32| Action::part(move |timeline: &mut Timeline| timeline.seek = Some(events));
    let sought = |state: &PageState| state.look.part::<Timeline>().seek;
    let view = |events_arrived: u32| {
        Action::View(Rc::new(DesignView { events_arrived, events_total: 9, ..DesignView::default() }))
    };
    let state = after(page(), [view(9), seek(4), view(9)]);
    assert_eq!(sought(&state), Some(4), "this picture is older");
    assert_eq!(sought(&after(state, [view(4)])), None);
}

#[test]
fn other_positions_are_not_other_work() {
    let moved = Workspace { arrived: Some(7), ..Workspace::default() };
    let state = after(page(), [Action::Saved(SavedAction::ChangedElsewhere(Rc::new(moved.clone())))]);
    assert!(state.is_shared());
    let opened = after(state, [Action::Saved(SavedAction::Visit(Rc::new(moved), 0))]);
    assert_eq!((opened.opened, opened.workspace.arrived, opened.is_shared()), (2, Some(7), true));
}

/// A file `a.csv` with this text.
fn file(text: &str) -> Source {
    own(Vec::new()).with_content(Some(ContentDigest::of(text.as_bytes())))
}

#[test]
fn a_workspace_learns_the_content_of_its_file_without_a_step() {
    let content = Some(ContentDigest::of(b"1"));
    let state = after(page(), [Action::Edit(Edit::Source(own(Vec::new()), None), 0.0), typed("{x}", 10.0)]);
    let state = after(state, [Action::Data(DataView { content, ..DataView::default() })]);
    assert_eq!((&state.workspace.source, state.design().template.as_str()), (&file("1"), "{x}"));
    let state = after(
        state,
        [Action::Data(DataView { content: Some(ContentDigest::of(b"2")), ..DataView::default() })],
    );
    assert_eq!(state.workspace.source, file("1"), "it has learned it");
    assert_eq!(after(state, [Action::Undo]).workspace.source, file("1"), "no step has forgotten it");
}

#[test]
fn columns_of_results_are_a_step_of_the_history() {
    let results = Some(Box::new(ResultColumns { values_as: Decoding::Hex, ..ResultColumns::default() }));
    let state = after(page(), [typed("{a}", 0.0), Action::Edit(Edit::Results(results.clone()), 10.0)]);
    assert_eq!(state.design().results, results);
    let state = after(state, [Action::Undo]);
    assert_eq!((state.design().results.clone(), state.design().template.as_str()), (None, "{a}"));
    assert_eq!(after(state, [Action::Redo]).design().results, results);
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_events_before() {
    let loaded = |events| DataView { state: LoadState::Loaded, events, ..DataView::default() };
    let before = after(page(), [typed("{user_token}", 0.0), Action::Data(loaded(20_000))]);
    let workspace = before.workspace.clone();
    let choose = || Action::Edit(Edit::Source(own(Vec::new()), None), 10_000.0);
    let failed = |events| DataView {
        state: LoadState::Failed(Error::invalid("The file is a Parquet file.")),
        events,
        ..DataView::default()
    };
    let loading = DataView { state: LoadState::Loading, ..DataView::default() };
    let state = after(before, [choose(), Action::Data(loading), Action::Data(failed(0))]);
    assert_eq!(state.workspace, workspace);
    let said = state.refusal.as_ref().map(|error| error.message.as_str());
    assert_eq!(said, Some("The file is a Parquet file. The events before are shown again."));
    // A late picture of the failed load undoes nothing else.
    let state = after(state, [Action::Data(failed(0)), Action::Data(loaded(20_000))]);
    assert_eq!(state.workspace, workspace);
    // A file that is damaged in the middle leaves them, too, whatever was read of it.
    let fields = vec![Field::new("a", FieldKind::Int)];
    let part =
        DataView { fields, events: 3, ..DataView { state: LoadState::Loading, ..DataView::default() } };
    let damaged = DataView { state: failed(3).state, ..part.clone() };
    let state = after(state, [choose(), Action::Data(part), Action::Data(damaged)]);
    assert_eq!(state.workspace, workspace);
    // The events before the line at which the load was to stop stay.
    let Source::Own(stops) = own(Vec::new()) else { unreachable!("it is own data") };
    let stops = Source::Own(OwnData { on_bad_line: OnBadLine::Stop, ..stops });
    let choose = Action::Edit(Edit::Source(stops.clone(), None), 20_000.0);
    let state = after(state, [choose, Action::Data(failed(3))]);
    assert_eq!(state.workspace.source, stops);
}
