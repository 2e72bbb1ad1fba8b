//! Which design wins by the access patterns, and the sentences that say why.

use tabletop_advice::{
    Criterion, DesignCosts, Flaw, QueryCost, QueryOutcome, Ranking, Scale, Scoreboard, Shortfall, TableState,
    Total,
};
use tabletop_keys::{LayoutKind, PlanKind, Query, RowChoice};
use tabletop_model::{Error, ReadStats, RowFilter};
use tabletop_texts::messages;
use tabletop_workspace::{Design, NamedQuery, QueryLimits, Workspace};

/// The headline of a scoreboard, and its reasons.
fn headline(board: &Scoreboard) -> String {
    (messages().advice.ranking)(board)
}

fn reasons(board: &Scoreboard) -> String {
    (messages().advice.ranking_reasons)(board)
}

fn notes(board: &Scoreboard) -> Vec<String> {
    (messages().advice.ranking_notes)(board)
}

fn pattern(name: &str, reads_per_second: f64) -> NamedQuery {
    let query = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
    NamedQuery { reads_per_second, ..NamedQuery::new(name, query) }
}

/// Parses an outcome: `scan 100` is a full scan of 100 blocks with as many rows and ten times the
/// cells, `2 3` is two ranges and three blocks, `point 1` is a single row, `none 1` is one range
/// without a row, `-` is not measured yet, `no` is refused.
fn outcome(text: &str) -> QueryOutcome {
    let (kind, blocks) = match text.split_once(' ') {
        None if text == "-" => return QueryOutcome::Waiting,
        None => return QueryOutcome::Refused(Error::invalid("no")),
        Some(words) => words,
    };
    let (kind, ranges) = match (kind, kind.parse::<u32>()) {
        ("scan", _) => (PlanKind::Scan, 1),
        ("point", _) => (PlanKind::Points, 1),
        ("none", _) => (PlanKind::OneRange, 1),
        (_, Ok(1)) => (PlanKind::OneRange, 1),
        (_, ranges) => (PlanKind::Ranges, ranges.expect("a number of ranges")),
    };
    let blocks: u64 = blocks.parse().expect("a number of blocks");
    let stats = ReadStats {
        blocks_read: blocks,
        rows_seen: blocks,
        rows_returned: u64::from(!text.starts_with("none")),
        cells_seen: blocks * 10,
        tablets_touched: u64::from(ranges),
        ..ReadStats::default()
    };
    QueryOutcome::Answered(QueryCost {
        kind,
        stats,
        ranges,
        scans_more: false,
        newest: None,
        entities: None,
        wrong: None,
        timings: 1,
        elapsed_micros: blocks * 100,
    })
}

fn design(name: &str, outcomes: &[&str]) -> DesignCosts {
    let design = Design { name: name.into(), ..Workspace::default().designs[0].clone() };
    DesignCosts {
        design,
        state: TableState::Complete,
        is_hot: false,
        lost: 0,
        events: 100,
        heat: 0.0,
        largest_row: None,
        tables: 1,
        stored_bytes: 1_000,
        outcomes: outcomes.iter().map(|text| outcome(text)).collect(),
    }
}

/// Two patterns: `user` 100 times per second, `type` once.
fn two() -> Vec<NamedQuery> {
    vec![pattern("user", 100.0), pattern("type", 1.0)]
}

fn said(queries: &[NamedQuery], designs: &[DesignCosts]) -> String {
    let board = Scoreboard::new(queries, designs, &Scale::default());
    format!("{}. {}", headline(&board), reasons(&board))
}

#[test]
fn a_design_that_finds_no_row_does_not_win_by_it() {
    let designs = [design("finds", &["1 10", "1 10"]), design("finds nothing", &["none 1", "1 10"])];
    let queries = two();
    let board = Scoreboard::new(&queries, &designs, &Scale::default());
    assert!(
        matches!(board.ranking, Ranking::Best { design: 0, because: Criterion::Flaw(Flaw::NoAnswer), .. }),
        "{:?}",
        board.ranking
    );
    // If no design finds a row of a pattern, all designs answer it.
    let none = [design("A", &["none 2", "1 10"]), design("B", &["none 1", "1 10"])];
    let board = Scoreboard::new(&queries, &none, &Scale::default());
    assert!(
        matches!(board.ranking, Ranking::Best { design: 1, because: Criterion::Blocks, .. }),
        "{:?}",
        board.ranking
    );
}

