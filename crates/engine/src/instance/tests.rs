//! Scenarios on one instance: requests and their answers.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use tabletop_model::{
    Code, ColumnFamily, Mutation, ReadRows, Request, Response, RowFilter, RowMutation, RowRange, RowSet,
    RowsChunk, TableRequest, TableSettings, TableSpec, TableView, TimestampRange,
};

use crate::{Budget, Instance, Storage};

const TABLE: &str = "t";
const SECOND: i64 = 1_000_000;

fn settings() -> TableSettings {
    TableSettings {
        block_bytes: 100,
        memtable_bytes_max: 500,
        tablet_bytes_max: 2_000,
        ..TableSettings::default()
    }
}

fn instance(settings: TableSettings) -> Instance {
    let families = ["f", "e"].map(ColumnFamily::new).to_vec();
    let mut instance = Instance::new();
    let spec = TableSpec { families, initial_splits: vec![], settings };
    assert_eq!(instance.handle(0, TableRequest::Create(spec).of(TABLE)), Response::Done);
    instance
}

fn set(family: &str, qualifier: &str, timestamp: i64, value: &str) -> Mutation {
    Mutation::SetCell { family: family.into(), qualifier: qualifier.into(), timestamp, value: value.into() }
}

fn write(instance: &mut Instance, now: i64, key: &str, mutations: Vec<Mutation>) -> Result<(), String> {
    let entries = vec![RowMutation { key: key.into(), mutations }];
    match instance.handle(now, TableRequest::MutateRows(entries).of(TABLE)) {
        Response::Mutated(outcomes) => match &outcomes[0] {
            None => Ok(()),
            Some(error) => Err(format!("{:?}: {}", error.code, error.message)),
        },
        other => panic!("{other:?}"),
    }
}

fn read(instance: &mut Instance, read: ReadRows) -> RowsChunk {
    match instance.handle(0, TableRequest::ReadRows(read).of(TABLE)) {
        Response::Rows(chunk) => chunk,
        other => panic!("{other:?}"),
    }
}

fn view(instance: &mut Instance, now: i64) -> TableView {
    match instance.handle(now, TableRequest::View.of(TABLE)) {
        Response::Table(view) => view,
        other => panic!("{other:?}"),
    }
}

fn lines(chunk: &RowsChunk) -> Vec<String> {
    let cell = |c: &tabletop_model::Cell| format!("{}:{}@{}={}", c.family, c.qualifier, c.timestamp, c.value);
    chunk
        .rows
        .iter()
        .map(|row| format!("{} {}", row.key, row.cells.iter().map(cell).collect::<Vec<_>>().join(" ")))
        .collect()
}

#[test]
fn a_row_is_read_as_it_was_written() {
    let mut instance = instance(settings());
    let cells = vec![
        set("e", "q", 1000, "a"),
        set("f", "q", 2000, "b"),
        set("f", "q", 3000, "c"),
        set("f", "a", -1, "d"),
    ];
    write(&mut instance, 5_678, "r", cells).unwrap();
    let chunk = read(&mut instance, ReadRows::default());
    assert_eq!(lines(&chunk), ["r f:a@5000=d f:q@3000=c f:q@2000=b e:q@1000=a"]);
    assert_eq!(
        (chunk.stats.rows_seen, chunk.stats.cells_returned, chunk.stats.bytes_returned),
        (1, 4, 1 + 4 * 11)
    );
    assert_eq!(chunk.resume, None);
}

#[test]
fn a_mutation_that_fails_undoes_all() {
    let mut instance = instance(settings());
    write(&mut instance, 0, "r", vec![set("f", "q", 1000, "old")]).unwrap();
    let error = write(&mut instance, 0, "r", vec![Mutation::DeleteFromRow, set("nope", "q", 1000, "new")])
        .unwrap_err();
    assert!(error.starts_with("NotFound: Error in mutation #1 : unknown family \"nope\""), "{error}");
    let error =
        write(&mut instance, 0, "r", vec![set("f", "q", 2000, "new"), set("f", "q", 1, "new")]).unwrap_err();
    assert!(error.starts_with("InvalidArgument") && error.contains("granularity"), "{error}");
    assert!(write(&mut instance, 0, "r", vec![]).unwrap_err().contains("No mutations provided"));
    assert!(
        write(&mut instance, 0, "", vec![set("f", "q", 0, "")])
            .unwrap_err()
            .contains("Row keys must be non-empty")
    );
    assert!(
        write(&mut instance, 0, &"k".repeat(4097), vec![set("f", "q", 0, "")]).unwrap_err().contains("4096")
    );
    assert_eq!(lines(&read(&mut instance, ReadRows::default())), ["r f:q@1000=old"]);
}

