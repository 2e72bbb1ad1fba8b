use alloc::format;

use tabletop_protocol::HeatMetric;
use tabletop_workload::random::Random;

use super::*;
use crate::heat::{BusyRow, Heat, RowId, RowLoad, Touch, busiest};

/// Returns a hash of a key, which is as good for this as the server's.
fn hash(key: &RowKey) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in key.iter() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8
}

fn key(number: u64) -> RowKey {
    RowKey::from(format!("{number:08}").as_str())
}

/// A heatmap with its sample, and the counts by second and key: reads and writes.
struct Counted {
    heat: Heat,
    sample: Sample,
    naive: Vec<BTreeMap<RowKey, [u32; 2]>>,
    has_new_parts: u32,
}

impl Counted {
    fn new() -> Counted {
        let heat = Heat::new(&[RowKey::default()], 4);
        Counted { heat, sample: Sample::default(), naive: Vec::new(), has_new_parts: 0 }
    }

    /// Counts a second with these requests, each a key and whether it is written.
    fn second(&mut self, requests: impl IntoIterator<Item = (u64, bool)>) {
        let second = self.heat.seconds();
        let mut loads: BTreeMap<RowKey, RowLoad> = BTreeMap::new();
        let mut naive: BTreeMap<RowKey, [u32; 2]> = BTreeMap::new();
        for (number, is_write) in requests {
            let key = key(number);
            let seen = if is_write { FirstSeen::Written(second) } else { FirstSeen::Read(second) };
            self.sample.note(&key, hash(&key), seen);
            let row = Some(RowId(hash(&key)));
            let touch = Touch {
                bucket: self.heat.bucket_of(&key),
                is_write,
                row,
                bytes: 100,
                nanos: 64_000,
                rows: 1,
            };
            let load = loads.entry(key.clone()).or_default();
            load.add(second, &touch);
            self.heat.count(load, &touch);
            naive.entry(key).or_default()[usize::from(is_write)] += 1;
        }
        let rows: Vec<BusyRow> =
            loads.iter().map(|(key, load)| BusyRow { key: key.clone(), peak: load.peak() }).collect();
        let peaks: Vec<_> = rows.iter().map(|row| row.peak).collect();
        self.heat.end_second(busiest(&peaks).into_iter().map(|row| rows[row].clone()).collect());
        self.naive.push(naive);
        if self.sample.outgrows(self.heat.starts(), self.heat.seconds()) {
            self.heat.divide_again(&self.sample, |_| None);
            self.has_new_parts += 1;
        }
    }

    /// Returns the part of a key in the columns of a metric: by second, the values and the peaks of
    /// a row.
    fn of(&self, metric: HeatMetric) -> Vec<(Vec<f32>, Vec<f32>)> {
        let all = self.heat.columns_since(0, metric);
        all.columns.into_iter().map(|column| (column.values, column.most)).collect()
    }
}

#[test]
fn each_row_of_a_small_table_has_a_part_and_the_matrix_equals_a_naive_count() {
    let (mut counted, mut random) = (Counted::new(), Random::new(1));
    counted.second((0..100).map(|number| (number * 7, true)));
    counted.second([]);
    counted.second([]);
    assert_eq!(counted.heat.starts().len(), 100);
    for _ in 0..50 {
        let requests: Vec<_> =
            (0..random.below(300)).map(|_| (random.below(100) * 7, random.below(3) == 0)).collect();
        counted.second(requests);
    }
    let (reads, writes) = (counted.of(HeatMetric::Reads), counted.of(HeatMetric::Writes));
    for (second, naive) in counted.naive.iter().enumerate() {
        for number in 0..100 {
            let of = naive.get(&key(number * 7)).copied().unwrap_or_default().map(|count| count as f32);
            let part = usize::from(counted.heat.bucket_of(&key(number * 7)));
            let found = [&reads, &writes].map(|columns| (columns[second].0[part], columns[second].1[part]));
            assert_eq!(found, of.map(|count| (count, count)), "second {second} row {number}");
        }
    }
}