#[test]
fn the_sentence_names_the_design_that_is_worse_and_no_peer() {
    let mut hot = design("hot", &["1 1", "1 1"]);
    hot.is_hot = true;
    let designs = [hot, design("B", &["1 10", "1 10"]), design("C", &["1 10", "1 10"])];
    let text = said(&two(), &designs);
    assert!(text.contains("The writes of \u{201c}hot\u{201d}"), "{text}");
    assert!(!text.contains("The writes of \u{201c}C\u{201d}"), "{text}");
}

#[test]
fn a_total_is_the_sum_of_weight_times_blocks() {
    let total =
        Total::of(&two(), &design("A", &["2 3", "scan 50"]), &Scale::default()).expect("all is measured");
    assert_eq!((total.blocks, total.rows, total.cells, total.micros), (350.0, 350.0, 3_500.0, 35_000.0));
    assert_eq!((total.patterns, total.standing.unanswered, total.standing.scans, total.missed), (2, 0, 1, 0));
}

#[test]
fn a_pattern_without_weight_counts_in_no_total_but_its_limits_count() {
    let mut queries = two();
    queries[1].reads_per_second = 0.0;
    queries[1].limits = QueryLimits { ranges_max: Some(0), ..QueryLimits::default() };
    let total =
        Total::of(&queries, &design("A", &["2 3", "scan 50"]), &Scale::default()).expect("all is measured");
    assert_eq!((total.blocks, total.patterns, total.standing.scans, total.missed), (300.0, 1, 0, 1));
    let total = Total::of(&queries, &design("A", &["2 3", "no"]), &Scale::default())
        .expect("a refusal is an outcome");
    assert_eq!((total.standing.unanswered, total.missed), (0, 0));
}

#[test]
fn there_is_no_total_before_everything_is_measured() {
    assert_eq!(Total::of(&two(), &design("A", &["2 3", "-"]), &Scale::default()), None);
    assert_eq!(
        Total::of(&two(), &design("A", &["2 3"]), &Scale::default()),
        None,
        "another workspace was measured"
    );
    let growing = DesignCosts { state: TableState::Growing, ..design("A", &["2 3", "1 1"]) };
    assert_eq!(Total::of(&two(), &growing, &Scale::default()), None);
}

