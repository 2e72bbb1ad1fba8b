//! The wording of each kind of judgement, once.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use tabletop_advice::{
    Affected, Because, Cause, Comparison, DesignFigures, Diagnosis, Effect, Figure, Finding, FixKind, Flaw,
    KeyCause, KeyLoss, KeyRemedy, LayoutCause, LongPart, NoEffect, PatternCause, Point, Rank, RisingEvidence,
    RowRemedy, SaltCause, SaltSpread, SkewCause, Symptom, TimeRemedy, Tone, Unsorted, ValueCause, Verdict,
    WaveNodes, WriteCounts,
};
use tabletop_keys::{ChipCost, TransformCost};
use tabletop_model::TableView;
use tabletop_workspace::{Design, Workspace};

use super::{Advice, patterns};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Asserts the message and the evidence of a cause.
#[track_caller]
fn assert_said(cause: &Cause, message: &str, evidence: &str) {
    assert_eq!((Advice::ENGLISH.warning)(cause), message);
    assert_eq!((Advice::ENGLISH.evidence)(cause), evidence);
}

#[test]
fn writes_that_concentrate() {
    let shown = RisingEvidence::OneMoment { percent: 100 };
    assert_said(
        &Cause::Pattern(PatternCause::LeadingTime {
            time: "at".into(),
            remedy: TimeRemedy::StartWithAnother,
            shown,
        }),
        "The key starts with at: one tablet or a few take the current writes. Start with what you \
         query by, or salt the key.",
        "Of the events of one moment, which share at, 100% go to one tablet.",
    );
    let shown = RisingEvidence::OneMoment { percent: 62 };
    assert_said(
        &Cause::Pattern(PatternCause::LeadingOrder { fields: names(&["x", "y"]), is_alone: false, shown }),
        "Events arrive in order of x and y, so one tablet or a few take most of the current writes. Start with a field that \
         varies more between events, or salt the key. A file sorted by x and y is hot only while it loads.",
        "Of the events of one moment, which share x and y, 62% go to one tablet.",
    );
    let fields = names(&["app"]);
    assert_said(
        &Cause::Pattern(PatternCause::FewRanges {
            ranges: 3,
            fields,
            time: "at".into(),
            hottest_percent: 41,
        }),
        "Only 3 values of app come before at, so at most 3 tablets take writes at a time. Put a field with many values between \
         them, or salt the key.",
        "3 different values of app; of the events of one moment, 41% go to one tablet.",
    );
    assert_said(
        &Cause::Pattern(PatternCause::FewRows { rows: 1, events: 2_000 }),
        "Only 1 distinct key. A row cannot be split, so one tablet takes every write. Add a field with many values to the key.",
        "2,000 events have 1 distinct key.",
    );
    let skew = SkewCause::Value {
        value: "d500".into(),
        fields: names(&["device"]),
        share: 0.334,
        time: "at".into(),
    };
    assert_eq!(
        patterns::skew(&skew),
        "33% of the events have the device \"d500\". Their keys are adjacent, ordered by at, so one tablet takes them all, no \
         matter how many there are. Put a field with many values before at, or salt the key."
    );
}

#[test]
fn salts() {
    assert_said(
        &Cause::Salt(SaltCause::FewForRising { salts: 4 }),
        "With 4 salts, at most 4 tablets take writes at a time. Use more salts if you expect more writes than 4 tablets can \
         handle.",
        "Without the salt, new rows would have adjacent keys.",
    );
    let spread = SaltSpread { used: 3, salts: 8, largest_share: 0.6 };
    assert_said(
        &Cause::Salt(SaltCause::UnevenFields { fields: names(&["app"]), spread }),
        "The salt is computed from app, which has too few values, or some that are far more frequent than others. Salt over the \
         whole key.",
        "3 of 8 salts are used; one has 60% of the events.",
    );
    assert_said(
        &Cause::Salt(SaltCause::ScatteredArea { salts: 8 }),
        "A Z-order keeps neighbours together, and the salt scatters them again: an area query reads 8 times as many ranges. The \
         key spreads its writes without a salt.",
        "Events that arrive together are spread over the whole table, with or without the 8 salts.",
    );
    assert_said(
        &Cause::Salt(SaltCause::NoneAfterCutOver { salts: 8, from: "2030-01-01".into(), events: 20 }),
        "No event is salted: all are before 2030-01-01. A scan reads 9 ranges, and the ranges of the 8 salts are empty. Choose \
         an earlier time, or salt all events.",
        "20 of 20 events are before the cut-over.",
    );
}

