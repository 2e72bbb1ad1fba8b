//! The report that compares the designs.

use serde::Serialize;
use tabletop_advice::{DesignCosts, Scale, Scoreboard};
use tabletop_keys::{bytes, rate, thousands};
use tabletop_model::printable;
use tabletop_texts::messages;
use tabletop_views::markdown;
use tabletop_workspace::{LoadProblem, Miss, NamedQuery, Workspace};

use super::events::Loaded;
use super::grid::{Grid, on_one_line};
use super::instance::OnInstance;
use super::measure::{Measured, MeasuredQuery};
use crate::commands::report::Verdict;
use crate::commands::shell::described;
use crate::commands::{Failure, Result, counted};

/// The longest line of remarks, in characters.
const LINE_CHARS_MAX: usize = 100;

/// The measurements of all designs.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    workspace: String,
    source: String,
    events: usize,
    bad_lines: u64,
    problems: Vec<LoadProblem>,
    designs: Vec<Measured>,
    /// The real instance that was queried, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    /// Which design wins by its access patterns, and why; `None` if there is only one.
    ranking: Option<String>,
    /// Answers with more rows than an access pattern asks for, one sentence each.
    notes: Vec<String>,
    /// Whether the workspace has a limit.
    is_limited: bool,
    /// The number of violated limits, unanswered access patterns and wrong answers.
    failures: usize,
}

impl Report {
    pub(crate) fn new(
        workspace: &Workspace,
        loaded: &Loaded,
        queries: &[NamedQuery],
        designs: Vec<Measured>,
        instance: Option<String>,
    ) -> Report {
        let costs: Vec<DesignCosts> = designs.iter().map(|design| design.costs.clone()).collect();
        let costs = DesignCosts::of_designs(&costs, queries);
        let board = Scoreboard::new(queries, &costs, &Scale::of(workspace));
        Report {
            workspace: workspace.name.clone(),
            source: loaded.source.clone(),
            events: loaded.events.len(),
            bad_lines: loaded.bad_lines,
            problems: loaded.problems.clone(),
            is_limited: !workspace.limits.is_empty()
                || workspace.queries.iter().any(|named| !named.limits.is_empty()),
            failures: designs.iter().map(Measured::failures).sum(),
            ranking: ranking(&board, costs.len()),
            notes: (messages().advice.ranking_notes)(&board),
            instance,
            designs,
        }
    }

    /// Returns the failure that determines the exit code. The report has the details.
    pub(crate) fn verdict(&self, bad_records_are_allowed: bool) -> Result<()> {
        if self.designs.iter().any(|design| !design.problems.is_empty()) {
            return Err(Failure::Wrong(
                "the template of a design has problems: the design was not built".into(),
            ));
        }
        let unanswered: usize = self.designs.iter().map(Measured::unanswered).sum();
        let wrong: usize = self.designs.iter().map(Measured::wrong_answers).sum();
        let missed = self.failures - unanswered - wrong;
        let reasons = [
            (missed, "limit is violated", "limits are violated"),
            (wrong, "answer differs from a plain filter", "answers differ from a plain filter"),
            (unanswered, "access pattern cannot be answered", "access patterns cannot be answered"),
        ];
        let reasons = reasons.iter().filter(|(count, ..)| *count > 0);
        let mut reasons: Vec<String> =
            reasons.map(|(count, one, many)| counted(*count as u64, one, many)).collect();
        if self.bad_lines > 0 && !bad_records_are_allowed {
            reasons.push(format!("{} (--allow-bad-records allows this)", self.bad_records()));
        }
        if reasons.is_empty() { Ok(()) } else { Err(Failure::No(reasons.join(", "))) }
    }

    /// Formats the report for a terminal, with styles.
    pub(crate) fn text(&self) -> String {
        let grids = [self.designs_grid(), self.queries_grid(), self.totals_grid()];
        let mut out = format!("{}\n\n{}", self.headline(), grids.map(|grid| grid.text()).join("\n"));
        let mut paragraph = |lines: &[String]| {
            let lines: String = lines.iter().map(|line| wrapped(&on_one_line(line)) + "\n").collect();
            if !lines.is_empty() {
                out += &format!("\n{lines}");
            }
        };
        paragraph(self.ranking.as_slice());
        let lines = self.lines();
        paragraph(&lines.remarks);
        out + "\n" + &Verdict { remarks: Vec::new(), ..lines }.text()
    }

    /// Formats the report as Markdown. Times are left out: they differ in each run and would make
    /// every comparison look like a change.
    pub(crate) fn markdown(&self) -> String {
        let grids = [self.designs_grid(), self.queries_grid(), self.totals_grid()];
        let grids = grids.map(|grid| grid.without_last().markdown() + "\n").concat();
        let mut out = format!("## {}\n\n{grids}", markdown::text(&self.headline()));
        if let Some(ranking) = &self.ranking {
            out += &format!("{}\n\n", markdown::text(&on_one_line(ranking)));
        }
        out + &self.lines().markdown()
    }