#[test]
fn the_design_with_the_fewest_blocks_per_second_wins() {
    let cases: &[(&[&[&str]], &str)] = &[
        // One design is better at everything.
        (
            &[&["scan 50", "scan 50"], &["1 1", "1 40"]],
            "\u{201c}B\u{201d} wins: it needs no full scan. It scans the whole table for none of 2 patterns; \u{201c}A\u{201d} for 2 \
             of 2. It needs 140 blocks per second (\u{201c}A\u{201d}: 5,050). It gains most from \u{201c}user\u{201d} (1 range, 1 \
             block; \u{201c}A\u{201d}: full scan, 50 blocks) and \u{201c}type\u{201d} (1 range, 40 blocks; \u{201c}A\u{201d}: full scan, 50 blocks).",
        ),
        // The weights decide, and the loss is named.
        (
            &[&["8 8", "1 10"], &["1 1", "1 50"]],
            "\u{201c}B\u{201d} wins with 150 blocks per second (\u{201c}A\u{201d}: 810). It gains most from \
             \u{201c}user\u{201d} (1 range, 1 block; \u{201c}A\u{201d}: 8 ranges, 8 blocks). It loses on \u{201c}type\u{201d} \
             (1 range, 50 blocks; \u{201c}A\u{201d}: 1 range, 10 blocks).",
        ),
        // A scan grows with the table, so a design without one wins whatever the weights are.
        (
            &[&["8 8", "1 10"], &["1 1", "scan 50"]],
            "\u{201c}A\u{201d} wins: it needs no full scan. It scans the whole table for none of 2 patterns; \u{201c}B\u{201d} for 1 \
             of 2. It needs 810 blocks per second (\u{201c}B\u{201d}: 150). It gains most from \u{201c}type\u{201d} \
             (1 range, 10 blocks; \u{201c}B\u{201d}: full scan, 50 blocks). It loses on \u{201c}user\u{201d} \
             (8 ranges, 8 blocks; \u{201c}B\u{201d}: 1 range, 1 block).",
        ),
        // Three designs: the worst one is named for a gain, the best one for a loss.
        (
            &[&["scan 50", "1 10"], &["1 1", "scan 50"], &["2 2", "scan 70"]],
            "\u{201c}B\u{201d} comes first with 150 blocks per second (\u{201c}C\u{201d}: 270; \u{201c}A\u{201d}: 5,010), but it \
             scans the whole table for 1 pattern. It gains \
             most from \u{201c}user\u{201d} (1 range, 1 block; \u{201c}A\u{201d}: full scan, 50 blocks). It loses on \
             \u{201c}type\u{201d} (full scan, 50 blocks; \u{201c}A\u{201d}: 1 range, 10 blocks).",
        ),
        // A pattern that is not answered.
        (
            &[&["1 1", "no"], &["8 8", "scan 50"]],
            "\u{201c}B\u{201d} comes first: it answers the most access patterns, but it scans the whole \
             table for 1 pattern. It answers every access pattern; \u{201c}A\u{201d} \
             cannot answer 1 pattern. It needs 850 blocks per second. It loses on \u{201c}user\u{201d} \
             (8 ranges, 8 blocks; \u{201c}A\u{201d}: 1 range, 1 block).",
        ),
        // Two designs with all answers, and a cheaper one without.
        (
            &[&["1 1", "no"], &["8 8", "scan 50"], &["9 9", "scan 50"]],
            "\u{201c}B\u{201d} comes first with 850 blocks per second (\u{201c}C\u{201d}: 950), but it scans the whole table \
             for 1 pattern. \u{201c}A\u{201d} needs only 100, but it cannot answer 1 pattern. It loses on \u{201c}user\u{201d} (8 ranges, 8 blocks; \u{201c}A\u{201d}: 1 range, 1 \
             block).",
        ),
        // Equal designs, and copies of the best.
        (&[&["1 1", "1 2"], &["1 1", "1 2"]], "All designs cost the same for these access patterns. "),
        (
            &[&["1 1", "1 2"], &["1 1", "1 2"], &["1 2", "1 2"]],
            "\u{201c}A\u{201d} wins with 102 blocks per second (\u{201c}C\u{201d}: 202; \u{201c}B\u{201d}: 102). \u{201c}B\u{201d} is as good. It gains most from \u{201c}user\u{201d} (1 \
             range, 1 block; \u{201c}C\u{201d}: 1 range, 2 blocks).",
        ),
        (&[&["1 1", "1 2"]], "A comparison needs two designs. "),
        (&[&["1 1", "1 2"], &["1 1", "-"]], "Measuring the access patterns\u{2026}. "),
    ];
    for (outcomes, expected) in cases {
        let designs: Vec<DesignCosts> =
            outcomes.iter().zip(["A", "B", "C"]).map(|(outcomes, name)| design(name, outcomes)).collect();
        assert_eq!(said(&two(), &designs), *expected);
    }
}

#[test]
fn another_weight_makes_another_design_win() {
    let designs = [design("A", &["8 8", "1 10"]), design("B", &["1 1", "1 50"])];
    let winner = |of_user: f64| {
        let queries = [pattern("user", of_user), pattern("type", 1.0)];
        headline(&Scoreboard::new(&queries, &designs, &Scale::default()))
    };
    assert_eq!(winner(100.0), "\u{201c}B\u{201d} wins with 150 blocks per second (\u{201c}A\u{201d}: 810)");
    assert_eq!(winner(0.5), "\u{201c}A\u{201d} wins with 14 blocks per second (\u{201c}B\u{201d}: 50.5)");
    assert_eq!(
        Scoreboard::new(&[pattern("user", 0.0)], &designs, &Scale::default()).ranking,
        Ranking::NoPatterns
    );
    assert_eq!(Scoreboard::new(&[], &designs, &Scale::default()).ranking, Ranking::NoPatterns);
}