#[test]
fn keys() {
    let part = LongPart::Fields(names(&["url"]));
    assert_said(
        &Cause::Key(KeyCause::TooLong { part, refused: 2, events: 1_000, longest_bytes: 5_000 }),
        "Row keys over 4,096 bytes are refused. Hash url, or leave it out.",
        "Refused: 2 of 1,000 events; the longest key is 5,000 bytes.",
    );
    assert_said(
        &Cause::Key(KeyCause::Expensive { part: LongPart::Literal, longest_bytes: 400, mean_bytes: 310 }),
        "Long row keys are expensive: they are stored with every row and sent with every read. Shorten the literal text in the \
         template.",
        "The longest key is 400 bytes; the mean is 310.",
    );
    let counts = WriteCounts { events: 10_000, cells: 30_000, rows_stored: 9_999, cells_stored: 29_997 };
    let counted = |loss, remedy| Cause::Key(KeyCause::Counted { counts, loss, remedy });
    assert_said(
        &counted(KeyLoss::Cells, KeyRemedy::AddField),
        "The row key of 1 of 10,000 events is already used by an earlier one (cells replaced: 3): add a distinguishing field to \
         the end of the key.",
        "Written: 10,000 events with 30,000 cells. Stored: 9,999 rows with 29,997 cells.",
    );
    assert_eq!(
        (Advice::ENGLISH.warning)(&counted(KeyLoss::Events, KeyRemedy::Duplicates)),
        "Later events with the same row key replace 3 of 10,000 events: they are equal in every field, so only the count is \
         lost."
    );
}

#[test]
fn layouts() {
    let reason = NoEffect::OnlyTime("at".into());
    assert_said(
        &Cause::Layout(LayoutCause::WithoutEffect { reason, events: 60 }),
        "Row per entity has no effect: the key contains only at, so each event has its own row.",
        "60 events have 60 different row keys.",
    );
    assert_said(
        &Cause::Layout(LayoutCause::LargeRow {
            share: 0.25,
            entity: names(&["app", "user"]),
            remedy: RowRemedy::AddFieldOrNarrow,
            row: "a,b".into(),
            events: 500,
            all: 2_000,
        }),
        "One row takes 25% of the writes: a row holds all events of one app and user. A row cannot be split, and a salt cannot \
         divide it. If one tablet cannot handle that, add a field to the key that distinguishes its events, or choose Narrow.",
        "Row \"a,b\" has 500 of 2,000 events.",
    );
    assert_eq!(
        (Advice::ENGLISH.evidence)(&Cause::Layout(LayoutCause::ManyFamilies {
            families: 120,
            events: 2_000,
            families_max: 100
        })),
        "2,000 events have 120 families."
    );
}

#[test]
fn values() {
    let of = Unsorted::Integers("n".into());
    assert_said(
        &Cause::Value(ValueCause::OutOfOrder { of, first: "10".into(), second: "9".into() }),
        "Row keys sort as bytes, so values of n are not in numeric order. Pad them with zeros.",
        "\"10\" sorts before \"9\".",
    );
    assert_said(
        &Cause::Value(ValueCause::SeparatorInside {
            fields: names(&["app"]),
            separator: ",".into(),
            count: 2,
            events: 10,
            example: "a,b".into(),
        }),
        "Values of app contain \",\", the separator after them, so a prefix also matches other values and a key can be read in \
         two ways. Choose another separator, or hash app.",
        "2 of 10 events, including \"a,b\".",
    );
    assert_said(
        &Cause::Value(ValueCause::ReversedTime {
            time: "at".into(),
            example: "12".into(),
            reversed: "21".into(),
        }),
        "reverse reverses the characters of at, so keys are not in time order. To read the newest first, use reverse_time, \
         which counts down.",
        "\"12\" becomes \"21\".",
    );
}

