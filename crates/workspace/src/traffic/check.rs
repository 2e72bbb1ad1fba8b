//! Checks a traffic: numbers must be in their ranges, and names must exist.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;

use tabletop_keys::{Field, thousands};
use tabletop_model::{Error, Result, did_you_mean};

use super::{KeyChoice, Schedule, Stream, StreamKind, Traffic};
use crate::NamedQuery;

/// The maximum number of streams in a traffic.
pub const STREAMS_MAX: usize = 64;
/// The maximum number of requests per second: of each stream without its schedule, and of all
/// streams together at the peaks of their schedules.
pub const TRAFFIC_PER_SECOND_MAX: f64 = 1e6;
/// The maximum number of rows in a scan.
pub const SCAN_ROWS_MAX: u32 = 1_000_000;
/// The maximum exponent of Zipf's law. From about 3, nearly all requests are for the first rank.
pub const EXPONENT_MAX: f64 = 10.0;
/// The maximum factor of a schedule.
pub const FACTOR_MAX: f64 = 1_000.0;
/// The maximum time in a schedule: a year.
pub const SCHEDULE_SECONDS_MAX: f64 = 366.0 * 86_400.0;
/// The maximum length of a stream's name, in characters.
pub const STREAM_NAME_CHARS_MAX: usize = 100;

/// A problem in a traffic that must be corrected before it can start. Its text is a sentence:
/// `traffic.streams[0].per_second is -1; it must be from 0 to 1000000.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrafficProblem {
    /// The index of the stream; `None` for the traffic as a whole.
    pub stream: Option<usize>,
    /// The part of the stream, or of the traffic.
    pub part: TrafficPart,
    /// The location as in the JSON of a workspace: `traffic.streams[0].per_second`.
    pub place: String,
    /// The problem, beginning with a verb and without a trailing period: `is -1; it must be from 0
    /// to 1000000`.
    pub why: String,
}

/// A part of a stream that the user edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficPart {
    /// The list of all streams.
    Streams,
    /// [`Traffic::limits`].
    Limits,
    /// [`Traffic::run`].
    Run,
    /// [`Stream::name`].
    Name,
    /// [`Stream::what`].
    What,
    /// [`Stream::per_second`].
    Rate,
    /// [`Stream::keys`].
    Keys,
    /// [`Stream::when`].
    When,
}

impl fmt::Display for TrafficProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.why.ends_with(['.', '?']) { "" } else { "." };
        write!(f, "{} {}{end}", self.place, self.why)
    }
}

impl Traffic {
    /// Returns the problems of the traffic with events of these fields and with these access
    /// patterns, in the order of the streams. Does not check whether the events have the values
    /// that streams name, because that requires reading the events.
    pub fn problems(&self, fields: &[Field], queries: &[NamedQuery]) -> Vec<TrafficProblem> {
        let mut problems = self.problems_of_numbers();
        for (index, stream) in self.streams.iter().enumerate() {
            let mut report = reporter(&mut problems, index);
            if let StreamKind::Pattern(name) = &stream.what
                && !queries.iter().any(|named| named.name == *name)
            {
                let names = queries.iter().map(|named| named.name.as_str());
                let why = format!(
                    "is \"{name}\", and no access pattern has this name{}",
                    did_you_mean(name, names)
                );
                report(TrafficPart::What, "what.pattern", why);
            }
            if let Some(name) = stream.keys.field()
                && !fields.iter().any(|field| field.name == name)
            {
                let names = fields.iter().map(|field| field.name.as_str());
                let why = format!(
                    "is \"{name}\", and the events have no field with this name{}",
                    did_you_mean(name, names)
                );
                report(TrafficPart::Keys, &format!("keys.{}.field", name_of(&stream.keys)), why);
            }
        }
        problems.sort_by_key(|problem| problem.stream);
        problems
    }

    /// Checks everything that does not depend on events and access patterns: counts, names, ranges
    /// of numbers. A workspace that refers to a field or an access pattern that does not exist can
    /// still be opened, because the user may be about to change it.
    ///
    /// # Errors
    /// `InvalidArgument`: the text of the first problem.
    #[inline(never)]
    pub fn check(&self) -> Result<()> {
        self.problems_of_numbers().first().map_or(Ok(()), |problem| Err(Error::invalid(format!("{problem}"))))
    }

    fn problems_of_numbers(&self) -> Vec<TrafficProblem> {
        let mut problems = Vec::new();
        let mut of_all = |why: String| {
            let place = "traffic.streams".into();
            problems.push(TrafficProblem { stream: None, part: TrafficPart::Streams, place, why });
        };
        if self.streams.len() > STREAMS_MAX {
            of_all(format!("has {} entries; at most {STREAMS_MAX} are allowed", self.streams.len()));
        }
        let peak: f64 = self.streams.iter().map(Stream::peak_per_second).sum();
        if peak > TRAFFIC_PER_SECOND_MAX {
            // The conversion to an integer saturates, so a number beyond the range of the type
            // becomes its largest value.
            let (peak, most) = (thousands(peak as u64), thousands(TRAFFIC_PER_SECOND_MAX as u64));
            of_all(format!("reaches {peak} requests per second at its peak; at most {most} are allowed"));
        }
        for (limit, ratio, most) in self.limits.ratios() {
            if let Some(ratio) = ratio.filter(|ratio| !(0.0..=most).contains(ratio)) {
                let (place, why) =
                    (format!("traffic.limits.{limit}"), format!("is {ratio}; it must be from 0 to {most}"));
                problems.push(TrafficProblem { stream: None, part: TrafficPart::Limits, place, why });
            }
        }
        self.run.problems(peak, &mut problems);
        // With more streams than are allowed, comparing all names would take too long.
        for (index, stream) in self.streams.iter().take(STREAMS_MAX).enumerate() {
            check_stream(stream, &self.streams[..index], &mut reporter(&mut problems, index));
        }
        problems
    }
}