#[test]
fn a_design_that_keeps_its_limits_wins_before_one_that_needs_less() {
    let mut queries = two();
    queries[1].limits.blocks_max = Some(20);
    let designs = [design("A", &["8 8", "1 10"]), design("B", &["1 1", "1 50"])];
    assert_eq!(
        said(&queries, &designs),
        "\u{201c}A\u{201d} wins: it meets the limits of most access patterns. It meets all limits; \u{201c}B\u{201d} violates \
         limits of 1 pattern. It needs 810 blocks per second (\u{201c}B\u{201d}: 150). It gains most from \u{201c}type\u{201d} \
         (1 range, 10 blocks; \u{201c}B\u{201d}: 1 range, 50 blocks). It loses on \u{201c}user\u{201d} (8 ranges, 8 blocks; \
         \u{201c}B\u{201d}: 1 range, 1 block)."
    );
}

#[test]
fn cells_decide_between_designs_with_as_many_blocks() {
    let wide = design("wide", &["1 1", "1 10"]);
    let mut narrow = design("narrow", &["1 1", "1 10"]);
    let QueryOutcome::Answered(cost) = &mut narrow.outcomes[0] else { panic!("it has an answer") };
    cost.stats.cells_seen = 2;
    assert_eq!(
        said(&two(), &[wide, narrow]),
        "\u{201c}narrow\u{201d} wins with 110 blocks per second (\u{201c}wide\u{201d}: 110). For the same number of blocks, it \
         examines 300 cells per second (\u{201c}wide\u{201d}: 1,100)."
    );
}

#[test]
fn the_difference_to_the_next_design_is_stated_if_it_is_close() {
    // The worst design has the greatest contrasts, which say nothing about the next design.
    let designs = [
        design("worst", &["scan 50", "1 90"]),
        design("own", &["1 1", "1 50"]),
        design("next", &["1 1", "1 55"]),
    ];
    assert_eq!(
        said(&two(), &designs),
        "\u{201c}own\u{201d} wins with 150 blocks per second (\u{201c}next\u{201d}: 155; \u{201c}worst\u{201d}: 5,090). It is \
         only 3% ahead of \u{201c}next\u{201d}, mainly because of \u{201c}type\u{201d} (1 range, 50 blocks; \
         \u{201c}next\u{201d}: 1 range, 55 blocks). It gains most from \u{201c}user\u{201d} (1 range, 1 block; \
         \u{201c}worst\u{201d}: full scan, 50 blocks) and \u{201c}type\u{201d} (1 range, 50 blocks; \u{201c}worst\u{201d}: 1 \
         range, 90 blocks). It scans the whole table for none of 2 patterns; \u{201c}worst\u{201d} for 1 of 2."
    );
    assert_eq!(
        said(&two(), &designs[1..]),
        "\u{201c}own\u{201d} wins with 150 blocks per second (\u{201c}next\u{201d}: 155). It is only 3% ahead of \
         \u{201c}next\u{201d}. It gains most from \u{201c}type\u{201d} (1 range, 50 blocks; \u{201c}next\u{201d}: 1 range, 55 \
         blocks).",
        "a contrast is mentioned once"
    );
    let far = [designs[1].clone(), design("far", &["1 1", "1 66"])];
    assert!(!said(&two(), &far).contains("ahead"), "10% is enough");
}

#[test]
fn index_tables_have_a_price() {
    let indexed = DesignCosts { tables: 3, stored_bytes: 2_840_000, ..design("indexed", &["1 1", "1 1"]) };
    let plain = DesignCosts { stored_bytes: 1_370_000, ..design("plain", &["1 1", "1 50"]) };
    let text = said(&two(), &[indexed.clone(), plain.clone()]);
    let price = "Its price: each event is written to 3 tables, which store 2.84 MB (\u{201c}plain\u{201d}: 1 table, 1.37 MB).";
    assert!(text.ends_with(price), "{text}");
    let cheaper = DesignCosts { outcomes: design("", &["1 2", "1 90"]).outcomes, ..indexed };
    assert!(!said(&two(), &[cheaper, plain]).contains("price"), "the winner has no index table");
}

#[test]
fn a_design_with_an_invalid_template_takes_no_part() {
    let invalid = DesignCosts { state: TableState::Invalid, ..design("bad", &["-", "-"]) };
    let designs = [invalid, design("A", &["8 8", "1 10"]), design("B", &["1 1", "1 10"])];
    assert_eq!(
        headline(&Scoreboard::new(&two(), &designs, &Scale::default())),
        "\u{201c}B\u{201d} wins with 110 blocks per second (\u{201c}A\u{201d}: 810)"
    );
}