#[test]
fn fixes() {
    let said = |fix: FixKind| (Advice::ENGLISH.fix)(&fix);
    assert_eq!(said(FixKind::PutBefore { field: "user".into(), next: "at".into() }), "Put user before at");
    assert_eq!(said(FixKind::AddToEnd(names(&["at", "user"]))), "Add at and user to the end");
    assert_eq!(said(FixKind::Salt(8)), "Salt with 8");
    assert_eq!(said(FixKind::ZOrder { x: "lon".into(), y: "lat".into() }), "Use zorder(lon, lat)");
    assert_eq!(said(FixKind::ReverseTimeAndSalt(8)), "Use reverse_time and salt with 8");
}

#[test]
fn headlines() {
    let said = |tone, finding| (Advice::ENGLISH.headline)(&Verdict { tone, finding, ..Verdict::default() });
    let all = Finding::Concentrated { busy: 1, tablets: 32, share: 1.0 };
    assert_eq!(said(Tone::Hot, all), "All current writes hit 1 of 32 tablets");
    let few = Finding::FewRanges { ranges: 12, fields: names(&["network"]), hottest_share: 0.5 };
    assert_eq!(
        said(Tone::Caution, few),
        "At most 12 tablets can take writes at a time, one for each network; the hottest takes 50%"
    );
    let salted =
        |salts, tablets, one_place_each| said(Tone::Good, Finding::Salted { salts, tablets, one_place_each });
    assert_eq!(salted(8, 4, true), "8 salts share all writes evenly over 4 tablets so far");
    assert_eq!(salted(8, 9, true), "8 salts share all writes evenly: 8 times what one tablet can take");
    assert_eq!(
        salted(8, 16, true),
        "8 tablets, one for each salt, share all writes evenly: 8 times what one tablet can take"
    );
    assert_eq!(
        salted(8, 16, false),
        "8 salts each take the same share of the writes: at least 8 times what one tablet can take"
    );
    let spread = |tone, hottest_share| said(tone, Finding::Spread { busy: 20, tablets: 20, hottest_share });
    assert_eq!(spread(Tone::Good, 0.1), "Writes are spread over 20 of 20 tablets; the hottest takes 10%");
    assert_eq!(
        spread(Tone::Plain, 0.45),
        "Writes are spread over 20 of 20 tablets; the hottest takes 45%, 9 times the mean"
    );
    assert_eq!(spread(Tone::Caution, 0.1), "Writes are spread over 20 of 20 tablets, but events share keys");
}

