//! The examples of the page: `tabletop run` measures each, and checks that what their texts say is
//! true.

use serde_json::Value;
use tabletop_design::{DesignTable, OpenRead, Supply};
use tabletop_keys::{Query, bytes, salt, thousands};
use tabletop_model::Aggregate;
use tabletop_objects::{ObjectTypes, VALUES_MAX};
use tabletop_texts::example_texts::ExampleText;
use tabletop_texts::messages;
use tabletop_workload::{Events, Generator, Reader, sample};
use tabletop_workspace::{Example, Source, Workspace};

use super::{Folder, tabletop};

/// An example with the report of its measurement.
struct Measured {
    example: Example,
    report: Value,
}

impl Measured {
    fn of(title: &str) -> Measured {
        let example = titled(title);
        let folder = Folder::new();
        let file = folder.write("example.json", example.json());
        let report = tabletop(&["run", &file, "--format", "json"]).ok();
        Measured { example, report: serde_json::from_str(&report).expect("JSON") }
    }

    /// A figure of a design.
    fn design(&self, at: usize, figure: &str) -> f64 {
        self.number(&format!("/designs/{at}/{figure}"))
    }

    /// A figure of a query on a design.
    fn query(&self, design: usize, query: usize, figure: &str) -> f64 {
        let of_query = if figure == "ranges" { "ranges".into() } else { format!("stats/{figure}") };
        self.number(&format!("/designs/{design}/queries/{query}/{of_query}"))
    }

    fn number(&self, place: &str) -> f64 {
        self.report.pointer(place).and_then(Value::as_f64).unwrap_or_else(|| panic!("there is no {place}"))
    }

    /// Returns the share of the writes in the hottest tablet.
    fn share(&self, design: usize) -> f64 {
        self.design(design, "cost/hottest_tablet_share")
    }

    fn warns(&self, design: usize, kind: &str) -> bool {
        let warnings = self.report["designs"][design]["warnings"].as_array().expect("a list");
        for warning in warnings {
            let fixes = warning["fixes"].as_array().expect("a list").iter().map(|fix| &fix["label"]);
            let is_sentence = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
            let mut sentences = [&warning["message"], &warning["evidence"]].into_iter().chain(fixes);
            assert!(sentences.all(is_sentence) && warning["cause"].is_object(), "{warning:#}");
        }
        warnings.iter().any(|warning| warning["kind"] == kind)
    }

    /// Asserts that the text says this.
    #[track_caller]
    fn says(&self, what: &str) {
        let ExampleText { title, about, .. } = text(self.example);
        assert!(about.contains(what), "{title}: it does not say \"{what}\"");
    }
}

/// Returns what the page says about an example.
pub(super) fn text(example: Example) -> &'static ExampleText {
    (messages().example)(example)
}

/// The example with this title.
pub(super) fn titled(title: &str) -> Example {
    let has_title = |example: &Example| text(*example).title == title;
    Example::ALL.into_iter().find(has_title).expect("there is such an example")
}

