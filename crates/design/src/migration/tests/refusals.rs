//! What is refused at the start: mainly fields that the old row key needs and one of the tables
//! does not keep.

use super::*;

const SHORT: &str = "{user_token},{timestamp:iso}";

#[test]
fn a_new_table_that_loses_a_field_of_the_old_key_is_refused_at_the_start() {
    let mut host = Host::with(NARROW, &[1, 2]);
    let mut refused = |to: (&str, LayoutKind)| {
        let error = host.open(NARROW, to, 0).map(drop).expect_err("it is refused");
        assert_eq!(error.code, Code::FailedPrecondition);
        error.message
    };
    assert_eq!(
        refused((SHORT, LayoutKind::Wide)),
        "The table of Wide would lose app_id, which the row key of Narrow needs, so the two tables could not hold the same events. Keep \
         app_id in the new key as it is, or in a value: the layout Row per entity keeps all fields."
    );
    assert!(refused((SHORT, LayoutKind::Narrow)).contains("would lose app_id,"));
    assert!(
        refused(("{timestamp:iso}", LayoutKind::Wide)).contains("would lose app_id, user_token, which"),
        "both are named"
    );
    assert!(
        refused(("{app_id:hash},{user_token},{timestamp:iso}", LayoutKind::Wide))
            .contains("would lose app_id,")
    );
    assert_eq!(host.names(), ["old"], "nothing is made");
}

#[test]
fn an_old_key_whose_field_cannot_be_read_back_is_refused_whatever_the_new_table_keeps() {
    for (part, kind) in [("{user_token:hash}", LayoutKind::Narrow), ("{user_token:upper}", LayoutKind::Wide)]
    {
        let template = format!("{part},{{app_id}},{{timestamp:iso}}");
        let from = (&*template, kind);
        let mut host = Host::with(from, &[1, 2]);
        for to in [LayoutKind::RowPerEntity, LayoutKind::Wide] {
            let error =
                host.open(from, ("{app_id},{timestamp:iso}", to), 0).map(drop).expect_err("it is refused");
            let expected =
                format!("The row key of {kind:?} needs user_token, and its table does not keep it as it is");
            assert!(
                error.code == Code::FailedPrecondition && error.message.starts_with(&expected),
                "{error}"
            );
        }
        assert_eq!(host.names(), ["old"], "nothing is made");
    }
}

#[test]
fn a_new_key_may_drop_a_field_that_values_keep_and_lack_one_that_the_old_key_lacks() {
    for (from, to) in [
        (NARROW, (SHORT, LayoutKind::RowPerEntity)),
        ((SHORT, LayoutKind::RowPerEntity), NARROW),
        ((SHORT, LayoutKind::RowPerEntity), (SHORT, LayoutKind::Wide)),
        (("{app_id:hash},{user_token},{timestamp:iso}", LayoutKind::RowPerEntity), NARROW),
    ] {
        let mut host = Host::with(from, &(0..30).collect::<Vec<u64>>());
        let mut migration = host.open(from, to, 0).expect("it begins");
        while host.ask(|tables| migration.step(tables, 10)).expect("a step") {}
        let status = migration.status();
        assert_eq!(
            (status.stage, status.compared, status.difference),
            (MigrationStage::Ready, 30, None),
            "{from:?} {to:?}"
        );
    }
}

