//! What a script of the page loads, reads and opens again.

use std::ops::Bound;

use tabletop_keys::{LayoutKind, Query, RowChoice};
use tabletop_model::{Code, RowFilter, RowRange};
use tabletop_protocol::{Ask, HeatMetric, QueryOnDesign, ReadQuery, Simulate, SimulateRequest};
use tabletop_workspace::{KeyChoice, OnBadLine, Schedule, Source, Stream, StreamKind, Traffic, TrafficRun};

use super::{Host, TEMPLATE, built, open};
use crate::host::{everything, samples};

#[test]
fn a_quote_that_is_not_closed_costs_its_own_line() {
    let mut host = Host::new();
    let text = "when,who\n2024-01-01T00:00:00Z,ada\n2024-01-02T00:00:00Z,\"bob\n2024-01-03T00:00:00Z,eve\n";
    let data = host.load(text, OnBadLine::Skip, 1 << 16);
    assert_eq!((data.events, data.bad_lines, data.problems[0].line), (2, 1, 3));
    host.design(|design| design.template = "{who}#{when:iso}".into());
    let read = host.rows_of(RowChoice::Prefix("ada".into()), None, 0);
    assert_eq!(read.rows[0].key.to_string(), "ada#2024-01-01T00:00:00.000Z");
}

#[test]
fn a_workspace_that_is_opened_again_has_the_same_rows() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let (kept, rows) = (host.workspace(), host.rows_of(RowChoice::All, None, 2).rows);
    let sample = samples().swap_remove(0);
    let mut other = host.workspace();
    other.source = Source::Sample(sample.name.clone());
    other.designs[0].template = sample.template;
    open(&mut host, other);
    assert_eq!(host.workspace().source, Source::Sample(sample.name));
    assert_ne!(host.rows_of(RowChoice::All, None, 2).rows, rows);
    open(&mut host, kept.clone());
    assert_eq!(host.workspace().designs, kept.designs);
    assert_eq!(host.rows_of(RowChoice::All, None, 2).rows, rows);
}

fn reads(index: u32, nodes: u32) -> SimulateRequest {
    let stream = Stream {
        name: "reads".into(),
        what: StreamKind::PointReads,
        per_second: 3_000.0,
        keys: KeyChoice::AsEvents,
        when: Schedule::Constant,
    };
    let run = TrafficRun { nodes, seconds: 5, ..TrafficRun::default() };
    SimulateRequest { index, traffic: Traffic { streams: vec![stream], seed: 3, run, ..Traffic::default() } }
}

#[test]
fn a_simulation_has_each_second_or_says_why_it_cannot_be_done() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let mut slice = host.begin::<Simulate>(&reads(0, 4)).expect("it begins");
    let mut all = slice.chunk.clone();
    while !all.is_complete() || all.heat.metric != HeatMetric::Reads {
        let run = slice.run.expect("it stays open");
        slice = host.next::<Simulate>(run, &all.have(HeatMetric::Reads)).expect("a slice");
        all.extend(slice.chunk.clone());
    }
    let second = &all.history[0];
    assert_eq!((all.seconds, all.history.len(), second.nodes.len()), (5, 5, 4));
    assert_eq!((all.totals[0].refused, all.refusal), (0, None));
    let mut refused = |index, nodes| {
        let refused = host.begin::<Simulate>(&reads(index, nodes)).expect_err("it is refused");
        refused.into_error()
    };
    assert_eq!(refused(7, 4).code, Code::NotFound, "the design does not exist");
    let nodes = refused(0, 0).message;
    assert!(nodes.contains("traffic.run.nodes is 0; it must be from 1 to 100"), "{nodes}");
}

#[test]
fn each_sample_has_events_and_a_licence() {
    let samples = samples();
    assert!(samples.len() >= 4, "{} samples", samples.len());
    for sample in samples {
        assert!(sample.events > 0 && !sample.licence.is_empty(), "{}", sample.name);
    }
}

#[test]
fn a_refusal_has_a_code_and_names_its_cause() {
    let mut host = built(TEMPLATE, LayoutKind::Narrow);
    let mut refused = |index, query| {
        host.begin::<ReadQuery>(&QueryOnDesign { index, query }).expect_err("it is refused").into_error()
    };
    let chain = RowFilter::Chain(vec![RowFilter::PassAll(true)]);
    let error = refused(0, Query { filter: Some(chain), ..everything() });
    assert!(error.code == Code::InvalidArgument && error.message.contains("at least two filters"), "{error}");
    let range = RowRange { start: Bound::Included("b".into()), end: Bound::Excluded("a".into()) };
    let error = refused(0, Query { rows: RowChoice::Range(range), ..everything() });
    assert_eq!(error.code, Code::InvalidArgument, "{error}");
    let error = refused(9, everything());
    assert!(error.code == Code::NotFound && error.message.contains("there is no design 9"), "{error}");
    assert_eq!(host.code(Ask::View { index: 9, first_look: false }), Code::NotFound);
}