/// Adds problems of the stream at `index`, each with its part, its location within the stream, and
/// the reason.
fn reporter(problems: &mut Vec<TrafficProblem>, index: usize) -> impl FnMut(TrafficPart, &str, String) {
    move |part, place, why| {
        let place = format!("traffic.streams[{index}].{place}");
        problems.push(TrafficProblem { stream: Some(index), part, place, why });
    }
}

fn check_stream(stream: &Stream, before: &[Stream], report: &mut impl FnMut(TrafficPart, &str, String)) {
    let name = stream.name.as_str();
    if name.trim().is_empty() {
        report(TrafficPart::Name, "name", "is empty; each stream needs a name".into());
    } else if name.chars().count() > STREAM_NAME_CHARS_MAX {
        report(TrafficPart::Name, "name", format!("is longer than {STREAM_NAME_CHARS_MAX} characters"));
    } else if let Some(other) = before.iter().position(|other| other.name == name) {
        report(
            TrafficPart::Name,
            "name",
            format!("is \"{name}\", as in traffic.streams[{other}]; names must be unique"),
        );
    }
    let mut within = |part, place: &str, number: f64, range: RangeInclusive<f64>| {
        if !range.contains(&number) {
            report(part, place, format!("is {number}; it must be from {} to {}", range.start(), range.end()));
        }
    };
    within(TrafficPart::Rate, "per_second", stream.per_second, 0.0..=TRAFFIC_PER_SECOND_MAX);
    if let StreamKind::Scans { rows } = stream.what {
        within(TrafficPart::What, "what.scans.rows", rows.into(), 1.0..=SCAN_ROWS_MAX.into());
    }
    if let StreamKind::Replay(replay) = &stream.what
        && let Some((place, why)) = replay.problem()
    {
        report(TrafficPart::What, &place, why);
        return;
    }
    let mut within = |part, place: &str, number: f64, range: RangeInclusive<f64>| {
        if !range.contains(&number) {
            report(part, place, format!("is {number}; it must be from {} to {}", range.start(), range.end()));
        }
    };
    let keys = |part: &str| format!("keys.{}.{part}", name_of(&stream.keys));
    match stream.keys {
        KeyChoice::Zipf { exponent, .. } | KeyChoice::Latest { exponent } => {
            within(TrafficPart::Keys, &keys("exponent"), exponent, 0.0..=EXPONENT_MAX);
        }
        KeyChoice::Hot { share, .. } => within(TrafficPart::Keys, &keys("share"), share, 0.0..=1.0),
        KeyChoice::AsEvents | KeyChoice::Uniform { .. } | KeyChoice::Sequential => {}
    }
    let mut when = |place: &str, number, range| within(TrafficPart::When, place, number, range);
    match stream.when {
        Schedule::Constant => {}
        Schedule::Ramp { factor, from_seconds, until_seconds } => {
            when("when.ramp.factor", factor, 0.0..=FACTOR_MAX);
            when("when.ramp.from_seconds", from_seconds, 0.0..=SCHEDULE_SECONDS_MAX);
            when("when.ramp.until_seconds", until_seconds, from_seconds.max(0.0)..=SCHEDULE_SECONDS_MAX);
        }
        Schedule::Sudden { factor, from_seconds, for_seconds } => {
            when("when.sudden.factor", factor, 0.0..=FACTOR_MAX);
            when("when.sudden.from_seconds", from_seconds, 0.0..=SCHEDULE_SECONDS_MAX);
            when("when.sudden.for_seconds", for_seconds, 0.0..=SCHEDULE_SECONDS_MAX);
        }
        Schedule::Periodic { period_seconds, peak_seconds, low } => {
            when("when.periodic.period_seconds", period_seconds, 1.0..=SCHEDULE_SECONDS_MAX);
            when("when.periodic.peak_seconds", peak_seconds, 0.0..=SCHEDULE_SECONDS_MAX);
            when("when.periodic.low", low, 0.0..=1.0);
        }
    }
    if let KeyChoice::Hot { field: None, value: Some(value), .. } = &stream.keys {
        report(
            TrafficPart::Keys,
            "keys.hot.value",
            format!("is \"{value}\" without a field; name the field that has this value"),
        );
    }
}

/// Returns the name of a choice in JSON.
fn name_of(keys: &KeyChoice) -> &'static str {
    match keys {
        KeyChoice::AsEvents => "as_events",
        KeyChoice::Uniform { .. } => "uniform",
        KeyChoice::Zipf { .. } => "zipf",
        KeyChoice::Latest { .. } => "latest",
        KeyChoice::Sequential => "sequential",
        KeyChoice::Hot { .. } => "hot",
    }
}
