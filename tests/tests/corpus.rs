//! The answers about the files of the corpus are checked with the product's own reader and keys, so
//! that they are proven.

mod chains;
mod default_keys;
mod metamorphic;
mod roles;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabletop_keys::{FieldKind, FieldRole, is_placeholder};
use tabletop_tests::corpus::{
    AcceptableKey, Entry, Reading, Salting, Source, Table, a_period_later, distinct_events, entries,
    generated, lost_events, permuted, read, renamed,
};
use tabletop_workload::Events;

/// The fewest entries.
const ENTRIES_MIN: usize = 60;
/// The fewest and the most events of a file.
const EVENTS: RangeInclusive<usize> = 60..=20_000;
/// The most bytes of a file of the corpus in the repository.
const BYTES_MAX: u64 = 50_000;

/// A file of the corpus that has been read.
struct File {
    entry: Entry,
    events: Events,
    /// The number of lines that could not be read, and why reading stopped before the end.
    faults: (u64, Option<String>),
}

/// Returns all files, or the reasons why some are not there. They are read once.
fn files() -> &'static [Result<File, String>] {
    static FILES: OnceLock<Vec<Result<File, String>>> = OnceLock::new();
    let file = |entry: Entry| {
        let bytes = entry.bytes().map_err(|error| format!("{}: {error}", entry.name))?;
        let Reading { events, bad_lines, error } = read(&bytes);
        Ok(File { entry, events, faults: (bad_lines, error) })
    };
    FILES.get_or_init(|| in_parallel(entries(), &file))
}

/// Maps a list, on all processors.
fn in_parallel<T: Send, U: Send>(mut list: Vec<T>, map: &(impl Fn(T) -> U + Sync)) -> Vec<U> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let size = list.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        while !list.is_empty() {
            let part: Vec<T> = list.drain(..size.min(list.len())).collect();
            running.push(scope.spawn(move || part.into_iter().map(map).collect::<Vec<U>>()));
        }
        running.into_iter().flat_map(|thread| thread.join().expect("the work ends")).collect()
    })
}

/// Runs a check of each file, and reports all faults at once.
fn each(check: impl Fn(&File) -> Result<(), String> + Sync) {
    let faults = in_parallel(files().iter().collect(), &|file: &Result<File, String>| match file {
        Ok(file) => check(file).err().map(|fault| format!("{}: {fault}", file.entry.name)),
        Err(error) => Some(error.clone()),
    });
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Returns an error unless a statement is true.
fn ensure(is_true: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if is_true { Ok(()) } else { Err(message()) }
}

/// Returns the texts of a field that mean a value.
fn values(events: &Events, field: usize) -> impl Iterator<Item = &str> {
    let texts = (0..events.len()).filter_map(move |event| events.value(event, field));
    texts.filter(|text| !is_placeholder(text))
}

/// Returns whether the field of the event's time is a time with all its values.
fn has_its_time(entry: &Entry, events: &Events) -> bool {
    entry.time.as_ref().is_none_or(|name| {
        let at = events.fields().iter().position(|field| field.name == *name);
        at.is_some_and(|at| {
            let field = &events.fields()[at];
            field.kind == FieldKind::Time && values(events, at).all(|text| field.micros(text).is_some())
        })
    })
}

#[test]
fn there_are_files_of_many_kinds() {
    let entries = entries();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for entry in &entries {
        *kinds.entry(&entry.kind).or_default() += 1;
        assert!(!entry.what.is_empty() && !entry.licence.is_empty(), "{}", entry.name);
        if let Source::Generated(name) = &entry.source {
            assert!(used.insert(name.clone()), "{name} is used twice");
        }
    }
    for (kind, count) in &kinds {
        println!("{count:>3} {kind}");
    }
    println!("{:>3} in all, {} generated", entries.len(), used.len());
    assert!(entries.len() >= ENTRIES_MIN, "{} entries", entries.len());
    assert_eq!(used, generated::names().map(str::to_owned).collect(), "each generator has its entry");
}

#[test]
fn files_in_the_repository_are_small() {
    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")) {
        let bytes = fs::metadata(&path).expect("a file").len();
        assert!(bytes <= BYTES_MAX, "{} has {bytes} bytes", path.display());
    }
}

#[test]
fn each_field_of_each_file_has_a_role() {
    each(|File { entry, events, .. }| {
        let names: BTreeSet<&str> = events.fields().iter().map(|field| field.name.as_str()).collect();
        let roles: BTreeSet<&str> = entry.fields().collect();
        ensure(names == roles, || format!("the fields are {names:?}, and {roles:?} have roles"))?;
        ensure(EVENTS.contains(&events.len()), || format!("{} events", events.len()))?;
        ensure(has_its_time(entry, events), || format!("{:?} is not a time", entry.time))?;
        let has_role = |name: &str| entry.roles(name).contains(&FieldRole::EventTime);
        ensure(entry.time.as_deref().is_none_or(has_role), || "the time has another role".into())
    });
}

#[test]
fn the_reader_reads_all_files() {
    each(|File { faults, .. }| ensure(*faults == (0, None), || format!("{faults:?}")));
}

#[test]
fn acceptable_keys_lose_no_event() {
    each(|File { entry, events, .. }| {
        for key in &entry.keys {
            let lost = lost_events(key, events)?;
            let all = distinct_events(events);
            ensure(lost == 0, || format!("{:?} loses {lost} of {all} events", key.fields))?;
        }
        ensure(!entry.keys.is_empty(), || "it has no key".into())
    });
}