    fn lines(&self) -> Verdict {
        let success = if self.is_limited {
            "All limits are met."
        } else {
            "There are no limits: the workspace can set limits for its designs and access patterns."
        };
        Verdict { remarks: self.remarks(), failures: self.failure_lines(), success }
    }

    fn headline(&self) -> String {
        on_one_line(&format!("{}: {} events, {}", self.workspace, thousands(self.events as u64), self.source))
    }

    fn designs_grid(&self) -> Grid {
        let head = vec![
            "DESIGN",
            "TEMPLATE",
            "ROWS",
            "CELLS",
            "STORED",
            "TABLETS",
            "SPLITS",
            "HOTTEST TABLET",
            "OVER MEDIAN",
            "LONGEST KEY",
            "BUILT IN",
        ];
        let mut grid = Grid::new(head, 2);
        for design in &self.designs {
            let built = design.problems.is_empty();
            let shown = |text: String| if built { text } else { "-".into() };
            grid.push(vec![
                match &design.index_of {
                    Some(of) => format!("{} (index of {of})", design.name),
                    None => design.name.clone(),
                },
                design.template.clone(),
                shown(thousands(design.rows)),
                shown(thousands(design.cells)),
                shown(bytes(design.bytes)),
                shown(thousands(design.tablets as u64)),
                shown(thousands(design.splits)),
                shown(format!("{:.0}% of writes", design.cost.hottest_tablet_share * 100.0)),
                shown(design.hottest_times_median.map_or("-".into(), |times| format!("{times:.1} times"))),
                shown(format!("{} B", thousands(design.cost.key_bytes))),
                shown(time(design.elapsed_micros)),
            ]);
        }
        grid
    }

    fn queries_grid(&self) -> Grid {
        let head = vec![
            "ACCESS PATTERN",
            "DESIGN",
            "LIMITS",
            "PLAN",
            "READS/S",
            "ROWS SEEN",
            "RETURNED",
            "CELLS SEEN",
            "READ",
            "BLOCKS",
            "TABLETS",
            "RANGES",
            "TIME",
        ];
        let mut grid = Grid::new(head, 4);
        // The lines of one access pattern follow each other.
        let names = self.designs.iter().find(|design| !design.queries.is_empty());
        for index in 0..names.map_or(0, |design| design.queries.len()) {
            for design in &self.designs {
                if index < design.queries.len() {
                    grid.push(query_line(design, index));
                    if let Some(asked) = &design.queries[index].instance {
                        grid.push(instance_line(design, &design.queries[index], asked));
                    }
                }
            }
        }
        grid
    }

    /// The totals of the access patterns for each design, at their reads per second.
    fn totals_grid(&self) -> Grid {
        let head = vec!["DESIGN", "BLOCKS/S", "ROWS SEEN/S", "CELLS SEEN/S", "TIME/S"];
        let mut grid = Grid::new(head, 1);
        for design in self.designs.iter().filter(|design| design.index_of.is_none() || design.total.is_some())
        {
            let numbers = match &design.total {
                None => vec!["-".into(); 4],
                Some(total) => vec![
                    rate(total.blocks_per_second),
                    rate(total.rows_seen_per_second),
                    rate(total.cells_seen_per_second),
                    time(design.queries.iter().map(MeasuredQuery::micros_per_second).sum::<f64>() as u64),
                ],
            };
            grid.push([vec![design.name.clone()], numbers].concat());
        }
        grid
    }

    /// Returns remarks that are not failures.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        if self.bad_lines > 0 {
            remarks.push(self.bad_records());
        }
        if let Some(instance) = &self.instance {
            let uncounted = |query: &MeasuredQuery| {
                query
                    .instance
                    .as_ref()
                    .is_some_and(|asked| asked.error.is_none() && asked.rows_seen.is_none())
            };
            let lacks_counts =
                |query: &MeasuredQuery| query.instance.as_ref().is_some_and(|asked| asked.lacks_counts);
            let any = |has: &dyn Fn(&MeasuredQuery) -> bool| {
                self.designs.iter().flat_map(|design| &design.queries).any(has)
            };
            let counts = match (any(&uncounted), any(&lacks_counts)) {
                (false, _) => "",
                (true, false) => ", which does not count what it sees",
                (true, true) => {
                    ", which does not count what it sees: rows_seen_per_row_max and cells_seen_max are compared with the counts \
                     here only"
                }
            };
            remarks
                .push(format!("Lines \"on the instance\" have the counts and times of {instance}{counts}."));
        }
        for design in &self.designs {
            if let Some(refusal) = &design.refusal {
                let refused = thousands(design.cost.events_refused);
                remarks.push(format!("{}: {refused} events cannot be stored: {refusal}", design.name));
            }
            if let Some(overwritten) = &design.overwritten {
                remarks.push(format!("{}: {}", design.name, overwritten.text()));
            }
            let warnings = design.warnings.iter();
            remarks.extend(
                warnings
                    .map(|warning| format!("{}: {} ({})", design.name, warning.message, warning.evidence)),
            );
        }
        remarks.iter().map(|remark| printable(remark).into_owned()).collect()
    }

    /// Describes the number of records that could not be read, and the problem of the first.
    fn bad_records(&self) -> String {
        let first = self.problems.iter().find(|problem| problem.lost).map_or(String::new(), |problem| {
            format!(": line {}, column {}: {}", problem.line, problem.column, problem.message)
        });
        let records = if self.bad_lines == 1 { "record" } else { "records" };
        format!("{} {records} could not be read{first}", thousands(self.bad_lines))
    }

    fn failure_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for design in &self.designs {
            let name = &design.name;
            if !design.problems.is_empty() {
                lines.push(format!(
                    "{name}: the template is invalid: {}",
                    described(&design.template, &design.problems)
                ));
            }
            let missed = |what: String| move |miss: &Miss| format!("{what}: {}", miss.text());
            lines.extend(design.misses.iter().map(missed(name.clone())));
            for measured_query in &design.queries {
                if let Some(error) = &measured_query.error {
                    lines.push(format!("{name}, {}: cannot be answered: {error}", measured_query.name));
                }
                if let Some(wrong) = &measured_query.wrong {
                    lines.push(format!("{name}: {}", (messages().advice.answer)(wrong)));
                }
                lines.extend(
                    measured_query.misses.iter().map(missed(format!("{name}, {}", measured_query.name))),
                );
                if let Some(asked) = &measured_query.instance {
                    let what = format!("{name}, {}, on the instance", measured_query.name);
                    lines.extend(asked.error.iter().map(|error| format!("{what}: not answered: {error}")));
                    lines.extend(asked.misses.iter().map(missed(what)));
                }
            }
        }
        lines.iter().map(|line| printable(line).into_owned()).collect()
    }
}

