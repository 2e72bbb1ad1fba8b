//! Tests of what queries cost: measurements of access patterns on each design, and traces of one
//! read.

use tabletop_advice::{Measurements, QueryCost, QueryOutcome, TableState};
use tabletop_keys::{LayoutKind, PlanKind, Query, RowChoice};
use tabletop_model::{Cell, Code, Row, RowFilter, wire};
use tabletop_protocol::{
    Answer, Ask, Job, JobError, MarkAsk, Marks, QueryOnDesign, Suggestions, TouchQuery, TraceChunk,
    TraceQuery, TraceRequest,
};
use tabletop_worker::Session;
use tabletop_workspace::{Design, NamedQuery, Workspace};

use crate::host::{Host, USER_FIRST};

/// How long a slice of a measurement takes, in microseconds of the host's clock.
const SLICE_MICROS: i64 = 1_000;

/// A host with two complete designs, and access patterns of one user, of one user in three rows,
/// and of a field that does not exist.
fn host_with_patterns() -> Host {
    let mut host = Host::new();
    host.finish();
    let user = host.text_of(7, "user_token");
    host.edit(|workspace| {
        workspace.designs.push(Design {
            name: "Users".into(),
            template: USER_FIRST.into(),
            ..workspace.designs[0].clone()
        });
        let of = |field: &str, rows_limit: u64| {
            let equals = vec![(field.to_string(), user.clone())];
            Query {
                rows: RowChoice::Fields { equals, from: None, until: None },
                filter: None,
                rows_limit,
                reversed: false,
            }
        };
        workspace.queries.push(NamedQuery::new("one user", of("user_token", 0)));
        workspace.queries.push(NamedQuery::new("three rows", of("user_token", 3)));
        workspace.queries.push(NamedQuery::new("unknown", of("colour", 0)));
    });
    host
}

fn cost(measured: &Measurements, design: usize, query: usize) -> &QueryCost {
    match &measured.designs[design].outcomes[query] {
        QueryOutcome::Answered(cost) => cost,
        other => panic!("{other:?}"),
    }
}

#[test]
fn access_patterns_are_measured_on_each_complete_design() {
    let mut host = host_with_patterns();
    let first = host.measure(10);
    assert_eq!((first.designs[0].state, first.designs[1].state), (TableState::Complete, TableState::Growing));
    assert!(!first.more, "tables are built first");
    host.settle();
    let before = [0, 1].map(|at| host.view(at).table);
    let (measured, slices) = host.measure_all(SLICE_MICROS);
    assert_eq!([0, 1].map(|at| host.view(at).table), before, "a measurement does not count as load");
    assert!(slices > 10, "a scan of 20,000 rows takes several slices: {slices}");
    let queries = host.workspace().queries;
    for design in 0..2 {
        for (query, named) in queries.iter().take(2).enumerate() {
            let read = host.read_all(design as u32, named.query.clone());
            let cost = cost(&measured, design, query);
            let counts = |stats: &tabletop_model::ReadStats| {
                (
                    stats.rows_seen,
                    stats.rows_returned,
                    stats.cells_seen,
                    stats.blocks_read + stats.cache_hits,
                    stats.tablets_touched,
                )
            };
            assert_eq!(
                counts(&cost.stats),
                counts(&read.stats),
                "design {design}, query {query}: as in a read by the user"
            );
            assert_eq!((cost.ranges, cost.scans_more), (read.ranges, read.scans_more));
            assert!(cost.stats.bytes_read > 0, "the cache was empty");
            assert!(cost.timings > 0 && cost.elapsed_micros > 0, "{cost:?}");
        }
        let refused = &measured.designs[design].outcomes[2];
        assert!(
            matches!(refused, QueryOutcome::Refused(error) if error.code == Code::InvalidArgument),
            "{refused:?}"
        );
    }
    let [scan, range] = [0, 1].map(|design| cost(&measured, design, 0));
    assert_eq!((scan.kind, range.kind, scan.stats.rows_seen), (PlanKind::Scan, PlanKind::OneRange, 20_000));
    assert_eq!(range.timings, 5, "a cheap query has several timings, each the mean of several reads");
    // Only slices advance the host's clock. The range shares its slice with repetitions of itself,
    // and the scan takes several slices.
    let [range, scan] = [range, scan].map(|cost| cost.elapsed_micros);
    assert!(
        range < SLICE_MICROS as u64 && scan.is_multiple_of(SLICE_MICROS as u64) && scan > SLICE_MICROS as u64,
        "{range}, {scan}"
    );
}