fn count(number: f64) -> String {
    assert!(number.fract() == 0.0 && number >= 0.0, "{number} is not a count");
    thousands(number as u64)
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

#[test]
fn every_example_is_a_workspace_with_its_title_and_two_sentences() {
    let mut titles: Vec<&str> = Vec::new();
    for example in Example::ALL {
        let &ExampleText { title, about, .. } = text(example);
        let workspace =
            Workspace::from_json(example.json()).unwrap_or_else(|error| panic!("{title}: {error}"));
        assert_eq!(workspace.name, title);
        assert_eq!(workspace.limits.events_overwritten_max, Some(0), "{title}");
        assert!(!titles.contains(&title), "{title} is there twice");
        titles.push(title);
        assert_eq!(about.matches(". ").count() + 1, 2, "{about}");
        assert!(about.ends_with('.') && !about.contains("  "), "{about}");
        let measured = Measured::of(title);
        for (at, design) in workspace.designs.iter().enumerate() {
            assert_eq!(
                measured.report["designs"][at]["problems"],
                serde_json::json!([]),
                "{title}: {}",
                design.name
            );
            for lost in ["cost/events_refused", "cost/events_overwritten"] {
                assert_eq!(measured.design(at, lost), 0.0, "{title}: {}: {lost}", design.name);
            }
        }
        // The page opens the example with this query.
        assert_eq!(workspace.query, workspace.queries[0].query, "{title}");
        assert!(measured.query(0, 0, "rows_returned") > 0.0, "{title}");
    }
}

#[test]
fn algolia_narrow() {
    let measured = Measured::of("Algolia, narrow");
    let (rows, cells) = (measured.design(0, "rows"), measured.design(0, "cells"));
    assert_eq!(rows, cells);
    measured.says(&format!(
        "{} events are {} rows of one cell",
        count(measured.number("/events")),
        count(rows)
    ));
    measured.says(&format!(
        "The {} events of one user are {} range",
        count(measured.query(0, 0, "rows_returned")),
        measured.query(0, 0, "ranges")
    ));
    measured.says(&format!("all {} of them", bytes(measured.query(0, 0, "bytes_returned") as u64)));
}

#[test]
fn algolia_wide() {
    let measured = Measured::of("Algolia, wide");
    measured.says(&format!("are {} cells", count(measured.design(0, "cells"))));
    let returned = |design, query| bytes(measured.query(design, query, "bytes_returned") as u64);
    measured.says(&format!(
        "events are {}; all facets are {} here, and {} in the narrow design",
        returned(0, 0),
        returned(0, 1),
        returned(1, 1)
    ));
    assert_eq!(measured.query(0, 0, "rows_returned"), measured.query(0, 1, "rows_returned"));
    assert_eq!(
        measured.query(1, 0, "rows_returned"),
        0.0,
        "the filter finds no such columns in the narrow design"
    );
}

#[test]
fn twitter() {
    let measured = Measured::of("Twitter's three row keys");
    measured.says(&format!("one tablet takes {} of the writes", percent(measured.share(0))));
    let rows = count(measured.query(0, 0, "rows_returned"));
    measured.says(&format!("scans {} rows for {rows};", count(measured.query(0, 0, "rows_seen"))));
    for design in [1, 2] {
        assert!(measured.share(design) < 0.06, "{}", measured.share(design));
        assert_eq!(measured.query(design, 0, "rows_seen"), measured.query(0, 0, "rows_returned"));
    }
    measured.says(&format!(
        "{} range of {} rows, and the hottest tablet takes less than 6%",
        measured.query(1, 0, "ranges"),
        count(measured.query(1, 0, "rows_seen"))
    ));
    assert!(measured.share(2) >= measured.share(1), "the third key is no better than the second");
}

#[test]
fn zorder() {
    let measured = Measured::of("Z-order of earthquakes");
    let events = events_of(measured.example.json());
    let mut values = Vec::new();
    let within = |values: &[Option<&str>]| {
        let degrees = |at: usize| values[at].and_then(|text| text.parse::<f64>().ok()).expect("degrees");
        (-135.0..-112.5).contains(&degrees(2)) && (33.75..45.0).contains(&degrees(3))
    };
    let inside = (0..events.len()).filter(|at| {
        events.record(*at, &mut values);
        within(&values)
    });
    let inside = inside.count();
    measured.says(&format!(
        "the {inside} earthquakes from 135° to 112.5° west and 33.75° to 45° north are {} range",
        measured.query(0, 1, "ranges")
    ));
    for (design, query, prefix) in [(0, 1, "(4d)"), (1, 2, "(8e)")] {
        assert_eq!(measured.query(design, query, "rows_returned"), inside as f64);
        assert_eq!(measured.query(design, query, "rows_seen"), inside as f64, "no other row is read");
        measured.says(prefix);
    }
    assert_eq!(keys(measured.example.json(), 0, 1).len(), inside);
    measured.says(&format!(
        "is {} ranges, which read {} rows for {}",
        measured.query(0, 0, "ranges"),
        count(measured.query(0, 0, "rows_seen")),
        count(measured.query(0, 0, "rows_returned"))
    ));
    assert_eq!(
        measured.query(0, 0, "rows_returned"),
        measured.query(1, 0, "rows_returned"),
        "both find the same earthquakes"
    );
}

#[test]
fn salt_of_the_whole_key() {
    let measured = Measured::of("Salt of the whole key");
    measured.says(&format!(
        "one tablet takes {} of the writes; with 8 salts the hottest takes {}",
        percent(measured.share(0)),
        percent(measured.share(1))
    ));
    measured.says(&format!(
        "it is {} ranges instead of {}.",
        measured.query(1, 0, "ranges"),
        measured.query(0, 0, "ranges")
    ));
    assert_eq!(measured.query(1, 0, "rows_returned"), measured.query(0, 0, "rows_returned"));
}

#[test]
fn salt_of_a_part() {
    let measured = Measured::of("Salt of a part of the key");
    measured.says(&format!(
        "the {} events of one user are {} range;",
        count(measured.query(0, 0, "rows_returned")),
        measured.query(0, 0, "ranges")
    ));
    measured.says(&format!("with a salt of the whole key they are {}.", measured.query(1, 0, "ranges")));
    measured.says(&format!(
        "takes {} of the writes instead of {}.",
        percent(measured.share(0)),
        percent(measured.share(1))
    ));
}

#[test]
fn salt_of_new_events_only() {
    let measured = Measured::of("Salt of new events only");
    measured
        .says(&format!("an hour across the cut-over is {} ranges (8 salts", measured.query(0, 0, "ranges")));
    measured.says(&format!("an hour before it is {} range.", measured.query(0, 1, "ranges")));
    measured.says(&format!(
        "takes {} of them, compared with {} without a salt",
        percent(measured.share(0)),
        percent(measured.share(1))
    ));
    for query in [0, 1] {
        assert_eq!(measured.query(0, query, "rows_returned"), measured.query(1, query, "rows_returned"));
        assert_eq!(
            measured.query(0, query, "rows_seen"),
            measured.query(0, query, "rows_returned"),
            "no other row is read"
        );
    }
    let keys = keys(measured.example.json(), 0, 0);
    let unsalted = keys.iter().filter(|key| key.starts_with(b"2019-05-28T02:")).count();
    assert!(unsalted > 0 && unsalted < keys.len(), "{unsalted} of {} keys have no salt", keys.len());
}

#[test]
fn java_salt() {
    let measured = Measured::of("Google's Java sample loses rows");
    let (scanned, all) = (measured.query(0, 0, "rows_returned"), measured.query(0, 1, "rows_returned"));
    measured.says(&format!("{:.1}% of these rows", (1.0 - scanned / all) * 100.0));
    measured.says(&format!("returns {} of {}.", count(scanned), count(all)));
    let keys = keys(measured.example.json(), 0, 1);
    let negative = keys.iter().filter(|key| key.starts_with(b"-")).count();
    assert_eq!(negative as f64, all - scanned, "the rows that are lost begin with a minus");
    for key in &keys {
        let salt = salt::salt_of(key, 4);
        assert!(salt < 4, "a salt of ours is one that a scan of 0 to 3 finds");
    }
}

#[test]
fn time_buckets() {
    let measured = Measured::of("Time series by bucket");
    measured.says(&format!(
        "June is {} rows instead of {}",
        count(measured.query(0, 0, "rows_returned")),
        count(measured.query(1, 0, "rows_returned"))
    ));
    assert_eq!(measured.query(0, 0, "cells_returned"), measured.query(1, 0, "cells_returned"));
    measured.says(&format!(
        "takes {} instead of {}.",
        bytes(measured.design(0, "bytes") as u64),
        bytes(measured.design(1, "bytes") as u64)
    ));
    measured.says(&format!("one tablet takes {} of the writes", percent(measured.share(0))));
    assert_eq!(measured.share(0), measured.share(1));
}

#[test]
fn row_per_user() {
    let measured = Measured::of("Row per user");
    measured.says(&format!(
        "{} rows instead of {}",
        count(measured.design(0, "rows")),
        count(measured.design(1, "rows"))
    ));
    measured.says(&format!(
        "one user is {} row instead of {}.",
        count(measured.query(0, 0, "rows_returned")),
        count(measured.query(1, 0, "rows_returned"))
    ));
    assert_eq!(measured.query(0, 0, "cells_returned"), measured.query(1, 0, "cells_returned"));
    assert!(measured.warns(0, "large_row") && !measured.warns(1, "large_row"));
}

#[test]
fn newest_first() {
    let measured = Measured::of("Newest first");
    measured.says(&format!("a read of {} rows", count(measured.query(0, 0, "rows_returned"))));
    measured.says("the newest 10 events of a user and reads no others");
    assert_eq!(measured.query(0, 0, "rows_seen"), 10.0);
    let mut workspace = Workspace::from_json(measured.example.json()).expect("a workspace");
    let events = events_of(measured.example.json());
    let mut read = |design: usize, limit| {
        workspace.queries[0].query.rows_limit = limit;
        times(&events, &workspace, design)
    };
    let all = read(1, 0);
    assert!(all.len() > 20 && all.is_sorted());
    assert_eq!(read(1, 10), all[..10], "the oldest");
    let mut newest = all[all.len() - 10..].to_vec();
    newest.reverse();
    assert_eq!(read(0, 10), newest, "the newest, in this order");
}

#[test]
fn iot() {
    let measured = Measured::of("IoT sensors");
    measured.says(&format!(
        "one phone is {} range of {} rows",
        measured.query(0, 0, "ranges"),
        count(measured.query(0, 0, "rows_seen"))
    ));
    measured.says(&format!("the hottest tablet takes {} of the writes", percent(measured.share(0))));
    measured.says(&format!(
        "scans {} rows, and one tablet takes {}.",
        count(measured.query(1, 0, "rows_seen")),
        percent(measured.share(1))
    ));
    measured.says(&format!(
        "as {} of {} cells.",
        count(measured.query(0, 1, "cells_returned")),
        count(measured.query(0, 0, "cells_returned"))
    ));
}

#[test]
fn ad_profile() {
    let measured = Measured::of("An ad profile as an object");
    let workspace = Workspace::from_json(measured.example.json()).expect("a workspace");
    let schema = workspace.designs[0]
        .results
        .as_ref()
        .and_then(|results| results.objects.as_deref())
        .expect("a schema");
    let types = ObjectTypes::new(schema.clone());
    assert_eq!(types.problems(), []);
    measured.says(&format!("a row with {} data types", schema.data_types.len()));
    measured.says(&format!(
        "{} events are {} objects of {} values each",
        count(measured.number("/events")),
        count(measured.design(0, "rows")),
        count(measured.query(0, 0, "cells_returned"))
    ));
    measured.says(&format!(
        "one object is {} range of {} row",
        measured.query(0, 0, "ranges"),
        count(measured.query(0, 0, "rows_returned"))
    ));
    // Each value is a valid message of its data type, and its fields are known.
    let events = events_of(measured.example.json());
    let mut values = Vec::new();
    for index in 0..events.len() {
        events.record(index, &mut values);
        for (at, family) in [(2, "features"), (4, "embeddings"), (5, "ads")] {
            let decoded = types.decode(family, values[at].expect("a value").as_bytes(), VALUES_MAX);
            assert_eq!(decoded.problems, []);
            assert!(
                !decoded.message.fields.is_empty() && decoded.message.unknown.is_empty(),
                "{family} {index}"
            );
        }
    }
}

/// The events of a workspace.
pub(super) fn events_of(workspace: &str) -> Events {
    match Workspace::from_json(workspace).expect("a workspace").source {
        Source::Generated(settings) => {
            let mut generator = Generator::new(&settings);
            let mut events = Events::new(generator.fields());
            while generator.left() > 0 {
                generator.fill(&mut events, generator.left()).expect("there is room");
            }
            events
        }
        Source::Sample(name) => {
            let sample = sample(&name).expect("a sample");
            let file = format!("{}/../../www/{}", env!("CARGO_MANIFEST_DIR"), sample.path);
            let (mut reader, mut events) = (Reader::new(&sample.own), Events::default());
            reader.feed(&std::fs::read(file).expect("its file"), true, &mut events).expect("it is right");
            events
        }
        Source::Own(_) => panic!("an example has events that everybody has"),
    }
}

#[test]
fn index_tables() {
    let measured = Measured::of("Index tables and counters");
    let (own, one_table) = (0, 3);
    assert_eq!(measured.query(own, 0, "ranges"), 1.0);
    assert_eq!(measured.query(own, 0, "rows_seen"), measured.query(own, 0, "rows_returned"));
    measured.says(&format!("all {} conversions are 1 range", count(measured.query(own, 0, "rows_returned"))));
    measured.says(&format!("a scan of {} rows", count(measured.query(one_table, 0, "rows_seen"))));
    measured.says(&format!(
        "{} row of {} sums instead of {} events",
        count(measured.query(own, 1, "rows_returned")),
        count(measured.query(own, 1, "cells_returned")),
        count(measured.query(one_table, 1, "rows_returned"))
    ));
    let tables: f64 = (0..3).map(|table| measured.design(table, "bytes")).sum();
    measured.says(&format!(
        "{} instead of {}",
        bytes(tables as u64),
        bytes(measured.design(one_table, "bytes") as u64)
    ));
    // The sums equal the number of events.
    let (events, workspace) = (
        events_of(measured.example.json()),
        Workspace::from_json(measured.example.json()).expect("a workspace"),
    );
    let answer = answer(&events, &workspace, 2, &Query { rows_limit: 0, ..Workspace::default().query });
    let sums = answer
        .iter()
        .flat_map(|row| &row.cells)
        .map(|cell| Aggregate::Sum.number(&cell.value).expect("a sum"));
    assert_eq!(sums.sum::<i64>(), 20_000);
}

/// The row keys that a query of an example returns on one of its designs.
fn keys(workspace: &str, design: usize, query: usize) -> Vec<Vec<u8>> {
    let events = events_of(workspace);
    let workspace = Workspace::from_json(workspace).expect("a workspace");
    rows(&events, &workspace, design, query).into_iter().map(|row| row.key.to_vec()).collect()
}

/// The times of the rows that the first query returns, in microseconds.
fn times(events: &Events, workspace: &Workspace, design: usize) -> Vec<i64> {
    rows(events, workspace, design, 0).into_iter().map(|row| row.cells[0].timestamp).collect()
}

fn rows(events: &Events, workspace: &Workspace, design: usize, query: usize) -> Vec<tabletop_model::Row> {
    answer(events, workspace, design, &workspace.queries[query].query)
}

fn answer(events: &Events, workspace: &Workspace, design: usize, query: &Query) -> Vec<tabletop_model::Row> {
    let supply = Supply::all(events, &workspace.cluster);
    let mut table = DesignTable::new(0, &workspace.designs[design], events.fields(), &workspace.cluster);
    while table.step(supply, 1_000) {}
    let mut read = OpenRead::begin(&table, query).expect("it can be answered");
    let mut rows = Vec::new();
    loop {
        let chunk = read.next(&mut table).expect("rows");
        rows.extend(chunk.rows);
        if chunk.complete {
            return rows;
        }
    }
}
