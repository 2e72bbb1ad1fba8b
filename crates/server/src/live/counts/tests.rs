use tabletop_advice::{DiagnosisKind, Symptom};

use super::*;

const BEGAN: Timestamp = 1_700_000_000_000_000;

fn write(key: &str) -> RowTouch<'_> {
    RowTouch { key: key.as_bytes(), is_write: true, bytes: 100, nanos: 219_000 }
}

fn read(key: &str) -> RowTouch<'_> {
    RowTouch { is_write: false, nanos: 122_000, ..write(key) }
}

/// Pseudorandom numbers.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Counts seconds, each with some touches.
fn counted(seconds: u32, mut touches: impl FnMut(u32, &mut TableCounts)) -> TableCounts {
    let mut counts = TableCounts::new(1, BEGAN);
    for second in 0..seconds {
        counts.advance(BEGAN + i64::from(second) * SECOND + 500_000);
        touches(second, &mut counts);
    }
    counts.advance(BEGAN + i64::from(seconds) * SECOND);
    assert_eq!(counts.seconds(), seconds);
    counts
}

fn kinds(counts: &TableCounts) -> Vec<DiagnosisKind> {
    counts.diagnoses().iter().map(tabletop_advice::Diagnosis::kind).collect()
}

#[test]
fn the_history_and_the_matrix_have_what_was_counted() {
    let counts = counted(5, |second, counts| {
        (0..10).for_each(|row| counts.count(&write(&format!("row{row}"))));
        (0..second).for_each(|_| counts.count(&read("row3")));
        counts.end_call(b"row3", 2_000, false);
        counts.end_call(b"row3", 9_000, true);
    });
    let (from, history) = counts.history_since(&LiveHave::default());
    assert_eq!((from, history.len()), (0, 5));
    for (second, found) in history.iter().enumerate() {
        assert_eq!(
            (found.reads, found.writes, found.bytes),
            (second as u32, 10, 1_000 + 100 * second as u64)
        );
        let StreamSecond { arrived, answered, refused, expired, latency_micros } = found.calls;
        assert_eq!((arrived, answered, refused, expired, latency_micros[3]), (2, 1, 1, 0, 2_000));
    }
    let reads = counts.columns_since(0, HeatMetric::Reads);
    assert_eq!((reads.starts.len(), reads.columns.len(), reads.revision), (10, 5, 5));
    let part = reads.starts.iter().position(|start| start.as_slice() == b"row3").unwrap();
    for (second, column) in reads.columns.iter().enumerate() {
        assert_eq!((column.values[part], column.most[part]), (second as f32, second as f32));
        assert_eq!(column.values.iter().sum::<f32>(), second as f32);
    }
    assert_eq!(counts.rates(), (2.0, 10.0));
    assert!(counts.columns_since(5, HeatMetric::Reads).columns.is_empty());
}

#[test]
fn existing_rows_have_parts_before_they_are_used() {
    let mut counts = TableCounts::new(1, BEGAN);
    assert!(counts.begin_priming() && !counts.begin_priming());
    counts.prime(&(0..1_000).map(|row| RowKey::from(format!("{row:04}").as_str())).collect::<Vec<_>>());
    counts.advance(BEGAN + SECOND);
    assert_eq!(counts.columns_since(0, HeatMetric::Reads).starts.len(), 512);
}

#[test]
fn even_traffic_is_not_diagnosed() {
    let mut seed = 1;
    let even = counted(20, |_, counts| {
        for _ in 0..200 {
            let key = format!("{:06}", random(&mut seed) % 100_000);
            counts.count(&if random(&mut seed).is_multiple_of(2) { write(&key) } else { read(&key) });
        }
    });
    assert_eq!(kinds(&even), []);
    let three = counted(20, |_, counts| {
        (0..90).for_each(|row| counts.count(&write(&format!("row{}", row % 3))));
    });
    assert_eq!(kinds(&three), [], "three rows with a third each are not hot");
    let few = counted(20, |_, counts| counts.count(&write("row")));
    assert_eq!(kinds(&few), []);
}

#[test]
fn a_hot_row_is_diagnosed_with_its_key() {
    let mut seed = 2;
    let hot = counted(20, |_, counts| {
        for _ in 0..100 {
            counts.count(&read(&format!("{:06}", random(&mut seed) % 1_000)));
        }
        (0..60).for_each(|_| counts.count(&read("000500")));
    });
    let diagnoses = hot.diagnoses();
    assert_eq!(kinds(&hot), [DiagnosisKind::HotRow]);
    assert!(
        matches!(&diagnoses[0].symptom, Symptom::HotRow { row: Some(row), .. } if row.as_ref() == b"000500"),
        "{diagnoses:#?}"
    );
    assert!(diagnoses[0].fixes.is_empty());
    let starts = hot.columns_since(0, HeatMetric::Reads).starts;
    let (from, until) = diagnoses[0].buckets;
    let key = RowKey::from("000500");
    assert!(starts[from as usize] <= key && starts.get(until as usize).is_none_or(|end| key < *end));
}

#[test]
fn sequential_writes_are_diagnosed_and_random_ones_are_not() {
    let sequential = counted(30, |second, counts| {
        (0..60).for_each(|row| counts.count(&write(&format!("event#{:08}", second * 60 + row))));
    });
    assert_eq!(kinds(&sequential), [DiagnosisKind::SequentialWrites]);
    let mut seed = 3;
    let scattered = counted(30, |_, counts| {
        (0..60).for_each(|_| counts.count(&write(&format!("event#{:08}", random(&mut seed) % 100_000_000))));
    });
    assert_eq!(kinds(&scattered), []);
}

#[test]
fn a_hot_prefix_is_diagnosed() {
    let mut seed = 4;
    let hot = counted(20, |_, counts| {
        for _ in 0..100 {
            counts.count(&read(&format!("user{:03}#{}", random(&mut seed) % 200, random(&mut seed) % 10)));
        }
        (0..100).for_each(|_| counts.count(&read(&format!("user077#{}", random(&mut seed) % 10))));
    });
    let diagnoses = hot.diagnoses();
    assert_eq!(kinds(&hot), [DiagnosisKind::HotPrefix]);
    let Symptom::HotPrefix { start, .. } = &diagnoses[0].symptom else { panic!("{diagnoses:#?}") };
    assert!(start.as_ref().starts_with(b"user07"), "{diagnoses:#?}");
}

#[test]
fn long_pauses_and_clocks_that_go_back_do_not_count_as_seconds() {
    let mut counts = TableCounts::new(1, BEGAN);
    counts.advance(BEGAN + 3 * SECOND);
    counts.advance(BEGAN - 100 * SECOND);
    assert_eq!(counts.seconds(), 3);
    assert!(counts.is_continued(BEGAN + 3_000 * SECOND));
    let later = BEGAN + 1_000_000 * SECOND;
    assert!(!counts.is_continued(later));
    counts.advance(later);
    assert_eq!(counts.seconds(), 3);
}

#[test]
fn counts_take_bounded_memory() {
    let mut seed = 5;
    let mut counts = counted(700, |_, counts| {
        for _ in 0..300 {
            counts.count(&write(&format!("{:064}", random(&mut seed))));
        }
    });
    let bytes = counts.memory_bytes();
    assert!((8 << 20..24 << 20).contains(&bytes), "{bytes}");
    counts.advance(BEGAN + 3_000 * SECOND);
    assert!(counts.memory_bytes() < 24 << 20);
}
