use super::*;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::{format, vec};
use core::cmp::Reverse;

use proptest::prelude::*;
use tabletop_model::Aggregate;

const KINDS: [FamilyKind; 3] = [FamilyKind::Plain, FamilyKind::Plain, FamilyKind::Aggregate(Aggregate::Sum)];

/// Rows, each with its cells by family, qualifier and time, newest first.
type Model = BTreeMap<String, BTreeMap<(FamilyId, String, Reverse<i64>), String>>;

fn show(memtable: &mut Memtable) -> Vec<String> {
    memtable.settle(&KINDS);
    show_range(memtable, &KeyRange::all())
}

fn show_range(memtable: &Memtable, range: &KeyRange) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
    let mut lines = Vec::new();
    for row in memtable.range(range) {
        for cell in memtable.cells_of(row) {
            let (family, qualifier) = memtable.columns().get(cell.column);
            let value = memtable.value(cell.value_start, cell.value_length);
            let value = if family == 2 { i64::from_be_bytes(value.try_into().unwrap()).to_string() } else { text(value) };
            lines.push(format!("{} {family}:{}@{}={value}", text(memtable.key(row)), text(qualifier), cell.timestamp));
        }
    }
    lines
}

fn show_model(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, cells) in model {
        lines.extend(
            cells.iter().map(|((family, qualifier, time), value)| format!("{key} {family}:{qualifier}@{}={value}", time.0)),
        );
    }
    lines
}