#[test]
fn a_plan_is_described_in_a_few_words() {
    let said = |kind, ranges| {
        let QueryOutcome::Answered(cost) = outcome("1 1") else { panic!("it has an answer") };
        (messages().advice.plan)(&QueryCost { kind, ranges, ..cost })
    };
    assert_eq!(said(PlanKind::Points, 1), "point read");
    assert_eq!(said(PlanKind::Points, 3), "3 point reads");
    assert_eq!(said(PlanKind::OneRange, 1), "1 range");
    assert_eq!(said(PlanKind::Ranges, 1_024), "1,024 ranges");
    assert_eq!(
        (said(PlanKind::Scan, 8), said(PlanKind::Nothing, 0)),
        ("full scan".into(), "nothing to read".into())
    );
}

#[test]
fn a_design_with_hot_writes_does_not_win_by_its_reads() {
    let hot = DesignCosts { is_hot: true, ..design("hot", &["1 1", "1 1"]) };
    assert_eq!(
        said(&two(), &[hot.clone(), design("spread", &["8 8", "8 8"])]),
        "\u{201c}spread\u{201d} wins: it spreads its writes. The writes of \u{201c}hot\u{201d} go to only a few tablets, and \
         adding nodes does not help. \u{201c}spread\u{201d} needs 808 blocks per second (\u{201c}hot\u{201d}: 101). It loses on \
         \u{201c}user\u{201d} (8 ranges, 8 blocks; \u{201c}hot\u{201d}: 1 range, 1 block) and \u{201c}type\u{201d} (8 ranges, 8 \
         blocks; \u{201c}hot\u{201d}: 1 range, 1 block)."
    );
    // Three designs: a cheap one that is hot is mentioned.
    let three = [hot.clone(), design("A", &["8 8", "8 8"]), design("B", &["9 9", "8 8"])];
    let text = said(&two(), &three);
    assert!(
        text.contains("\u{201c}hot\u{201d} needs only 101, but its writes go to only a few tablets."),
        "{text}"
    );
    // A design that is hot and needs more has its figure in the headline, because the reasons
    // compare it.
    let dear = DesignCosts { is_hot: true, ..design("dear", &["scan 50", "1 1"]) };
    let text = said(&two(), &[design("A", &["1 1", "1 1"]), design("B", &["1 90", "1 1"]), dear]);
    let headline = "\u{201c}A\u{201d} wins with 101 blocks per second (\u{201c}B\u{201d}: 9,001; \u{201c}dear\u{201d}: 5,001). ";
    assert!(text.starts_with(headline) && text.contains("\u{201c}dear\u{201d} for 1 of 2"), "{text}");
    // Answers count more, and among hot designs the reads decide.
    assert!(
        said(&two(), &[hot.clone(), design("A", &["1 1", "no"])])
            .starts_with("\u{201c}hot\u{201d} comes first: it answers")
    );
    let worse = DesignCosts { is_hot: true, ..design("worse", &["1 9", "1 9"]) };
    let text = said(&two(), &[hot, worse]);
    assert!(text.starts_with("\u{201c}hot\u{201d} comes first with 101 blocks per second"), "{text}");
}