#[test]
fn deletes_hide_what_older_runs_hold() {
    let mut instance = instance(settings());
    let long = "x".repeat(600);
    for time in 1..=4 {
        // Each write fills a memtable.
        write(
            &mut instance,
            0,
            "r",
            vec![set("f", "q", time * 1000, &long), set("e", "q", time * 1000, "e")],
        )
        .unwrap();
    }
    let range = TimestampRange { start: 2000, end: 4000 };
    let delete = Mutation::DeleteFromColumn { family: "f".into(), qualifier: "q".into(), range };
    write(&mut instance, 0, "r", vec![delete, Mutation::DeleteFromFamily { family: "e".into() }]).unwrap();
    let strip = || ReadRows { filter: Some(RowFilter::StripValue(true)), ..ReadRows::default() };
    assert_eq!(lines(&read(&mut instance, strip())), ["r f:q@4000= f:q@1000="]);
    while instance.advance(0, Budget { bytes: 100 }) {}
    assert_eq!(lines(&read(&mut instance, strip())), ["r f:q@4000= f:q@1000="]);
    write(&mut instance, 0, "r", vec![Mutation::DeleteFromRow, set("e", "z", 0, "z")]).unwrap();
    assert_eq!(lines(&read(&mut instance, strip())), ["r e:z@0="]);
}

#[test]
fn a_loaded_table_splits_and_answers_as_before() {
    let mut instance = instance(TableSettings { tablet_load_max: 1e9, ..settings() });
    let mut expected = Vec::new();
    for i in 0..500 {
        let key = format!("{:03}", i * 7 % 500);
        write(&mut instance, 0, &key, vec![set("f", "q", 1000, &format!("value {key}"))]).unwrap();
        expected.push(format!("{key} f:q@1000=value {key}"));
    }
    expected.sort();
    let table = view(&mut instance, 0);
    assert!(table.tablets.len() >= 4, "{} tablets", table.tablets.len());
    assert_eq!(table.splits as usize, table.tablets.len() - 1);
    assert_eq!(table.tablets.iter().map(|tablet| tablet.rows).sum::<u64>(), 500);
    assert_eq!(table.tablets.iter().map(|tablet| tablet.cells).sum::<u64>(), 500);
    assert_eq!(lines(&read(&mut instance, ReadRows::default())), expected);

    let backwards = read(&mut instance, ReadRows { reversed: true, ..ReadRows::default() });
    assert!(lines(&backwards).iter().eq(expected.iter().rev()));
    let some = ReadRows { rows: RowSet::range(RowRange::prefix("12")), rows_limit: 4, ..ReadRows::default() };
    assert_eq!(lines(&read(&mut instance, some)), expected[120..124]);

    while instance.advance(0, Budget { bytes: 1000 }) {}
    assert_eq!(lines(&read(&mut instance, ReadRows::default())), expected);
    assert_eq!(view(&mut instance, 0).merges, 0, "tablets that were just busy stay");
    // Larger tablets are allowed now, so idle neighbours are merged.
    let update =
        TableRequest::UpdateSettings(TableSettings { tablet_bytes_max: 100_000, ..settings() }).of(TABLE);
    assert_eq!(instance.handle(0, update), Response::Done);
    instance.advance(9 * SECOND, Budget { bytes: 1000 });
    assert_eq!(view(&mut instance, 9 * SECOND).merges, 0, "the window has not passed");
    instance.advance(60 * SECOND, Budget { bytes: 1000 });
    let merged = view(&mut instance, 60 * SECOND);
    assert_eq!((merged.tablets.len(), merged.merges), (1, table.splits));
    assert_eq!(merged.tablets[0].rows, 500);
    assert_eq!(lines(&read(&mut instance, ReadRows::default())), expected);
}

#[test]
fn slices_together_are_the_whole() {
    for reversed in [false, true] {
        let mut instance = instance(settings());
        for i in 0..100 {
            let cells = (0..i % 5 + 1).map(|q| set("f", &q.to_string(), 1000, "v")).collect();
            write(&mut instance, 0, &format!("{i:02}"), cells).unwrap();
        }
        let filter = Some(RowFilter::ColumnQualifierRegex("[1-3]".into()));
        let whole = read(
            &mut instance,
            ReadRows { filter: filter.clone(), rows_limit: 60, reversed, ..ReadRows::default() },
        );
        let mut rows = Vec::new();
        let mut slice =
            ReadRows { filter, rows_limit: 60, slice_cells_max: 7, reversed, ..ReadRows::default() };
        let stats = loop {
            let chunk = read(&mut instance, slice.clone());
            rows.extend(chunk.rows);
            slice.resume = chunk.resume;
            if slice.resume.is_none() {
                break chunk.stats;
            }
        };
        assert_eq!(rows, whole.rows);
        assert_eq!((stats.cells_seen, stats.rows_returned), (whole.stats.cells_seen, 60));
        assert_eq!(stats.tablets_touched, whole.stats.tablets_touched);
    }
}

