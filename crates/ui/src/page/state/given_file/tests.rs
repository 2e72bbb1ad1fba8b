//! Stories of files that are given for missing ones.

use std::rc::Rc;

use tabletop_workspace::{Format, NamedQuery, OnBadLine};

use super::*;
use crate::page::state::{Action, Edit};

fn after(mut state: PageState, actions: impl IntoIterator<Item = Action>) -> PageState {
    actions.into_iter().for_each(|action| state.apply(action));
    state
}

fn fields(names: &[&str]) -> Vec<Field> {
    names.iter().map(|name| Field::new(*name, FieldKind::Text)).collect()
}

fn file(name: &str, text: &str, names: &[&str]) -> OwnData {
    let content = Some(ContentDigest::of(text.as_bytes()));
    OwnData {
        name: name.into(),
        format: Format::Detect,
        fields: fields(names),
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content,
    }
}

/// A workspace whose file, with the fields `user`, `at` and `amount`, is missing.
fn missing() -> PageState {
    let mut workspace = Workspace {
        source: Source::Own(file("mine.csv", "1", &["user", "at", "amount"])),
        ..Workspace::default()
    };
    workspace.query.rows_limit = 7;
    workspace.queries = vec![NamedQuery::new("all", workspace.query.clone())];
    workspace.designs[0].template = "{user}#{amount}".into();
    workspace.designs.push(workspace.designs[0].clone());
    workspace.designs[1].name = "Design 2".into();
    workspace.designs[1].layout.kind = LayoutKind::Columns;
    workspace.designs[1].layout.columns = vec![Column {
        family: "f".into(),
        qualifier: "{page}".into(),
        value: Column::RECORD.into(),
        time: tabletop_keys::CellTime::Event,
    }];
    after(PageState::new(workspace), [Action::OwnMissing])
}

fn given(own: OwnData) -> Action {
    Action::Edit(Edit::Source(Source::Own(OwnData { fields: Vec::new(), ..own }), None), 0.0)
}

fn data(names: &[&str], state: LoadState) -> Action {
    Action::Data(DataView { fields: fields(names), state, ..DataView::default() })
}

fn made(state: &PageState) -> (Vec<&str>, u64, usize) {
    let workspace = &state.workspace;
    let templates = workspace.designs.iter().map(|design| design.template.as_str()).collect();
    (templates, workspace.query.rows_limit, workspace.queries.len())
}

#[test]
fn another_file_keeps_what_was_made_for_the_missing_one_and_says_what_it_lacks() {
    let other = file("other.csv", "2", &[]);
    let state = after(missing(), [given(other.clone()), data(&["user"], LoadState::Loading)]);
    let kept = (vec!["{user}#{amount}"; 2], 7, 1);
    assert_eq!(made(&state), kept);
    assert_eq!(
        state.status,
        "other.csv is not mine.csv, the file this workspace was made with. Designs, queries and access patterns are unchanged."
    );
    assert_eq!(state.fields_not_given(), Vec::<String>::new(), "more fields may come");
    let state = after(state, [data(&["user", "at"], LoadState::Loaded)]);
    assert_eq!(
        (made(&state), state.fields_not_given()),
        (kept.clone(), vec!["amount".into(), "page".into()])
    );
    assert!(state.status.ends_with("It lacks the fields amount, page, which the designs use. Choose mine.csv, change the designs, or create a new design for this file."), "{}", state.status);
    assert_eq!(state.workspace.source, Source::Own(OwnData { fields: fields(&["user", "at"]), ..other }));

    // The right file replaces the other one.
    let right = after(
        state,
        [given(file("mine.csv", "1", &[])), data(&["user", "at", "amount", "page"], LoadState::Loaded)],
    );
    assert_eq!((made(&right), right.given_file()), (kept, None), "there is nothing to say");
    let next = after(right, [given(file("other.csv", "2", &[]))]);
    assert_eq!(made(&next).2, 0, "nothing is missing, so these are other events");
}