#[test]
fn diagnoses() {
    let said = |symptom: Symptom| {
        let diagnosis: Diagnosis = symptom.diagnosis(true, (0, 1), vec![]);
        [Advice::ENGLISH.diagnosis, Advice::ENGLISH.diagnosis_evidence, Advice::ENGLISH.diagnosis_advice]
            .map(|say| say(&diagnosis))
    };
    let [text, evidence, advice] =
        said(Symptom::HotRow { row: None, share: 0.6, per_second: 1_200.0, writes: 0.9, node_share: 0.5 });
    assert_eq!(
        text,
        "One row gets 60% of the requests. A row is served by one node and cannot be split, so adding nodes does not help."
    );
    assert_eq!(
        evidence,
        "A new row gets 1,200 requests per second and needs 50% of a node's capacity on average."
    );
    assert!(advice.starts_with("Spread the row over several"), "{advice}");
    let [_, evidence, advice] =
        said(Symptom::SequentialWrites { places: 1.0, share: 0.99, per_second: 500.0 });
    assert_eq!(evidence, "99% of 500 writes per second go to one place in the key space.");
    assert_eq!(
        advice, "Start the key with a field that has many values.",
        "no change to the design is known to help"
    );
    let too_few = |tablet| {
        said(Symptom::TooFewNodes { nodes: 2, cpu: 0.98, needed: 3, cpu_target: 0.6, tablet, waiting: 1 })
    };
    let [text, evidence, advice] = too_few(0.5);
    assert_eq!(text, "All nodes are busy.");
    assert_eq!(evidence, "The 2 nodes use 98% of their cores on average; 1 request is waiting.");
    assert_eq!(advice, "Add nodes: 3 nodes would use at most 60% of their cores for this traffic.");
    assert!(too_few(0.8)[2].ends_with("the busiest tablet will use at least 80% of its cores."));
    assert!(!too_few(1.13)[2].contains("Add nodes") && too_few(1.13)[2].contains("it needs 113% of a node"));
    let unbalanced_by = |tablet, is_moving, needed| {
        said(Symptom::Unbalanced {
            busiest: "A".into(),
            cpu_most: 1.0,
            idlest: "B".into(),
            cpu_least: 0.24,
            expired: 44_063.0,
            waiting: 730_533,
            is_moving,
            needed,
            tablet,
        })
    };
    let unbalanced = |is_moving, needed| unbalanced_by(0.3, is_moving, needed);
    let advice = &unbalanced_by(1.2, true, Some(7))[2];
    assert!(advice.contains("more nodes do not help") && !advice.contains("7 nodes"), "{advice}");
    let [text, evidence, advice] = unbalanced(true, Some(7));
    assert_eq!(text, "Tablets are still moving, and until then node A cannot keep up.");
    assert_eq!(
        evidence,
        "Node A is at 100%, node B at 24%; 730,533 requests are waiting, and 44,063/s pass their deadline."
    );
    assert!(advice.ends_with("20 minutes to spread. This traffic needs 7 nodes."), "{advice}");
    assert_eq!(unbalanced(false, None)[0], "Node A cannot keep up, while node B has spare capacity.");
    let wave = |seconds, nodes| {
        said(Symptom::PeriodicLoad { seconds, most: 9_000.0, least: 10.0, tablet: 0.5, nodes })[2].clone()
    };
    let nodes = |now| Some(WaveNodes { now, least: 1, most: 3 });
    assert!(wave(57.0, nodes(1)).starts_with("Provision 3 nodes for the peaks"), "{}", wave(57.0, nodes(1)));
    assert!(wave(57.0, nodes(3)).starts_with("Keep enough nodes"), "{}", wave(57.0, nodes(3)));
    assert!(wave(86_400.0, nodes(1)).starts_with("Let the autoscaler"), "{}", wave(86_400.0, nodes(1)));
    let [text, evidence, _] =
        said(Symptom::FailedNode { node: "B".into(), seconds_ago: 4, waiting: 20, expired: 3 });
    assert_eq!(text, "Node B has failed; its tablets are unavailable until other nodes take over.");
    assert_eq!(
        evidence,
        "4 seconds ago. Since then, up to 20 requests have waited, and 3 have passed their deadline."
    );
    assert_eq!(said(Symptom::LargeRows(113_000_000))[1], "The largest row read is 113 MB.");
}

#[test]
fn costs_of_parts() {
    let said = |cost: ChipCost| (Advice::ENGLISH.chip)(&cost);
    assert_eq!(said(ChipCost::Nothing), "");
    assert_eq!(said(ChipCost::Salt { salts: 8 }), "salt 8: a prefix scan becomes 8 scans");
    let hash = ChipCost::Transform {
        name: "hash(8)".into(),
        cost: TransformCost::Hash { bytes: 8, is_short: true },
    };
    assert_eq!(
        said(hash),
        "hash(8): 8 bytes; exact lookups only, no prefixes or ranges; some values share a hash"
    );
}