#[test]
fn the_latest_of_each_are_the_rows_of_entities() {
    let mut queries = two();
    queries[0].query.filter = Some(RowFilter::Chain(vec![RowFilter::CellsPerColumnLimit(1)]));
    let returns = |name: &str, kind: LayoutKind, rows: u64| {
        let mut costs = design(name, &["scan 5", "1 1"]);
        costs.design.layout.kind = kind;
        for outcome in &mut costs.outcomes {
            let QueryOutcome::Answered(cost) = outcome else { unreachable!() };
            cost.stats.rows_returned = rows;
        }
        costs
    };
    let designs =
        [returns("narrow", LayoutKind::Narrow, 20_000), returns("entities", LayoutKind::RowPerEntity, 500)];
    let board = Scoreboard::new(&queries, &designs, &Scale::default());
    assert_eq!(board.shortfall(0, 0), Some(Shortfall::OlderRows { latest: 500 }));
    assert_eq!(
        [board.shortfall(1, 0), board.shortfall(0, 1), board.shortfall(1, 1)],
        [None; 3],
        "without a limit of cells"
    );
    // It counts as an answer, and decides between designs that need the same number of blocks.
    assert_eq!(board.totals[0].map(|total| (total.standing.unanswered, total.with_older_rows)), Some((0, 1)));
    assert!(
        matches!(board.ranking, Ranking::Best { design: 1, because: Criterion::OlderRows, .. }),
        "{:?}",
        board.ranking
    );
    assert_eq!(
        reasons(&board),
        "For the same number of blocks, it returns only the latest rows; \u{201c}narrow\u{201d} returns older rows for 1 \
         pattern."
    );
    assert_eq!(
        notes(&board),
        [
            "\u{201c}narrow\u{201d} returns 20,000 rows for \u{201c}user\u{201d}, where 500 would be enough: it counts as an \
             answer because no row is missing, but the application has to discard the others."
        ]
    );
    let mut fewer = designs.clone();
    fewer[0].outcomes[0] = returns("narrow", LayoutKind::Narrow, 20_000).outcomes.swap_remove(1);
    let board = Scoreboard::new(&queries, &fewer, &Scale::default());
    assert!(
        matches!(board.ranking, Ranking::Best { design: 0, because: Criterion::Flaw(Flaw::Scans), .. }),
        "a scan that is spared counts more"
    );
    assert_eq!(notes(&board).len(), 1, "the winner does not hide it");
    // A design that loses rows is no measure for others.
    let lossy = [returns("A", LayoutKind::Narrow, 20_000), returns("B", LayoutKind::Wide, 500)];
    assert_eq!(Scoreboard::new(&queries, &lossy, &Scale::default()).shortfall(0, 0), None);
}

#[test]
fn without_rows_of_entities_every_row_comes_back_for_the_latest_of_each() {
    let mut queries = two();
    queries[0].query.filter = Some(RowFilter::CellsPerColumnLimit(1));
    // All cells of 50 rows, or fewer.
    let returns = |name: &str, cells: u64| {
        let mut costs = design(name, &["scan 5", "1 1"]);
        let QueryOutcome::Answered(cost) = &mut costs.outcomes[0] else { unreachable!() };
        (cost.stats.rows_returned, cost.stats.cells_returned) = (50, cells);
        costs
    };
    let notes = |designs: &[DesignCosts]| notes(&Scoreboard::new(&queries, designs, &Scale::default()));
    let all = [returns("A", 50), returns("B", 50)];
    let board = Scoreboard::new(&queries, &all, &Scale::default());
    assert_eq!(
        [0, 1].map(|design| board.shortfall(design, 0)),
        [Some(Shortfall::EveryRow { entities: None }); 2]
    );
    assert_eq!(board.shortfall(0, 1), None, "without a limit of cells");
    assert_eq!(board.totals[0].map(|total| (total.standing.unanswered, total.with_older_rows)), Some((0, 1)));
    assert_eq!(
        notes(&all),
        [
            "\u{201c}user\u{201d} asks for the latest of each, and no design has a row for each entity: every row comes back, \
             including older ones. It counts as an answer because no row is missing, but the application has to discard the \
             others."
        ]
    );
    // With a key without the time, a column has several cells, of which the filter keeps one.
    let some = [returns("A", 50), returns("B", 20), returns("C", 50)];
    assert!(
        notes(&some)[0]
            .contains("\u{201c}A\u{201d} and \u{201c}C\u{201d} have no row for each entity: every row"),
        "{:?}",
        notes(&some)
    );
    let mut limited = queries.clone();
    limited[0].query.rows_limit = 50;
    assert_eq!(
        (messages().advice.ranking_notes)(&Scoreboard::new(&limited, &all, &Scale::default())),
        [""; 0],
        "some rows say nothing about all"
    );
}

#[test]
fn a_design_that_loses_events_never_wins() {
    let queries = two();
    let lossy = DesignCosts { lost: 580, ..design("lossy", &["1 1", "1 1"]) };
    let kept = design("kept", &["scan 50", "scan 50"]);
    let designs = [lossy.clone(), kept];
    let board = Scoreboard::new(&queries, &designs, &Scale::default());
    assert!(
        matches!(board.ranking, Ranking::Best { design: 1, because: Criterion::Flaw(Flaw::LosesEvents), .. }),
        "{:?}",
        board.ranking
    );
    let designs = [lossy.clone(), DesignCosts { lost: 1, ..lossy }];
    assert_eq!(Scoreboard::new(&queries, &designs, &Scale::default()).ranking, Ranking::NoneCanWin);
}