#[test]
fn the_user_may_create_a_new_design_for_another_file() {
    let loaded =
        || after(missing(), [given(file("other.csv", "2", &[])), data(&["shop_id"], LoadState::Loaded)]);
    let state = after(loaded(), [Action::Edit(Edit::DesignForGiven, 0.0)]);
    assert_eq!(
        (made(&state), state.given_file()),
        ((vec!["{shop_id}"], Workspace::default().query.rows_limit, 0), None)
    );
    assert_eq!(made(&after(state, [Action::Undo])), made(&loaded()));
    // Closing the note continues with the designs. Choosing a file again chooses other events.
    let closed = after(
        loaded(),
        [Action::part(|note: &mut GivenNote| note.is_closed = true), given(file("third.csv", "3", &[]))],
    );
    assert_eq!(made(&closed).2, 0);
}

#[test]
fn undo_and_redo_know_which_file_is_given() {
    let state = after(missing(), [given(file("other.csv", "2", &[])), Action::Undo]);
    assert_eq!((state.given_file(), &state.workspace.source), (None, &missing().workspace.source));
    let state = after(state, [Action::Redo]);
    assert!(state.given_file().is_some_and(GivenFile::is_other));
}

#[test]
fn a_load_that_was_cut_short_keeps_its_designs_for_another_file() {
    let cut =
        || after(missing(), [Action::OwnFound, data(&["user", "at", "amount"], LoadState::Interrupted)]);
    let state = after(cut(), [given(file("other.csv", "2", &[])), data(&["user"], LoadState::Loaded)]);
    assert_eq!((made(&state), state.fields_not_given().len()), (made(&missing()), 2));
}

#[test]
fn a_newer_file_of_the_name_says_so() {
    let newer = after(missing(), [given(file("mine.csv", "2", &[]))]);
    assert_eq!(made(&newer), made(&missing()));
    assert!(newer.status.starts_with("This mine.csv has different content"), "{}", newer.status);
    let same = after(missing(), [given(file("mine.csv", "1", &[]))]);
    assert_eq!((made(&same), same.status.as_str()), (made(&missing()), ""));
}

#[test]
fn other_events_that_are_not_a_file_start_over() {
    let sample = Action::Edit(Edit::Source(Source::Sample("earthquakes".into()), None), 0.0);
    assert_eq!(made(&after(missing(), [sample])).2, 0);
    let found = after(missing(), [Action::OwnFound, given(file("other.csv", "2", &[]))]);
    assert_eq!(made(&found).2, 0, "the file is there");
}

#[test]
fn a_file_that_is_loaded_again_has_the_types_that_the_user_has_corrected() {
    let typed = vec![Field::new("user", FieldKind::Text), Field::new("at", FieldKind::Int)];
    let of =
        |fields: &[Field]| Source::Own(OwnData { fields: fields.to_vec(), ..file("mine.csv", "1", &[]) });
    let workspace = Workspace { source: of(&typed), ..(*missing().workspace).clone() };
    let came = |own, names: &[&str]| {
        let missing = after(PageState::new(workspace.clone()), [Action::OwnMissing]);
        let loading = [
            given(own),
            data(names, LoadState::Loading),
            data(names, LoadState::Loaded),
            data(names, LoadState::Loaded),
        ];
        Rc::unwrap_or_clone(after(missing, loading).workspace).source
    };
    assert_eq!(came(file("mine.csv", "1", &[]), &["user", "at"]), of(&typed));
    let Source::Own(newer) = came(file("mine.csv", "2", &[]), &["user", "at"]) else { panic!("own events") };
    assert_eq!(newer.fields, fields(&["user", "at"]), "other content may have other types");

    // Without the times, the designs would be wrong for each file with a few values that are not
    // times.
    let time = Field::new("at", FieldKind::Time);
    let with_time = Workspace { source: of(&[typed[0].clone(), time.clone()]), ..workspace };
    let missing = after(PageState::new(with_time), [Action::OwnMissing]);
    let newer = [given(file("mine.csv", "2", &[])), data(&["at", "page"], LoadState::Loaded)];
    let Source::Own(newer) = &after(missing, newer).workspace.source else { panic!("own events") };
    assert_eq!(newer.fields, [time, Field::new("page", FieldKind::Text)]);
}