#[test]
fn a_measurement_is_kept_until_its_table_or_its_query_changes() {
    let mut host = host_with_patterns();
    host.settle();
    let (all, _) = host.measure_all(10);
    host.edit(|workspace| {
        workspace.queries.reverse();
        workspace.queries[1].reads_per_second = 7.0;
        workspace.queries[1].limits.ranges_max = Some(1);
        workspace.designs.reverse();
    });
    host.edit(|workspace| workspace.designs[0].name = "Other name".into());
    let (kept, slices) = host.measure_all(10);
    assert_eq!((slices, kept.designs[0].design.name.as_str()), (0, "Other name"), "nothing is remeasured");
    assert_eq!(cost(&kept, 0, 2), cost(&all, 1, 0), "measurements follow their designs and queries");
    host.edit(|workspace| workspace.queries[2].query.rows_limit = 1);
    let changed = host.measure(10);
    assert_eq!(changed.designs[0].outcomes[1], kept.designs[0].outcomes[1]);
    assert!(host.measure_all(10).1 > 0, "the query is another one");
    host.edit(|workspace| workspace.designs[0].template = "{user_token},{timestamp:millis}".into());
    let growing = host.measure(10);
    assert_eq!((growing.designs[0].state, growing.designs[0].outcomes.len()), (TableState::Growing, 0));
    host.settle();
    let again = host.measure(10);
    assert!(
        again.more && again.designs[0].outcomes.contains(&QueryOutcome::Waiting),
        "the table is another one"
    );
    host.edit(|workspace| workspace.designs[0].template = "{".into());
    let (invalid, _) = host.measure_all(10);
    assert_eq!((invalid.designs[0].state, invalid.designs[0].outcomes.len()), (TableState::Invalid, 0));
}

#[test]
fn a_slice_of_a_measurement_is_about_as_long_as_one_of_a_read() {
    let mut host = host_with_patterns();
    host.edit(|workspace| {
        let salted = Design {
            name: "Salted".into(),
            template: "{salt(8)}-{timestamp:iso},{user_token}".into(),
            ..workspace.designs[0].clone()
        };
        workspace.designs.push(salted);
        for design in &mut workspace.designs {
            design.layout.kind = LayoutKind::Wide;
        }
        workspace.queries.truncate(1);
        let all = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
        workspace.queries.push(NamedQuery::new("everything", all));
    });
    host.settle();
    let (measured, slices) = host.measure_all(10);
    // Each full scan is read once. A slice has 3,000 cells, plus the remainder of its last row.
    let scans =
        [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)].map(|(design, query)| cost(&measured, design, query));
    let cells: u64 = scans.iter().map(|cost| cost.stats.cells_seen).sum();
    assert_eq!(scans.map(|cost| cost.timings), [1; 5], "an expensive query is read once");
    assert_eq!(
        scans[0].blocks(),
        scans[1].blocks(),
        "slices do not change the number of blocks of a full scan"
    );
    assert_eq!(
        scans[3].blocks(),
        scans[4].blocks(),
        "nor do they in N parts, of which each waits for the others"
    );
    assert!(slices as u64 >= cells / 3_100, "{slices} slices for {cells} cells");
}

#[test]
fn suggested_patterns_have_values_of_the_events() {
    let mut host = host_with_patterns();
    host.settle();
    let Answer::Suggested(Suggestions { look_ups, .. }) = host.ask(Ask::Suggest) else {
        panic!("it suggests")
    };
    let suggested = look_ups[0].patterns.clone();
    let names: Vec<&str> = suggested.iter().map(|named| named.name.as_str()).collect();
    assert_eq!(names[..3], ["One user_token", "One user_token, 1 hour", "Last 10 of one user_token"]);
    assert_eq!(names[3..], ["All of one event_type", "Everything in 1 hour"]);
    for named in suggested {
        let rows = host.read_all(0, named.query).rows.len();
        assert!(rows > 0, "{} finds something", named.name);
    }
    host.session = Session::new();
    assert_eq!(
        host.ask(Ask::Suggest),
        Answer::Suggested(Suggestions::default()),
        "without events there is nothing to suggest"
    );
}

/// Traces a query to its end.
fn trace_all(host: &mut Host, query: &Query, cells: bool) -> TraceChunk {
    let mut slice =
        host.begin::<TraceQuery>(&TraceRequest { index: 0, query: query.clone(), cells }).expect("it begins");
    let mut rows = Vec::new();
    loop {
        rows.append(&mut slice.chunk.rows);
        match slice.run {
            None => return TraceChunk { rows, ..slice.chunk },
            Some(run) => slice = host.next::<TraceQuery>(run, &()).expect("a slice"),
        }
    }
}