#[test]
fn one_that_an_earlier_build_has_begun_says_why_it_cannot_end_and_is_undone() {
    let to = (SHORT, LayoutKind::Wide);
    let mut host = Host::with(NARROW, &[1, 2]);
    let print = state::fingerprint(&design(NARROW), &design(to), &fields(), 0);
    host.ask(|tables| {
        tables.create_or_complete("new", vec![])?;
        let mut begun = state::State::load(tables, "old", "new", print)?;
        begun.go_to(MigrationStage::DualWrites);
        begun.save(tables)
    })
    .expect("it is stored");
    let mut migration = host.open(NARROW, to, 0).expect("it resumes");
    let error = loop {
        if let Err(error) = host.ask(|tables| migration.step(tables, 10)) {
            break error;
        }
    };
    assert_eq!(migration.status().stage, MigrationStage::VerifyingBack);
    assert!(
        error.code == Code::FailedPrecondition && error.message.contains("would lose app_id,"),
        "{error}"
    );
    let mut migration = host.open(NARROW, to, 0).expect("it is still there");
    host.ask(|tables| migration.undo(tables)).expect("it can be undone");
    assert_eq!(host.ask(|tables| migration.step(tables, 10)), Ok(false));
    assert_eq!(host.events("old", NARROW), Some(expected([1, 2])));
    assert_eq!(host.names(), ["old", STATE_TABLE]);
    assert!(host.open(NARROW, to, 0).is_err(), "it does not begin again");
}

#[test]
fn what_cannot_be_migrated_is_refused_with_a_reason_and_nothing_is_made() {
    let mut host = Host::with(DESIGNS[0], &[1]);
    let mut refused = |from, to| host.open(from, to, 0).map(drop).expect_err("it is refused").message;
    assert!(refused(NARROW, ("{app_id", LayoutKind::Wide)).contains("has a problem"));
    let facets = ("{app_id},{facets},{timestamp:iso}", LayoutKind::RowPerEntity);
    assert!(refused(NARROW, facets).contains("RowPerEntity has the text of facets."));
    assert!(refused(facets, NARROW).contains("RowPerEntity has the text of facets."));
    assert!(
        refused(NARROW, ("{app_id},{user_token}", LayoutKind::Columns))
            .to_lowercase()
            .contains("custom columns")
    );
    assert!(
        refused(("{app_id:hash},{user_token},{timestamp:iso}", LayoutKind::Narrow), DESIGNS[1])
            .contains("needs app_id")
    );
    assert_eq!(host.names().iter().filter(|name| *name == "new").count(), 0);
    host.ask(|tables| tables.create_or_complete("new", vec![])).expect("a table");
    let taken = host.open(NARROW, DESIGNS[1], 0).map(drop).expect_err("it is there");
    assert_eq!(taken.code, Code::AlreadyExists);
    host.ask(|tables| tables.delete("new")).expect("it is deleted");
    host.open(NARROW, DESIGNS[1], 0).expect("it begins");
    assert!(
        host.open(NARROW, DESIGNS[2], 0)
            .map(drop)
            .expect_err("another design")
            .message
            .contains("other designs")
    );
    assert!(host.open(NARROW, DESIGNS[1], 1_000).map(drop).is_err(), "another retention period");
    host.ask(|tables| tables.delete("old")).expect("it is deleted");
    host.ask(|tables| tables.delete("new")).expect("it is deleted");
    host.ask(|tables| tables.delete(STATE_TABLE)).expect("it is deleted");
    assert_eq!(host.open(NARROW, DESIGNS[1], 0).map(drop).expect_err("no table").code, Code::NotFound);
    // A row that the design has not written stops the backfill, and is named.
    let mut host = Host::with(DESIGNS[0], &[1]);
    let cell =
        Mutation::SetCell { family: "click".into(), qualifier: "x".into(), timestamp: 0, value: "?".into() };
    host.ask(|tables| {
        tables.add_families("old", vec![tabletop_model::ColumnFamily::new("click")])?;
        tables.write("old", vec![RowMutation { key: "foreign".into(), mutations: vec![cell] }])
    })
    .expect("it is stored");
    let mut migration = host.open(NARROW, DESIGNS[1], 0).expect("it begins");
    host.ask(|tables| migration.step(tables, 100)).expect("dual writes");
    let error = host.ask(|tables| migration.step(tables, 100)).expect_err("it cannot be read");
    assert!(error.code == Code::DataLoss && error.message.contains("foreign"), "{error}");
}
