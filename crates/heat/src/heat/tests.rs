use alloc::vec;

use tabletop_workload::random::Random;

use super::*;

const BUCKETS: usize = 5;

fn heat() -> Heat {
    let starts: Vec<RowKey> = (0..BUCKETS).map(|at| RowKey::from(vec![b'a' + at as u8; at])).collect();
    Heat::new(&starts, 4)
}

/// Counts random requests in each of this many seconds. Returns what each bucket received in each
/// second.
fn filled(heat: &mut Heat, seconds: u32, random: &mut Random) -> Vec<[Cell; BUCKETS]> {
    let mut all = Vec::new();
    for _ in 0..seconds {
        let mut cells = [Cell::default(); BUCKETS];
        for _ in 0..random.below(20) {
            let (bucket, is_write) = (random.below(BUCKETS as u64) as u16, random.below(3) == 0);
            let (bytes, nanos) = (random.below(1_000), 64 * random.below(10_000));
            let touch = Touch { bucket, is_write, row: None, bytes, nanos, rows: 1 };
            let mut load = RowLoad::default();
            load.add(heat.seconds, &touch);
            heat.second.count(&load, &touch);
            let cell = &mut cells[usize::from(bucket)];
            (cell.reads, cell.writes) =
                (cell.reads + u32::from(!is_write), cell.writes + u32::from(is_write));
            cell.bytes += bytes as f32;
            cell.core_seconds += nanos as f32 / 1e9;
            cell.row.requests = 1;
            cell.row.bytes = cell.row.bytes.max(bytes as f32);
            cell.row.cores = cell.row.cores.max(nanos as f32 / 1e9);
        }
        heat.end_second(Vec::new());
        all.push(cells);
    }
    all
}

#[test]
fn columns_are_merged_without_loss_and_the_recent_ones_stay() {
    let (mut heat, mut random) = (heat(), Random::new(3));
    let mut all = Vec::new();
    for more in [1, 598, 1, 1, 400, 3_000, 20_000] {
        all.extend(filled(&mut heat, more, &mut random));
        assert!(heat.columns.len() <= COLUMNS_MAX);
        let mut next = 0;
        for column in &heat.columns {
            assert_eq!(column.second, next, "no gap and no overlap");
            next += column.seconds;
            let seconds = &all[column.second as usize..next as usize];
            for (bucket, cell) in column.cells.iter().enumerate() {
                let of = |value: fn(&Cell) -> f32| {
                    seconds.iter().map(|second| value(&second[bucket])).collect::<Vec<f32>>()
                };
                let most = |value: fn(&Cell) -> f32| of(value).into_iter().fold(0.0, f32::max);
                assert_eq!(cell.reads as f32, of(|cell| cell.reads as f32).iter().sum::<f32>());
                assert_eq!(cell.writes as f32, of(|cell| cell.writes as f32).iter().sum::<f32>());
                assert_eq!(cell.bytes, of(|cell| cell.bytes).iter().sum::<f32>());
                assert!((cell.core_seconds - of(|cell| cell.core_seconds).iter().sum::<f32>()).abs() < 1e-4);
                assert_eq!(cell.row.requests as f32, most(|cell| cell.row.requests as f32));
                assert_eq!(cell.row.bytes, most(|cell| cell.row.bytes));
                assert!((cell.row.cores - most(|cell| cell.row.cores)).abs() < 1e-9);
            }
        }
        assert_eq!(next, heat.seconds);
    }
    let length = |from_end: usize| heat.columns[heat.columns.len() - from_end].seconds;
    assert_eq!([length(1), length(50)], [1, 1], "recent seconds stay");
    assert!(heat.columns.is_sorted_by(|one, other| one.seconds >= other.seconds), "older columns are longer");
    let counts: Vec<usize> =
        heat.columns.chunk_by(|one, other| one.seconds == other.seconds).map(<[Column]>::len).collect();
    assert!(counts.len() < 10 && counts.iter().all(|count| *count < 250), "{counts:?}");
}

#[test]
fn a_page_with_rare_requests_has_all_data() {
    let (mut heat, mut random) = (heat(), Random::new(5));
    let (mut page, mut starts, mut revision) = (Vec::new(), Vec::new(), 0);
    let mut kept = 0;
    for _ in 0..400 {
        let more = 1 + random.below(12) as u32;
        filled(&mut heat, more, &mut random);
        let sent = heat.columns_since(revision, HeatMetric::Bytes);
        assert_eq!(sent.starts.is_empty(), sent.keep > 0);
        if sent.keep == 0 {
            starts = sent.starts;
        }
        kept += u32::from(sent.keep as usize >= page.len().min(1));
        page.truncate(sent.keep as usize);
        page.extend(sent.columns);
        revision = sent.revision;
        let whole = heat.columns_since(0, HeatMetric::Bytes);
        assert_eq!((&page, &starts), (&whole.columns, &whole.starts));
    }
    assert!(heat.columns.iter().any(|column| column.seconds > 1), "columns were merged along the way");
    assert!(kept > 300, "most answers have only what is new: {kept}");
}

#[test]
fn the_latency_of_a_cell_is_that_of_its_answers() {
    let mut heat = heat();
    for micros in (1..=1_000).rev() {
        heat.answer(2, micros * 20);
    }
    heat.answer(1, u64::MAX);
    heat.end_second(Vec::new());
    heat.answer(2, 7);
    heat.end_second(Vec::new());
    let columns = heat.columns_since(0, HeatMetric::LatencyP99).columns;
    let near = |found: f32, expected: f32| (found / expected - 1.0).abs() < 0.035;
    assert!(near(columns[0].values[2], 19_800.0), "{:?}", columns[0].values);
    assert!(near(columns[0].values[1], (1 << 24) as f32), "{:?}", columns[0].values);
    assert_eq!((columns[0].values[0], columns[1].values[2]), (0.0, 7.0));
}

#[test]
fn a_scan_is_not_a_load_of_its_first_row_alone() {
    let mut heat = heat();
    let touch = Touch { bucket: 0, is_write: false, row: None, bytes: 5_000, nanos: 640_000, rows: 10 };
    let mut load = RowLoad::default();
    load.add(0, &touch);
    heat.second.count(&load, &touch);
    heat.end_second(Vec::new());
    let of = |metric| {
        let column = heat.columns_since(0, metric).columns.remove(0);
        (column.values[0], column.most[0])
    };
    assert_eq!(of(HeatMetric::Bytes), (5_000.0, 500.0));
    assert_eq!(of(HeatMetric::Cpu), (0.000_64, 0.000_064));
    assert_eq!(of(HeatMetric::ReadPressure), (0.000_016, 0.000_016), "of the cores of a node");
}
