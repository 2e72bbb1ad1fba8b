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
            let value = if family == 2 {
                i64::from_be_bytes(value.try_into().unwrap()).to_string()
            } else {
                text(value)
            };
            lines.push(format!(
                "{} {family}:{}@{}={value}",
                text(memtable.key(row)),
                text(qualifier),
                cell.timestamp
            ));
        }
    }
    lines
}

fn show_model(model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, cells) in model {
        lines.extend(cells.iter().map(|((family, qualifier, time), value)| {
            format!("{key} {family}:{qualifier}@{}={value}", time.0)
        }));
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
    let inputs: Vec<[u8; 8]> = steps
        .iter()
        .map(|step| if let Step::Add(_, _, n) = step { n.to_be_bytes() } else { [0; 8] })
        .collect();
    let mut ops = Vec::new();
    for (step, input) in steps.iter().zip(&inputs) {
        ops.push(match step {
            Step::Set(family, qualifier, timestamp, value) => {
                cells.insert((*family, qualifier.to_string(), Reverse(*timestamp)), value.clone());
                Op::Set {
                    family: *family,
                    qualifier: qualifier.as_bytes(),
                    timestamp: *timestamp,
                    value: value.as_bytes(),
                }
            }
            Step::Add(qualifier, timestamp, n) => {
                let cell = cells.entry((2, qualifier.to_string(), Reverse(*timestamp))).or_insert("0".into());
                *cell = (cell.parse::<i64>().unwrap() + n).to_string();
                Op::Add { family: 2, qualifier: qualifier.as_bytes(), timestamp: *timestamp, input }
            }
            Step::DeleteColumn(family, qualifier, start, end) => {
                cells.retain(|(f, q, t), _| f != family || q != qualifier || !(*start..*end).contains(&t.0));
                Op::DeleteColumn {
                    family: *family,
                    qualifier: qualifier.as_bytes(),
                    start: *start,
                    end: *end,
                }
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

    /// Neither the times of reads nor the number of rows between two reads matters.
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

/// Cells and deletes of one row in many chunks. Each step is a kind, a family, a qualifier, a time
/// and a length.
fn any_wide_steps() -> impl Strategy<Value = Vec<Step>> {
    let qualifier = || prop::sample::select(&["", "a", "ab", "b"][..]);
    let step = prop_oneof![
        60 => (0..2u16, qualifier(), 0..700i64).prop_map(|(family, q, time)| Step::Set(family, q, time, time.to_string())),
        10 => (qualifier(), 0..300i64, -9..9i64).prop_map(|(qualifier, time, n)| Step::Add(qualifier, time, n)),
        20 => (0..3u16, qualifier(), 0..700i64, 1..6i64).prop_map(|(family, q, start, n)| Step::DeleteColumn(family, q, start, start + n)),
        1 => (0..3u16, qualifier(), 0..500i64, 1..400i64).prop_map(|(family, q, start, n)| Step::DeleteColumn(family, q, start, start + n)),
    ];
    prop::collection::vec(step, 3_000..6_000)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn reads_of_a_wide_row_agree_with_a_map(
        steps in any_wide_steps(),
        per_write in prop::sample::select(&[1, 7, 40, 1_500][..]),
        reads in prop::sample::select(&[1, 5, 10_000][..]),
        last in prop::sample::select(&[None, Some(Step::DeleteFamily(1)), Some(Step::DeleteRow)][..]),
    ) {
        let (mut memtable, mut model) = (Memtable::default(), Model::new());
        for (at, steps) in steps.chunks(per_write).enumerate() {
            apply(&mut memtable, &mut model, "r", steps);
            if at % reads == 0 {
                memtable.settle(&KINDS);
            }
        }
        prop_assert_eq!(show(&mut memtable), show_model(&model));
        apply(&mut memtable, &mut model, "r", last.as_slice());
        prop_assert_eq!(show(&mut memtable), show_model(&model));
        prop_assert_eq!(memtable.cells() as usize, model["r"].len());
        let row = memtable.range(&KeyRange::all()).next().unwrap();
        let tombstones = memtable.tombstones(row).unwrap();
        for pair in tombstones.columns.windows(2) {
            let follows = (pair[0].family, &pair[0].qualifier) < (pair[1].family, &pair[1].qualifier) || pair[0].end < pair[1].start;
            prop_assert!(follows, "{:?}", pair);
        }
        for (family, qualifier, time) in (0..3).flat_map(|f| ["", "a", "b", "x"].map(|q| (f, q))).flat_map(|(f, q)| (0..900).map(move |t| (f, q, t))) {
            let hides = |step: &Step| match step {
                Step::DeleteColumn(f, q, start, end) => *f == family && *q == qualifier && (*start..*end).contains(&time),
                Step::DeleteFamily(f) => *f == family,
                Step::DeleteRow => true,
                Step::Set(..) | Step::Add(..) => false,
            };
            let hidden = steps.iter().chain(&last).any(hides);
            prop_assert_eq!(memtable.hides(row, family, qualifier.as_bytes(), time), hidden, "{}:{}@{}", family, qualifier, time);
            prop_assert_eq!(tombstones.hides(family, qualifier.as_bytes(), time), hidden);
        }
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
        memtable.apply(&Change {
            key: b"s",
            ops: &[Op::Set { family: 0, qualifier: b"q", timestamp: time, value: b"v" }],
        });
        memtable.settle(&KINDS);
    }
    assert_eq!(show_range(&memtable, &KeyRange::row(b"r")), vec!["r 2:q@0=10000"]);
    assert_eq!(memtable.cells(), 10_001);
    assert!(memtable.cells.len() < 40_000, "{} places for 10,001 cells", memtable.cells.len());
}

#[test]
fn nothing_is_counted_once_all_families_are_gone() {
    let mut memtable = Memtable::default();
    memtable.apply(&Change {
        key: b"r",
        ops: &[Op::Set { family: 0, qualifier: b"q", timestamp: 0, value: b"v" }],
    });
    memtable.remove_dropped(&[FamilyKind::Dropped; 3]);
    assert!(memtable.is_empty() && memtable.bytes() == 0);
}

#[test]
fn a_delete_hides_what_was_before_and_not_what_comes_after() {
    let (mut memtable, mut model) = (Memtable::default(), Model::new());
    let set = |time, value: &str| Step::Set(0, "a", time, value.into());
    let steps =
        [set(1, "old"), set(2, "old"), set(4, "old"), Step::DeleteColumn(0, "a", 2, 5), set(3, "new")];
    apply(&mut memtable, &mut model, "r", &steps);
    assert_eq!(show(&mut memtable), ["r 0:a@3=new", "r 0:a@1=old"]);
    apply(&mut memtable, &mut model, "r", &[Step::DeleteRow]);
    assert_eq!((show(&mut memtable), memtable.cells(), memtable.row_count()), (vec![], 0, 1));
}

/// When a cost test reads the row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reads {
    Once,
    AfterEachWrite,
}

/// Returns, for each write, the comparisons and moves of cells that `count` writes of one row
/// cause, each with `per_write` ops.
fn work(count: usize, per_write: usize, reads: Reads, op: impl Fn(i64, &mut Vec<u8>) -> Kind) -> u64 {
    let mut memtable = Memtable::default();
    let numbers: Vec<i64> = (0..count as i64).collect();
    for numbers in numbers.chunks(per_write) {
        let mut qualifiers = vec![Vec::new(); numbers.len()];
        let kinds: Vec<Kind> =
            numbers.iter().zip(&mut qualifiers).map(|(number, qualifier)| op(*number, qualifier)).collect();
        let ops: Vec<Op> =
            kinds.iter().zip(&qualifiers).map(|(kind, qualifier)| kind.op(qualifier)).collect();
        memtable.apply(&Change { key: b"r", ops: &ops });
        if reads == Reads::AfterEachWrite {
            memtable.settle(&KINDS);
        }
    }
    memtable.settle(&KINDS);
    memtable.work.get() / count as u64
}

/// What an op of a cost test does to its column.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Set(i64),
    Delete,
    DeleteTime(i64),
}

impl Kind {
    fn op<'a>(&self, qualifier: &'a [u8]) -> Op<'a> {
        match *self {
            Kind::Set(timestamp) => Op::Set { family: 0, qualifier, timestamp, value: b"v" },
            Kind::Delete => Op::DeleteColumn { family: 0, qualifier, start: 0, end: i64::MAX },
            Kind::DeleteTime(time) => Op::DeleteColumn { family: 0, qualifier, start: time, end: time + 1 },
        }
    }
}

/// The numbers below 65,537 in a scattered order.
fn scattered(number: i64) -> i64 {
    (number + 1) * 7_919 % 65_537
}

/// Asserts that the work per op does not grow with the length of the row. A step of a binary search
/// counts as 1.
#[track_caller]
fn is_flat(per_write: usize, reads: Reads, op: impl Fn(i64, &mut Vec<u8>) -> Kind) {
    let (short, long) = (work(5_000, per_write, reads, &op), work(40_000, per_write, reads, &op));
    assert!(
        long < 700 && long <= short * 3 / 2 + 50,
        "{short} for each of 5,000 ops, {long} for each of 40,000"
    );
}

fn put_number(number: i64, qualifier: &mut Vec<u8>) {
    qualifier.extend_from_slice(&number.to_be_bytes());
}

#[test]
fn deletes_of_columns_cost_the_same_in_every_row() {
    let numbers: [fn(i64) -> i64; 3] = [|number| number, |number| 50_000 - number, scattered];
    for number in numbers {
        for (per_write, reads) in [(1, Reads::Once), (1, Reads::AfterEachWrite), (100_000, Reads::Once)] {
            is_flat(per_write, reads, |at, qualifier| {
                put_number(number(at), qualifier);
                Kind::Delete
            });
        }
    }
}

#[test]
fn versions_of_a_cell_cost_the_same_in_every_row() {
    let times: [fn(i64) -> i64; 3] = [|number| number, |number| 50_000 - number, scattered];
    for time in times {
        for reads in [Reads::Once, Reads::AfterEachWrite] {
            is_flat(1, reads, |at, _| Kind::Set(time(at)));
            // Every second version of the first half is deleted.
            is_flat(1, reads, |at, _| {
                if at % 2 == 0 { Kind::Set(time(at)) } else { Kind::DeleteTime(time(at / 4 * 2)) }
            });
        }
        is_flat(1, Reads::AfterEachWrite, |at, qualifier| {
            put_number(at % 100, qualifier);
            Kind::Set(time(at))
        });
    }
}

#[test]
fn a_request_of_sets_and_deletes_costs_the_same_for_each() {
    for per_write in [100_000, 1_000] {
        is_flat(per_write, Reads::Once, |at, qualifier| {
            put_number(scattered(at / 2), qualifier);
            if at % 2 == 0 { Kind::Set(1) } else { Kind::Delete }
        });
        // The deletes come last: one of a column that exists, and one of a column that does not.
        is_flat(per_write, Reads::AfterEachWrite, |at, qualifier| {
            put_number(at % 1_000 / 500 + scattered(at % 500), qualifier);
            if at % 1_000 < 500 { Kind::Set(at) } else { Kind::Delete }
        });
    }
}
