//! New designs whose rows lose a field that the old row key needs.

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
    assert!(refused(("{timestamp:iso}", LayoutKind::Wide)).contains("would lose app_id, user_token, which"), "both are named");
    assert!(refused(("{app_id:hash},{user_token},{timestamp:iso}", LayoutKind::Wide)).contains("would lose app_id,"));
    assert_eq!(host.names(), ["old"], "nothing is made");
}

#[test]
fn a_field_that_a_salt_of_the_old_key_hashes_is_needed_too() {
    let salted = ("{salt(4, user_token)}#{app_id},{user_token},{timestamp:iso}", LayoutKind::Narrow);
    let (old, new) = (design(salted), design(("{app_id},{timestamp:iso}", LayoutKind::Narrow)));
    let [old, new] = [old, new].map(|design| Side::new("any", &design, &fields()).expect("a design"));
    assert!(old.check_kept_by(&new).expect_err("it is lost").message.contains("would lose user_token,"));
}

#[test]
fn a_new_key_may_drop_a_field_that_values_keep_and_lack_one_that_the_old_key_lacks() {
    for (from, to) in [
        (NARROW, (SHORT, LayoutKind::RowPerEntity)),
        ((SHORT, LayoutKind::RowPerEntity), NARROW),
        ((SHORT, LayoutKind::RowPerEntity), (SHORT, LayoutKind::Wide)),
    ] {
        let mut host = Host::with(from, &(0..30).collect::<Vec<u64>>());
        let mut migration = host.open(from, to, 0).expect("it begins");
        while host.ask(|tables| migration.step(tables, 10)).expect("a step") {}
        let status = migration.status();
        assert_eq!((status.stage, status.compared, status.difference), (MigrationStage::Ready, 30, None), "{from:?} {to:?}");
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
    let mut migration = host.open(NARROW, to, 0).expect("it goes on");
    let error = loop {
        if let Err(error) = host.ask(|tables| migration.step(tables, 10)) {
            break error;
        }
    };
    assert_eq!(migration.status().stage, MigrationStage::VerifyingBack);
    assert!(error.code == Code::FailedPrecondition && error.message.contains("would lose app_id,"), "{error}");
    let mut migration = host.open(NARROW, to, 0).expect("it is still there");
    host.ask(|tables| migration.undo(tables)).expect("it can be undone");
    assert_eq!(host.ask(|tables| migration.step(tables, 10)), Ok(false));
    assert_eq!(host.events("old", NARROW), Some(expected([1, 2])));
    assert_eq!(host.names(), ["old", STATE_TABLE]);
    assert!(host.open(NARROW, to, 0).is_err(), "it does not begin again");
}