#[test]
fn a_hot_tablet_splits_and_its_hot_half_stays_hot() {
    let load = TableSettings { tablet_load_max: 50.0, tablet_bytes_max: 100_000, ..settings() };
    let mut instance = instance(load);
    for i in 0..4_000 {
        let now = i * SECOND / 100;
        // The values are distinct: values that rows share would take no room.
        write(&mut instance, now, &format!("{i:06}"), vec![set("f", "q", 0, &format!("{i:040}"))]).unwrap();
    }
    let table = view(&mut instance, 4_000 * SECOND / 100 - 1);
    assert!(table.splits > 0);
    let rates: Vec<f64> = table.tablets.iter().map(|tablet| tablet.writes_per_second).collect();
    let hottest = rates.iter().copied().fold(0.0, f64::max);
    assert_eq!(hottest, *rates.last().unwrap(), "time first: the last tablet takes all writes");
}

#[test]
fn tables_are_created_and_deleted() {
    let mut instance = instance(settings());
    let create = |id: &str| TableRequest::Create(TableSpec::default()).of(id);
    let refused = |response: Response, code: Code| {
        assert!(matches!(&response, Response::Refused(e) if e.code == code), "{response:?}");
    };
    refused(instance.handle(0, create(TABLE)), Code::AlreadyExists);
    for bad in ["", "-a", ".a", "a b", &"a".repeat(51)] {
        refused(instance.handle(0, create(bad)), Code::InvalidArgument);
    }
    write(&mut instance, 0, "r", vec![set("f", "q", 0, &"x".repeat(10_000))]).unwrap();
    assert_eq!(instance.handle(0, TableRequest::Delete.of(TABLE)), Response::Done);
    refused(instance.handle(0, TableRequest::Delete.of(TABLE)), Code::NotFound);
    refused(instance.handle(0, TableRequest::View.of(TABLE)), Code::NotFound);
    for i in 0..1_000 {
        assert_eq!(instance.handle(0, create(&i.to_string())), Response::Done);
    }
    refused(instance.handle(0, create("one-more")), Code::ResourceExhausted);
}

#[test]
fn writes_wait_when_compaction_falls_behind() {
    let mut instance =
        instance(TableSettings { tablet_bytes_max: 1 << 30, tablet_load_max: 1e9, ..settings() });
    let mut most = 0;
    for i in 0..3_000_i64 {
        write(
            &mut instance,
            0,
            &format!("{:04}", i * 7_919 % 10_000),
            vec![set("f", "q", 1000, &format!("value {i}"))],
        )
        .unwrap();
        most = most.max(view(&mut instance, 0).tablets[0].sstables);
    }
    let work = view(&mut instance, 0).work;
    assert!(most > 8 && most < 20, "{most} SSTables, without a request for compaction");
    assert!(work.writes_slowed > 0 && work.slowed_bytes > 0 && work.compaction_bytes_written > 0, "{work:?}");
    assert!(work.write_amplification() > 1.0 && work.logged_bytes == 0, "{work:?}");
    assert_eq!(read(&mut instance, ReadRows::default()).rows.len(), 3_000);
}

#[test]
fn a_backup_in_memory_holds_the_state_of_its_creation() {
    let mut instance = instance(settings());
    let fill = |instance: &mut Instance, value: &str| {
        for number in 0..100 {
            write(instance, 0, &format!("row{number:03}"), vec![set("f", "q", 0, value)]).unwrap();
        }
        while instance.advance(0, Budget { bytes: 1 << 20 }) {}
    };
    let rows = |instance: &mut Instance, table: &str| match instance
        .handle(0, TableRequest::ReadRows(ReadRows::default()).of(table))
    {
        Response::Rows(chunk) => chunk.rows,
        other => panic!("{other:?}"),
    };
    let done = |instance: &mut Instance, request| assert_eq!(instance.handle(0, request), Response::Done);
    let (backup, copy) = (|| String::from("b"), || String::from("copy"));
    fill(&mut instance, "before");
    let before = rows(&mut instance, TABLE);
    done(&mut instance, TableRequest::BackUp { backup: backup() }.of(TABLE));
    fill(&mut instance, "after");
    assert_ne!(rows(&mut instance, TABLE), before);
    done(&mut instance, TableRequest::Delete.of(TABLE));
    done(&mut instance, TableRequest::Restore { backup: backup() }.of(copy()));
    assert_eq!(rows(&mut instance, "copy"), before);
    done(&mut instance, Request::DeleteBackup { backup: backup() });
    assert_eq!(rows(&mut instance, "copy"), before, "the table shared its files with the backup");
    done(&mut instance, TableRequest::Delete.of(copy()));
    assert_eq!(instance.storage().files(), Ok(vec![]), "nothing is left");
}
