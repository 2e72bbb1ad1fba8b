//! Figures of tables. The first tables by name have their own series; the others are summed into
//! one more, so that 10,000 tables have no more series than 1,000.

use tabletop_model::TableCounts;

use super::exposition::{Exposition, Kind};
use crate::host::Host;

/// The number of tables with their own series.
const TABLES_MAX: usize = 1_000;
/// The labels of the series of all other tables. No project and no table can have such a name.
const OTHERS: [(&str, &str); 3] = [("project", "(others)"), ("instance", "(others)"), ("table", "(others)")];

/// A figure of a table.
struct Figure {
    name: &'static str,
    kind: Kind,
    help: &'static str,
    of: fn(&TableCounts) -> u64,
}

const fn gauge(name: &'static str, help: &'static str, of: fn(&TableCounts) -> u64) -> Figure {
    Figure { name, kind: Kind::Gauge, help, of }
}

const fn counter(name: &'static str, help: &'static str, of: fn(&TableCounts) -> u64) -> Figure {
    Figure { name, kind: Kind::Counter, help, of }
}

/// Counters of files survive the process; counters of reads begin when a table is opened.
const FIGURES: [Figure; 22] = [
    gauge("tabletop_tablets", "Tablets.", |table| table.tablets),
    gauge("tabletop_sstables", "SSTables of all tablets.", |table| table.sstables),
    gauge("tabletop_stored_bytes", "Bytes in memtables and SSTables.", |table| table.bytes),
    gauge("tabletop_memtable_bytes", "Memory of memtables.", |table| table.memtable_bytes),
    gauge("tabletop_log_bytes", "Bytes of the commit log that are kept.", |table| table.log_bytes),
    gauge("tabletop_cache_bytes", "Bytes of cached blocks.", |table| table.cache_bytes),
    gauge("tabletop_read_only", "1 for a table that can no longer be written to.", |table| {
        u64::from(table.read_only.is_some())
    }),
    counter("tabletop_splits_total", "Splits of tablets.", |table| table.splits),
    counter("tabletop_merges_total", "Merges of tablets.", |table| table.merges),
    counter("tabletop_flushes_total", "Minor compactions: memtables that were written.", |table| {
        table.minor_compactions
    }),
    counter("tabletop_compactions_total", "Merging and major compactions.", |table| table.major_compactions),
    counter("tabletop_cache_hits_total", "Blocks that reads found in the cache.", |table| table.cache_hits),
    counter("tabletop_cache_misses_total", "Blocks that were read from storage.", |table| table.blocks_read),
    counter("tabletop_storage_read_bytes_total", "Bytes of blocks that were read from storage.", |table| {
        table.bytes_read
    }),
    counter("tabletop_bloom_skips_total", "SSTables that a Bloom filter ruled out.", |table| {
        table.bloom_skips
    }),
    counter("tabletop_returned_bytes_total", "Bytes that reads returned.", |table| table.bytes_returned),
    counter("tabletop_written_bytes_total", "Bytes that clients wrote.", |table| table.work.user_bytes),
    counter("tabletop_logged_bytes_total", "Bytes written to the commit log.", |table| {
        table.work.logged_bytes
    }),
    counter("tabletop_flushed_bytes_total", "Bytes of SSTables written from memtables.", |table| {
        table.work.flushed_bytes
    }),
    counter("tabletop_compaction_read_bytes_total", "Bytes that compactions read.", |table| {
        table.work.compaction_bytes_read
    }),
    counter("tabletop_compaction_written_bytes_total", "Bytes that compactions wrote.", |table| {
        table.work.compaction_bytes_written
    }),
    counter("tabletop_writes_slowed_total", "Writes that waited for compaction.", |table| {
        table.work.writes_slowed
    }),
];

/// A table with its figures, in order.
struct Row {
    project: String,
    instance: String,
    table: String,
    values: [u64; FIGURES.len()],
}

/// Writes the figures of the tables of all open instances.
pub(super) fn write(host: &Host, out: &mut Exposition) {
    let (mut rows, mut others, mut tables, mut instances) = (Vec::new(), [0; FIGURES.len()], 0_u64, 0_u64);
    for (name, served) in host.open_instances() {
        instances += 1;
        // An instance that has been closed since, or is unusable, has no figures. The health check
        // reports it.
        let _ = served.table_counts(|table, counts| {
            tables += 1;
            let values = std::array::from_fn(|at| (FIGURES[at].of)(counts));
            if rows.len() < TABLES_MAX {
                let (project, instance) = (name.project.clone(), name.instance.clone());
                rows.push(Row { project, instance, table: table.into(), values });
            } else {
                others.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        });
    }
    let mut one = |name: &str, help: &str, value: u64| {
        out.family(name, Kind::Gauge, help);
        out.sample(name, &[], value);
    };
    one(
        "tabletop_instances_open",
        "Instances that are open. The tables of others are not counted.",
        instances,
    );
    one("tabletop_tables", "Tables of open instances.", tables);
    one(
        "tabletop_tables_without_series",
        "Tables beyond the first 1,000, which share the series (others).",
        tables - rows.len() as u64,
    );
    for (at, figure) in FIGURES.iter().enumerate() {
        out.family(figure.name, figure.kind, figure.help);
        for row in &rows {
            let labels = [("project", &*row.project), ("instance", &*row.instance), ("table", &*row.table)];
            out.sample(figure.name, &labels, row.values[at]);
        }
        if tables > rows.len() as u64 {
            out.sample(figure.name, &OTHERS, others[at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::TableSpec;

    use super::*;
    use crate::host::{InstanceName, table_settings};

    #[test]
    fn many_tables_have_a_bounded_number_of_series() {
        let host = Host::in_memory(|| 0);
        for instance in 0..3 {
            let name = InstanceName { project: "p".into(), instance: format!("i{instance}") };
            let served = host.instance_or_new(&name).unwrap();
            for table in 0..400 {
                let splits = vec!["m".into()];
                let spec =
                    TableSpec { initial_splits: splits, settings: table_settings(), ..TableSpec::default() };
                served
                    .change(|instance, now| instance.create_table(now, &format!("t{table:03}"), spec))
                    .unwrap();
            }
        }
        let mut out = Exposition::default();
        write(&host, &mut out);
        let text = out.into_text();
        let tablets: Vec<&str> = text.lines().filter(|line| line.starts_with("tabletop_tablets{")).collect();
        assert_eq!(tablets.len(), TABLES_MAX + 1);
        assert_eq!(tablets[0], r#"tabletop_tablets{project="p",instance="i0",table="t000"} 2"#);
        assert_eq!(
            tablets[TABLES_MAX],
            r#"tabletop_tablets{project="(others)",instance="(others)",table="(others)"} 400"#
        );
        for line in
            ["tabletop_instances_open 3", "tabletop_tables 1200", "tabletop_tables_without_series 200"]
        {
            assert!(text.lines().any(|found| found == line), "{line}");
        }
    }
}