#[test]
fn a_design_with_a_flaw_comes_first_but_does_not_win() {
    // Both scan for one pattern, so neither gets a tick.
    let designs = [design("A", &["1 1", "scan 40"]), design("B", &["1 2", "scan 50"])];
    let queries = two();
    let board = Scoreboard::new(&queries, &designs, &Scale::default());
    assert_eq!(board.flaw_of_best(), Some(Flaw::Scans));
    assert_eq!(
        headline(&board),
        "\u{201c}A\u{201d} comes first with 140 blocks per second (\u{201c}B\u{201d}: 250), but it scans the whole table for 1 pattern"
    );
    // A batch may scan.
    let batch = [pattern("user", 100.0), pattern("type", 0.0)];
    let board = Scoreboard::new(&batch, &designs, &Scale::default());
    assert_eq!(board.flaw_of_best(), None);
    assert!(headline(&board).contains("A\u{201d} wins with 100 blocks per second"), "{}", headline(&board));
    let mut lossy = designs.clone();
    lossy.iter_mut().for_each(|costs| costs.lost = 1);
    let board = Scoreboard::new(&queries, &lossy, &Scale::default());
    assert_eq!((board.ranking.clone(), board.flaw_of_best()), (Ranking::NoneCanWin, None));
}

#[test]
fn designs_are_judged_at_the_stated_scale() {
    use tabletop_advice::LargestRow;
    let queries = [pattern("user", 100.0)];
    let mut designs = [design("row", &["1 1"]), design("rows", &["1 3"])];
    designs[0].largest_row = Some(LargestRow { bytes: 10_000, grows: true });
    let best =
        |designs: &[DesignCosts], scale: &Scale| match Scoreboard::new(&queries, designs, scale).ranking {
            Ranking::Best { design, because, .. } => Some((design, because)),
            _ => None,
        };
    assert_eq!(best(&designs, &Scale::default()), Some((0, Criterion::Blocks)));
    // 100 events are loaded, and a row of them becomes 10,000 times as large.
    let kept = Scale { events_kept: Some(1_000_001.0), ..Scale::default() };
    assert_eq!(best(&designs, &kept), Some((1, Criterion::Flaw(Flaw::HugeRow))));
    // At the stated rate, one tablet gets more than a node takes.
    let mut hot = designs.clone();
    (hot[0].is_hot, hot[0].heat, hot[0].largest_row) = (true, 1.0, None);
    hot[1].is_hot = true;
    let rate = Scale { writes_per_second: Some(9_000.0), node_writes: 8_400.0, ..Scale::default() };
    assert_eq!(best(&hot, &rate), Some((1, Criterion::Flaw(Flaw::ExceedsNode))));
    assert_eq!(best(&hot, &Scale::default()), Some((0, Criterion::Blocks)));
}

#[test]
fn a_reverse_scan_and_rows_in_another_order_are_said() {
    use tabletop_keys::Newest;
    let rows = RowChoice::Fields { equals: vec![("user".into(), "u".into())], from: None, until: None };
    let last = Query { rows, filter: None, rows_limit: 10, reversed: true };
    let queries = [NamedQuery::new("Last 10", last)];
    let newest = |name: &str, newest: Newest, rows: u64| {
        let mut costs = design(name, &["1 1"]);
        let QueryOutcome::Answered(cost) = &mut costs.outcomes[0] else { unreachable!() };
        (cost.newest, cost.stats.rows_returned) = (Some(newest), rows);
        costs
    };
    let designs = [
        newest("first", Newest::First, 10),
        newest("last", Newest::Last, 10),
        newest("any", Newest::Anywhere, 70),
    ];
    let board = Scoreboard::new(&queries, &designs, &Scale::default());
    assert_eq!(board.shortfall(2, 0), Some(Shortfall::OlderRows { latest: 10 }));
    assert_eq!([0, 1].map(|at| board.shortfall(at, 0)), [None; 2]);
    let said = notes(&board);
    assert!(said.iter().any(|note| note.contains("\u{201c}any\u{201d} returns 70 rows")), "{said:?}");
    assert!(said.iter().any(|note| note.contains("reverse scan on \u{201c}last\u{201d}")), "{said:?}");
}