#[test]
fn sums_stay_and_a_hot_row_stays_visible_when_the_parts_change() {
    let (mut counted, mut random) = (Counted::new(), Random::new(2));
    let hot = 40_000;
    for second in 0..60 {
        // More and more keys exist on both sides of the hot row, which has a fifth of the requests.
        let rows = 50 + 200 * second;
        let requests: Vec<_> = (0..500)
            .map(|_| {
                if random.below(5) == 0 {
                    (hot, false)
                } else {
                    (random.below(rows) * 8, random.below(2) == 0)
                }
            })
            .collect();
        counted.second(requests);
    }
    assert!(counted.has_new_parts > 5, "{}", counted.has_new_parts);
    assert!(counted.heat.starts().len() > 400);
    let hot_part = usize::from(counted.heat.bucket_of(&key(hot)));
    for (metric, at) in [(HeatMetric::Reads, 0), (HeatMetric::Writes, 1)] {
        for ((values, most), naive) in counted.of(metric).into_iter().zip(&counted.naive) {
            let all: u32 = naive.values().map(|of| of[at]).sum();
            assert_eq!(values.iter().sum::<f32>(), all as f32);
            if at == 0 {
                let reads = naive[&key(hot)][0] as f32;
                assert_eq!(most[hot_part], reads, "the row is not averaged with its neighbours");
                assert!(values[hot_part] >= reads);
                let others =
                    most.iter().enumerate().filter(|(part, _)| *part != hot_part).map(|(_, most)| *most);
                assert!(others.fold(0.0, f32::max) < reads / 2.0, "and they do not look like it");
            }
        }
    }
    let bytes: f32 = counted.of(HeatMetric::Bytes).iter().flat_map(|(values, _)| values).sum();
    assert!((bytes - 60.0 * 500.0 * 100.0).abs() < 300.0, "{bytes}");
}

#[test]
fn the_most_of_a_row_stays_also_if_its_key_is_not_known() {
    let starts = [RowKey::default()];
    let mut heat = Heat::new(&starts, 4);
    let mut sample = Sample::default();
    let touch = Touch { bucket: 0, is_write: false, row: None, bytes: 10, nanos: 640, rows: 1 };
    let mut load = RowLoad::default();
    for number in 0..100 {
        sample.note(&key(number), hash(&key(number)), FirstSeen::Before);
        load.add(0, &touch);
        heat.count(&load, &touch);
    }
    heat.end_second(Vec::new());
    heat.divide_again(&sample, |_| None);
    let column = heat.columns_since(0, HeatMetric::Reads).columns.remove(0);
    assert_eq!(column.values.len(), 100);
    assert_eq!(column.most.iter().copied().fold(0.0, f32::max), 100.0);
}

#[test]
fn a_diagonal_stays_one_when_the_parts_change() {
    let mut counted = Counted::new();
    for second in 0..40 {
        counted.second((0..100).map(|number| (second * 100 + number, true)));
    }
    let starts = counted.heat.starts().to_vec();
    let mut is_sharp = 0;
    for (second, (values, _)) in counted.of(HeatMetric::Writes).into_iter().enumerate() {
        let written: Vec<usize> = (0..values.len()).filter(|part| values[*part] > 0.0).collect();
        let of = |number: u64| starts.partition_point(|start| *start <= key(number)).saturating_sub(1);
        let expected = of(second as u64 * 100)..of(second as u64 * 100 + 99) + 1;
        is_sharp += usize::from(written.iter().all(|part| expected.contains(part)));
    }
    assert!(is_sharp > 36, "{is_sharp} of 40 seconds are where they were");
    assert!(counted.has_new_parts < 35, "not each second has new parts: {}", counted.has_new_parts);
}

#[test]
fn a_sample_is_bounded_and_even() {
    let mut sample = Sample::default();
    for number in 0..200_000 {
        // Each key is seen twice, and one of them often.
        sample.note(&key(number % 100_000), hash(&key(number % 100_000)), FirstSeen::Before);
        sample.note(&key(5), hash(&key(5)), FirstSeen::Before);
    }
    assert!(sample.keys.len() <= KEYS_MAX);
    assert!((90_000..110_000).contains(&sample.rows()), "{}", sample.rows());
    let starts = sample.starts();
    assert_eq!((starts.len(), starts[0].len()), (BUCKETS_MAX, 0));
    let middle: u64 = core::str::from_utf8(&starts[256]).unwrap().parse().unwrap();
    assert!((48_000..52_000).contains(&middle), "{middle}");
    let mut long = Sample::default();
    for number in 0..2_000 {
        let key = RowKey::from(format!("{number:04096}").as_str());
        long.note(&key, hash(&key), FirstSeen::Before);
    }
    assert!(long.memory_bytes() < 2 * KEY_BYTES_MAX && long.keys.len() > 50, "{}", long.keys.len());
}

#[test]
fn keys_that_grow_are_told_from_others() {
    let grows = |number: &mut dyn FnMut(u64, u64) -> u64, writes: bool| {
        let mut counted = Counted::new();
        for second in 0..20 {
            let requests: Vec<_> = (0..100).map(|at| (number(second, at), writes)).collect();
            counted.second(requests);
        }
        counted.sample.grows(counted.heat.seconds())
    };
    let mut random = Random::new(3);
    assert!(grows(&mut |second, at| second * 100 + at, true));
    assert!(grows(&mut |second, at| 99_999 - second * 100 - at, true), "also downwards");
    assert!(
        grows(&mut |second, at| at % 3 * 100_000 + second * 50 + at / 3, true),
        "also after three prefixes"
    );
    assert!(!grows(&mut |_, _| random.below(1_000_000), true));
    assert!(!grows(&mut |second, at| second * 100 + at, false), "reads write nothing");
    assert!(!grows(&mut |_, at| at, true), "the same rows again");
}