#[test]
fn designs_side_by_side() {
    let named = |name: &str| DesignFigures {
        design: Design { name: name.into(), ..Workspace::default().designs[0].clone() },
        problems: vec![],
        events_built: 0,
        events_refused: 0,
        events_shared: 0,
        events_total: 0,
        changes: false,
        verdict: Verdict::default(),
        key_bytes_max: 0,
        logical_bytes: None,
        compressed_bytes: None,
        table: TableView::default(),
        indexes: vec![],
    };
    let designs = [named("A"), named("B")];
    let point = |figure, value, rank, other_value| Point { figure, value, rank, other: 0, other_value };
    let best = |because, wins, losses| Comparison::Best { design: 1, because, wins, losses };
    let wins = vec![
        point(Figure::HottestShare, 0.5, Rank::Lowest, 1.0),
        point(Figure::LogicalBytes, 772_000.0, Rank::AmongLowest, 900_000.0),
        point(Figure::LongestKey, 20.0, Rank::Lowest, 40.0),
    ];
    let comparison = best(
        Because::Fewest(Flaw::Hot),
        wins,
        vec![point(Figure::CompressedBytes, 1_200.0, Rank::Other, 1_000.0)],
    );
    assert_eq!(
        (Advice::ENGLISH.comparison)(&comparison, &designs),
        "\u{201c}B\u{201d} is best by these figures"
    );
    let reasons = |comparison: &Comparison| (Advice::ENGLISH.comparison_reasons)(comparison, &designs);
    assert_eq!(
        reasons(&comparison),
        "It is the only one whose writes are not concentrated on a few tablets. Its hottest tablet takes 50% of the writes \
         (\u{201c}A\u{201d}: 100%), its logical size is among the lowest (772 kB; \u{201c}A\u{201d}: 900 kB) and its longest key \
         is 20 B (\u{201c}A\u{201d}: 40 B). It loses on stored size (1.20 kB; \u{201c}A\u{201d}: 1.00 kB)."
    );
    let lower =
        best(Because::MostPoints, vec![point(Figure::CompressedBytes, 900.0, Rank::Other, 1_000.0)], vec![]);
    assert_eq!(reasons(&lower), "Its stored size is lower (900 B; \u{201c}A\u{201d}: 1.00 kB).");
    assert_eq!(
        reasons(&best(Because::Fewest(Flaw::LosesEvents), vec![], vec![])),
        "It is the only one that stores every event."
    );
    let none = (Advice::ENGLISH.comparison)(&Comparison::NoneCanWin, &[]);
    assert_eq!(none, "Every design loses events, answers wrongly or has a row over 100 MB, so none is best");
    assert_eq!(reasons(&Comparison::Same), "");
    let headline = |comparison| (Advice::ENGLISH.comparison)(&comparison, &designs);
    assert_eq!(headline(Comparison::Same), "These designs are equal in every figure that counts");
    assert_eq!(headline(Comparison::TooFew), "A comparison needs two designs with rows and valid templates");
}

#[test]
fn figures_have_units() {
    let values = [0.75, 1.0, 1.0, 100.0, 2_000.0, 10_000.0, 500.0, 1_000.0, 40.0, 1.5];
    let mut written =
        Figure::ALL.iter().zip(values).map(|(figure, value)| (Advice::ENGLISH.figure)(*figure, value));
    let expected = ["75%", "1.0", "1", "100", "2,000", "10.0 kB", "500 B", "1.00 kB", "40 B", "1.50"];
    assert!(expected.iter().all(|text| written.next().as_deref() == Some(*text)) && written.next().is_none());
    let effect = |of, before, after| (Advice::ENGLISH.effect)(&Effect { of, before, after });
    assert_eq!(
        effect(Affected::Figure(Figure::StoredBytes), 1_600_000.0, 1_400_000.0),
        ["1.60 MB", "1.40 MB"]
    );
    assert_eq!(effect(Affected::RowsSeen, 7.0, 2_000.0), ["7", "2,000"]);
}