/// Returns which design wins by its access patterns, and why; `None` for one design.
fn ranking(board: &Scoreboard<'_>, designs: usize) -> Option<String> {
    let sentence = match (messages().advice.ranking_reasons)(board) {
        reasons if reasons.is_empty() => format!("{}.", (messages().advice.ranking)(board)),
        reasons => format!("{}. {reasons}", (messages().advice.ranking)(board)),
    };
    (designs > 1).then_some(sentence)
}

fn query_line(design: &Measured, index: usize) -> Vec<String> {
    let measured_query = &design.queries[index];
    let stats = &measured_query.stats;
    let MeasuredQuery { error, misses, is_limited, .. } = measured_query;
    let verdict = match &measured_query.wrong {
        Some(_) => "wrong",
        None => verdict(error.as_ref(), misses, *is_limited),
    };
    let plan = measured_query.plan.clone();
    let reads = rate(measured_query.reads_per_second);
    let mut line =
        vec![measured_query.name.clone(), table_of(design, measured_query), verdict.into(), plan, reads];
    let numbers = [
        thousands(stats.rows_seen),
        thousands(stats.rows_returned),
        thousands(stats.cells_seen),
        bytes(stats.bytes_read),
        thousands(stats.blocks_read + stats.cache_hits),
        thousands(stats.tablets_touched),
        thousands(measured_query.ranges.into()),
        time(measured_query.elapsed_micros),
    ];
    let is_answered = measured_query.error.is_none();
    line.extend(numbers.into_iter().map(|number| if is_answered { number } else { "-".into() }));
    line
}

/// Returns whether an access pattern is answered within its limits, for a column.
fn verdict<E>(error: Option<&E>, misses: &[Miss], is_limited: bool) -> &'static str {
    match (error, misses, is_limited) {
        (Some(_), ..) => "no answer",
        (None, [_, ..], _) => "missed",
        (None, [], true) => "kept",
        (None, [], false) => "-",
    }
}

/// Returns the name of a design, and of its index table if an access pattern reads it.
fn table_of(design: &Measured, measured_query: &MeasuredQuery) -> String {
    match &measured_query.table {
        Some(index) => format!("{} ({index})", design.name),
        None => design.name.clone(),
    }
}

/// Returns the line of an access pattern on a real instance, which follows the line for this
/// machine.
fn instance_line(design: &Measured, measured_query: &MeasuredQuery, asked: &OnInstance) -> Vec<String> {
    let verdict = verdict(asked.error.as_ref(), &asked.misses, asked.is_limited);
    let count = |count: Option<u64>| count.map_or("-".into(), thousands);
    let returned = Some(asked.rows_returned).filter(|_| asked.error.is_none());
    let (table, plan) = (table_of(design, measured_query), "on the instance".into());
    let mut line = vec![measured_query.name.clone(), table, verdict.into(), plan, "-".into()];
    line.extend([count(asked.rows_seen), count(returned), count(asked.cells_seen)]);
    line.extend(vec!["-".to_string(); 3]);
    line.extend([thousands(asked.reads.into()), time(asked.elapsed_micros)]);
    line
}

/// Wraps a remark into lines for a terminal.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let chars = word.chars().count();
        if width > 0 && width + 1 + chars > LINE_CHARS_MAX {
            out.push_str("\n  ");
            width = 2;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += chars;
    }
    out
}

fn time(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{:.2} s", micros as f64 / 1e6),
    }
}