#[test]
fn keys_begin_with_what_users_look_up() {
    each(|File { entry, .. }| {
        let fields: BTreeSet<&str> = entry.fields().collect();
        let is_field = |name: &String| fields.contains(name.as_str());
        for AcceptableKey { fields, then, salt, .. } in &entry.keys {
            ensure(fields.iter().chain(then).all(is_field), || format!("{fields:?}: not fields"))?;
            let first = entry.role(&fields[0]);
            let is_time = first == FieldRole::EventTime;
            let is_never_first = matches!(
                first,
                FieldRole::Measure
                    | FieldRole::Counter
                    | FieldRole::PartOfTime
                    | FieldRole::OtherTime
                    | FieldRole::FreeText
            );
            ensure(!is_never_first, || format!("{fields:?} begins with a {first:?}"))?;
            // A time comes first only if there is nothing to look up, and then it needs a salt.
            ensure(is_time == (*salt == Salting::Needed), || format!("{fields:?}: the salt"))?;
            ensure(!is_time || entry.look_up.is_empty(), || format!("{fields:?} begins with the time"))?;
        }
        let is_in_a_key = |name: &String| {
            let name = entry.same.get(name).unwrap_or(name);
            entry.keys.iter().any(|key| key.fields.contains(name))
        };
        ensure(entry.look_up.iter().all(is_in_a_key), || format!("{:?} is in no key", entry.look_up))
    });
}

#[test]
fn fields_of_the_same_things_have_a_value_for_each_other() {
    each(|File { entry, events, .. }| {
        let table = Table::of(events);
        for (field, other) in &entry.same {
            let columns = [table.index(field), table.index(other)];
            let values = |[one, two]: [usize; 2]| -> BTreeSet<_> {
                table.rows.iter().map(|row| (row[one].as_deref(), row[two].as_deref())).collect()
            };
            let pairs = values(columns);
            let firsts: BTreeSet<_> = pairs.iter().map(|(first, _)| first).collect();
            let seconds: BTreeSet<_> = pairs.iter().map(|(_, second)| second).collect();
            let is_one_to_one = pairs.len() == firsts.len() && pairs.len() == seconds.len();
            ensure(is_one_to_one, || format!("{field} and {other} name different things"))?;
        }
        Ok(())
    });
}

#[test]
fn an_entry_accepts_its_keys() {
    let entries = entries();
    let accepts = |name: &str, fields: &[&str], has_salt: bool| {
        let entry = entries.iter().find(|entry| entry.name == name).expect("an entry");
        entry.accepts(fields, has_salt)
    };
    assert!(accepts("clicks", &["User", "Event Time"], false));
    assert!(!accepts("clicks", &["User", "Event Time"], true), "the salt helps nothing");
    assert!(accepts("clicks", &["User", "Event Time", "Session ID"], false), "it may follow");
    assert!(!accepts("clicks", &["Event Time", "User"], false) && !accepts("clicks", &["User"], false));
    assert!(!accepts("clicks", &["User", "Event Time", "Revenue"], false), "a measure");
    assert!(accepts("measures_only", &["time"], true) && !accepts("measures_only", &["time"], false));
    assert!(
        accepts("one_pump", &["device", "timestamp"], true)
            && accepts("one_pump", &["device", "timestamp"], false)
    );
    assert!(accepts("airline_routes", &["SourceID", "Airline", "DestinationID"], false), "the same things");
}

#[test]
fn renamed_and_permuted_files_have_the_same_values() {
    each(|File { events, .. }| {
        let table = Table::of(events);
        let (renamed, permuted) = (renamed(&table), permuted(&table, 1));
        ensure(renamed.rows == table.rows && renamed.names[0] == "f1", || "other values".into())?;
        for (at, name) in table.names.iter().enumerate() {
            let (column, other) = (table.column(at), permuted.column(permuted.index(name)));
            ensure(column.eq(other), || format!("{name} has other values"))?;
        }
        // What is written is read back.
        let again = Table::of(&read(&permuted.to_csv()).events);
        ensure(again == permuted, || "the written file differs".into())
    });
    let orders: BTreeSet<Vec<String>> = (0..20)
        .map(|seed| {
            let names = ["a", "b", "c"].map(str::to_owned).to_vec();
            permuted(&Table { names, rows: Vec::new() }, seed).names
        })
        .collect();
    assert_eq!(orders.len(), 6, "every order occurs");
}

#[test]
fn events_a_period_later_are_new_ones() {
    each(|File { entry, events, .. }| {
        let table = Table::of(events);
        let longer = a_period_later(&table, entry, 7);
        let (before, after) = longer.rows.split_at(table.rows.len());
        ensure(before == table.rows && after.len() == before.len(), || "the first half changed".into())?;
        let events = read(&longer.to_csv()).events;
        let kinds = |events: &Events| events.fields().to_vec();
        let original = read(&table.to_csv()).events;
        ensure(kinds(&events) == kinds(&original), || {
            format!("{:?} became {:?}", kinds(&original), kinds(&events))
        })?;
        for (at, field) in events.fields().iter().enumerate() {
            let role = entry.role(&field.name);
            let texts = |rows: &[Vec<Option<String>>]| {
                rows.iter().filter_map(|row| row[at].clone()).collect::<BTreeSet<_>>()
            };
            let (old, new) = (texts(before), texts(after));
            if entry.time.as_ref() == Some(&field.name) {
                let instants = |rows: &BTreeSet<String>| {
                    rows.iter().filter_map(|text| field.micros(text)).collect::<Vec<_>>()
                };
                let (old, new) = (instants(&old), instants(&new));
                ensure(old.iter().max() < new.iter().min(), || format!("{} is not later", field.name))?;
            }
            let is_new = matches!(role, FieldRole::UniqueIdentifier | FieldRole::Counter);
            ensure(!is_new || (old.is_disjoint(&new) && old.len() == new.len()), || {
                format!("{} is not fresh", field.name)
            })?;
        }
        Ok(())
    });
}