#[derive(Clone, Debug)]
enum Step {
    Set(FamilyId, &'static str, i64, String),
    Add(&'static str, i64, i64),
    DeleteColumn(FamilyId, &'static str, i64, i64),
    DeleteFamily(FamilyId),
    DeleteRow,
}

fn apply(memtable: &mut Memtable, model: &mut Model, key: &str, steps: &[Step]) {
    let cells = model.entry(key.to_string()).or_default();
    let inputs: Vec<[u8; 8]> =
        steps.iter().map(|step| if let Step::Add(_, _, n) = step { n.to_be_bytes() } else { [0; 8] }).collect();
    let mut ops = Vec::new();
    for (step, input) in steps.iter().zip(&inputs) {
        ops.push(match step {
            Step::Set(family, qualifier, timestamp, value) => {
                cells.insert((*family, qualifier.to_string(), Reverse(*timestamp)), value.clone());
                Op::Set { family: *family, qualifier: qualifier.as_bytes(), timestamp: *timestamp, value: value.as_bytes() }
            }
            Step::Add(qualifier, timestamp, n) => {
                let cell = cells.entry((2, qualifier.to_string(), Reverse(*timestamp))).or_insert("0".into());
                *cell = (cell.parse::<i64>().unwrap() + n).to_string();
                Op::Add { family: 2, qualifier: qualifier.as_bytes(), timestamp: *timestamp, input }
            }
            Step::DeleteColumn(family, qualifier, start, end) => {
                cells.retain(|(f, q, t), _| f != family || q != qualifier || !(*start..*end).contains(&t.0));
                Op::DeleteColumn { family: *family, qualifier: qualifier.as_bytes(), start: *start, end: *end }
            }
            Step::DeleteFamily(family) => {
                cells.retain(|(f, _, _), _| f != family);
                Op::DeleteFamily(*family)
            }
            Step::DeleteRow => {
                cells.clear();
                Op::DeleteRow
            }
        });
    }
    memtable.apply(&Change { key: key.as_bytes(), ops: &ops });
}

fn any_step() -> impl Strategy<Value = Step> {
    let qualifier = || prop::sample::select(&["", "a", "ab", "b", "c", "d"][..]);
    let value = (0..1_000u32).prop_map(|value| value.to_string());
    prop_oneof![
        12 => (0..2u16, qualifier(), 0..4i64, value).prop_map(|(family, qualifier, time, value)| Step::Set(family, qualifier, time, value)),
        4 => (qualifier(), 0..4i64, -9..9i64).prop_map(|(qualifier, time, n)| Step::Add(qualifier, time, n)),
        1 => (0..3u16, qualifier(), 0..3i64, 1..4i64).prop_map(|(family, q, start, length)| Step::DeleteColumn(family, q, start, start + length)),
        1 => (0..3u16).prop_map(Step::DeleteFamily),
        1 => Just(Step::DeleteRow),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// The times of reads, and the number of rows between two reads, do not matter.
    #[test]
    fn reads_agree_with_a_map(
        writes in prop::collection::vec((0..40u32, prop::collection::vec(any_step(), 1..45), prop::bool::weighted(0.2)), 1..60),
        shared in prop::sample::select(&["", "app,user,"][..]),
    ) {
        let (mut memtable, mut model) = (Memtable::default(), Model::new());
        for (key, steps, reads) in &writes {
            // Some keys are prefixes of others, and most differ late.
            let key = format!("{shared}{}", "0123456789ab".repeat(2)[..(*key as usize % 13 + 1)].to_string() + &(key / 13).to_string());
            apply(&mut memtable, &mut model, &key, steps);
            if *reads {
                prop_assert_eq!(show(&mut memtable), show_model(&model));
            }
        }
        prop_assert_eq!(show(&mut memtable), show_model(&model));
        prop_assert_eq!(memtable.cells() as usize, model.values().map(BTreeMap::len).sum::<usize>());
        prop_assert_eq!(memtable.row_count() as usize, model.len());
        let backwards: Vec<Vec<u8>> = memtable.range(&KeyRange::all()).rev().map(|row| memtable.key(row).to_vec()).collect();
        prop_assert!(backwards.iter().map(Vec::as_slice).eq(model.keys().rev().map(String::as_bytes)));
        for (low, high) in model.keys().zip(model.keys().skip(2)) {
            let range = KeyRange { start: low.as_bytes().to_vec(), end: Some(high.as_bytes().to_vec()) };
            let part: Model = model.range(low.clone()..high.clone()).map(|(key, cells)| (key.clone(), cells.clone())).collect();
            prop_assert_eq!(show_range(&memtable, &range), show_model(&part));
        }
        // A family is dropped.
        memtable.remove_dropped(&[KINDS[0], FamilyKind::Dropped, KINDS[2]]);
        model.values_mut().for_each(|cells| cells.retain(|(family, _, _), _| *family != 1));
        prop_assert_eq!(show(&mut memtable), show_model(&model));
        prop_assert_eq!(memtable.cells() as usize, model.values().map(BTreeMap::len).sum::<usize>());
    }
}

#[test]
fn a_row_that_is_written_and_read_over_and_over_stays_small() {
    let mut memtable = Memtable::default();
    for time in 0..10_000 {
        memtable.apply(&Change {
            key: b"r",
            ops: &[Op::Add { family: 2, qualifier: b"q", timestamp: 0, input: &1i64.to_be_bytes() }],
        });
        memtable.apply(&Change { key: b"s", ops: &[Op::Set { family: 0, qualifier: b"q", timestamp: time, value: b"v" }] });
        memtable.settle(&KINDS);
    }
    assert_eq!(show_range(&memtable, &KeyRange::row(b"r")), vec!["r 2:q@0=10000"]);
    assert_eq!(memtable.cells(), 10_001);
    assert!(memtable.cells.len() < 40_000, "{} places for 10,001 cells", memtable.cells.len());
}

#[test]
fn nothing_is_counted_once_all_families_are_gone() {
    let mut memtable = Memtable::default();
    memtable.apply(&Change { key: b"r", ops: &[Op::Set { family: 0, qualifier: b"q", timestamp: 0, value: b"v" }] });
    memtable.remove_dropped(&[FamilyKind::Dropped; 3]);
    assert!(memtable.is_empty() && memtable.bytes() == 0);
}

#[test]
fn a_delete_hides_what_was_before_and_not_what_comes_after() {
    let (mut memtable, mut model) = (Memtable::default(), Model::new());
    let set = |time, value: &str| Step::Set(0, "a", time, value.into());
    let steps = [set(1, "old"), set(2, "old"), set(4, "old"), Step::DeleteColumn(0, "a", 2, 5), set(3, "new")];
    apply(&mut memtable, &mut model, "r", &steps);
    assert_eq!(show(&mut memtable), ["r 0:a@3=new", "r 0:a@1=old"]);
    apply(&mut memtable, &mut model, "r", &[Step::DeleteRow]);
    assert_eq!((show(&mut memtable), memtable.cells(), memtable.row_count()), (vec![], 0, 1));
}