#[test]
fn a_trace_is_about_the_rows_and_cells_of_the_answer() {
    // The rows of the last design have cells from both sides of the cut-over.
    let salted =
        ["{salt(4)}-{user_token},{timestamp:iso}", "{salt(4, from=2019-05-28T02:00:00Z)}-{user_token}"];
    for template in [USER_FIRST, salted[0], salted[1]] {
        let mut host = Host::new();
        host.template(template);
        host.finish();
        let user = host.text_of(0, "user_token");
        let own = RowFilter::parse(
            "chain(cells_per_row_offset(1), condition(row_sample(0.5), then=cells_per_row_limit(2)))",
        )
        .0;
        let by_user =
            RowChoice::Fields { equals: vec![("user_token".into(), user)], from: None, until: None };
        for (rows, rows_limit) in [(RowChoice::All, 0), (RowChoice::All, 40), (by_user, 3)] {
            let query = Query { rows, filter: own.clone(), rows_limit, reversed: rows_limit == 40 };
            let answer = host.read_all(0, query.clone());
            let views = host.view(0).table.bytes_returned;
            let counts = trace_all(&mut host, &query, false);
            assert_eq!(counts.nodes.len(), 5, "the nodes of the user's filter");
            assert!(counts.rows.is_empty());
            let cells: u64 = answer.rows.iter().map(|row| row.cells.len() as u64).sum();
            assert_eq!(counts.nodes[0].cells_out, cells, "{template} {query:?}");
            let traced = trace_all(&mut host, &query, true);
            assert_eq!(traced.nodes, counts.nodes);
            let returned: Vec<_> =
                traced.rows.iter().filter(|row| row.returned).map(|row| &row.key).collect();
            assert_eq!(
                returned,
                answer.rows.iter().map(|row| &row.key).collect::<Vec<_>>(),
                "in the order of the answer"
            );
            let dropped =
                traced.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.dropped_by.as_ref());
            assert!(dropped.flatten().all(|node| (*node as usize) < counts.nodes.len()));
            assert_eq!(
                host.view(0).table.bytes_returned,
                views,
                "a trace does not count as a read of the user"
            );
        }
    }
}

#[test]
fn a_trace_that_is_not_continued_is_dropped() {
    let mut host = Host::new();
    host.finish();
    let query = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
    let request = TraceRequest { index: 0, query, cells: true };
    let first = host.begin::<TraceQuery>(&request).unwrap();
    let is_kept = |row: &tabletop_model::TracedRow| row.cells.iter().all(|cell| cell.dropped_by.is_none());
    assert!(!first.chunk.complete && first.chunk.rows.iter().all(is_kept));
    let run = first.run.expect("it is open");
    assert!(host.next::<TraceQuery>(run, &()).is_ok());
    for _ in 0..TraceQuery::OPEN_MAX {
        host.begin::<TraceQuery>(&request).unwrap();
    }
    assert_eq!(host.next::<TraceQuery>(run, &()), Err(JobError::Gone));
    let none = TraceRequest { index: 9, query: Workspace::default().query, cells: false };
    let refused = host.begin::<TraceQuery>(&none).unwrap_err();
    assert_eq!(refused.into_error().code, Code::NotFound);
}

#[test]
fn a_query_says_what_it_will_touch() {
    for template in [USER_FIRST, "{salt:4},{user_token},{timestamp:iso}"] {
        let mut host = Host::new();
        host.template(template);
        host.finish();
        let user = host.text_of(0, "user_token");
        let by_user =
            RowChoice::Fields { equals: vec![("user_token".into(), user)], from: None, until: None };
        for (rows, rows_limit) in [(RowChoice::All, 0), (RowChoice::All, 40), (by_user, 3)] {
            let query = Query { rows, filter: None, rows_limit, reversed: rows_limit == 40 };
            let before = host.view(0).table;
            let mut slice =
                host.begin::<TouchQuery>(&QueryOnDesign { index: 0, query: query.clone() }).unwrap();
            while let Some(run) = slice.run {
                slice = host.next::<TouchQuery>(run, &()).unwrap();
            }
            let touched = slice.chunk.touched;
            assert_eq!(host.view(0).table, before, "it does not count as a read of the user");
            let stats = host.read_all(0, query.clone()).stats;
            let tablets = touched.tablets.len() as u64;
            assert!(tablets > 0 && tablets <= stats.tablets_touched, "{template} {query:?}");
            if rows_limit == 0 {
                assert_eq!(
                    touched.blocks() as u64,
                    stats.blocks_read + stats.cache_hits,
                    "{template} {query:?}"
                );
                assert!(
                    touched
                        .tablets
                        .iter()
                        .all(|tablet| before.tablets.iter().any(|known| known.id == tablet.tablet))
                );
            }
        }
        let query = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
        let refused = host.begin::<TouchQuery>(&QueryOnDesign { index: 9, query }).unwrap_err();
        assert_eq!(refused.into_error().code, Code::NotFound);
        assert_eq!(host.next::<TouchQuery>(tabletop_protocol::RunId(u32::MAX), &()), Err(JobError::Gone));
    }
}

#[test]
fn patterns_mark_cells_without_a_table() {
    let mut host = Host::new();
    let mut marks = |pattern: &str| {
        let cell = Cell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: "a brand, a brand".into(),
            label: None,
        };
        let rows = vec![Row { key: "k".into(), cells: vec![cell] }];
        let ask = MarkAsk { filter: RowFilter::ValueRegex(pattern.into()), rows };
        match host.ask(Ask::Mark(wire::encode(&ask).into())) {
            Answer::Marked(marks) => Ok(wire::decode::<Marks>(&marks).expect("encoded marks").0),
            Answer::Failed(error) => Err(error.message),
            other => panic!("{other:?}"),
        }
    };
    let found = marks(r"\C*brand\C*").expect("the pattern is right");
    assert_eq!(
        found[0][0].iter().map(|found| (found.start, found.end)).collect::<Vec<_>>(),
        [(2, 7), (11, 16)]
    );
    assert!(marks("(").expect_err("it is not complete").starts_with("Error in field 'filter'"));
}
