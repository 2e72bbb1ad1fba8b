//! A trace: requests that the user's own service received, to be replayed at their original times.

use std::ops::Range;

use tabletop_keys::time;
use tabletop_workspace::{
    Format, KeyChoice, LoadProblem, OnBadLine, OwnData, REPLAY_ONE_OF_MAX, RUN_SECONDS_MAX, Replay,
    ReplayOperation, STREAM_NAME_CHARS_MAX, Schedule, Stream, StreamKind, TraceStreams,
};

use crate::events::{Events, Reader};
use crate::random::Random;

/// The maximum number of problems that are reported.
pub const TRACE_PROBLEMS_MAX: usize = 100;
/// The seed of the choice of requests for a sample.
const SAMPLE_SEED: u64 = 0x7472_6163;
/// The largest time in seconds, to either side of 0: 300 years.
const SECONDS_MAX: f64 = 300.0 * 366.0 * 86_400.0;

/// Requests in the order of their times. The keys are row keys as text: they do not depend on the
/// events or on a template.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    requests: Vec<TraceRequest>,
    /// All keys, one after another.
    keys: String,
}

/// A request of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// The time since the first request.
    pub at_nanos: u64,
    /// What the request does.
    pub operation: ReplayOperation,
    /// The range of its key, see [`Trace::key`].
    key: Range<usize>,
}

impl Trace {
    /// Reads CSV with a header line and the columns `time`, `operation` and `key`, in any order;
    /// other columns are ignored. Delimiters and quotes are those of event files.
    ///
    /// - A time is a number of seconds (`0.25`, `1559001600.5`), an ISO time, or a whole number of
    ///   milliseconds or microseconds since 1970 (11 or more digits). Times are relative to the
    ///   first one, and lines need not be in order.
    /// - An operation is `read`, `write`, `scan`, `rmw` or `delete`, in any case.
    /// - A key is the text of a row key, and not empty.
    ///
    /// A line with a problem is left out. The problems are in the order of the lines, and only the
    /// first hundred are returned. A problem with a value has column 1.
    pub fn read(bytes: &[u8]) -> (Trace, Vec<LoadProblem>) {
        let own = OwnData {
            name: String::new(),
            format: Format::Csv,
            fields: Vec::new(),
            on_bad_line: OnBadLine::Skip,
            reading: Default::default(),
            content: None,
        };
        let (mut reader, mut events) = (Reader::new(&own), Events::default());
        let mut problems = Vec::new();
        // The line where each record ends is known if each line is read separately.
        let mut lines = Vec::new();
        let mut rest = bytes.split_inclusive(|&byte| byte == b'\n').peekable();
        let mut line = 0;
        while let Some(text) = rest.next() {
            line += 1;
            let fed = reader.feed(text, rest.peek().is_none(), &mut events);
            lines.resize(events.len(), line);
            if let Err(error) = fed {
                // A header that cannot be read is only reported as an error. So is a file that is
                // too large.
                problems.push(LoadProblem { line, column: 1, message: error.message, lost: true });
                break;
            }
        }
        problems.extend(reader.problems().iter().cloned());
        let trace = Trace::of(&events, &lines, &mut problems);
        problems.sort_by_key(|problem| (problem.line, problem.column));
        problems.truncate(TRACE_PROBLEMS_MAX);
        (trace, problems)
    }

    /// Converts records that end at these lines.
    fn of(events: &Events, lines: &[u64], problems: &mut Vec<LoadProblem>) -> Trace {
        let mut report =
            |line, message: String| problems.push(LoadProblem { line, column: 1, message, lost: true });
        let column =
            |name: &str| events.fields().iter().position(|field| field.name.eq_ignore_ascii_case(name));
        let columns = ["time", "operation", "key"].map(column);
        let [Some(time), Some(operation), Some(key)] = columns else {
            let found: Vec<&str> = events.fields().iter().map(|field| field.name.as_str()).collect();
            let found = if found.is_empty() { "none".into() } else { found.join(", ") };
            report(
                1,
                format!(
                    "A trace needs the columns time, operation and key, and the first line has {found}: name them there."
                ),
            );
            return Trace::default();
        };
        let mut trace = Trace::default();
        let mut found: Vec<(i128, TraceRequest)> = Vec::new();
        let mut bad_lines = 0;
        for (index, &line) in lines.iter().enumerate() {
            let text = |column| events.value(index, column).unwrap_or_default();
            let read = nanos(text(time)).and_then(|nanos| {
                let operation = operation_of(text(operation))?;
                if text(key).is_empty() {
                    return Err("The key is empty: name a row key.".into());
                }
                Ok((nanos, operation))
            });
            match read {
                Ok((nanos, operation)) => {
                    let start = trace.keys.len();
                    trace.keys.push_str(text(key));
                    found
                        .push((nanos, TraceRequest { at_nanos: 0, operation, key: start..trace.keys.len() }));
                }
                Err(message) => {
                    bad_lines += 1;
                    if bad_lines <= TRACE_PROBLEMS_MAX {
                        report(line, message);
                    }
                }
            }
        }
        // Requests at the same time stay in the order of the lines.
        found.sort_by_key(|(nanos, _)| *nanos);
        let first = found.first().map_or(0, |(nanos, _)| *nanos);
        // Times are at most 600 years apart, which is 1.9e19 nanoseconds. A time that does not fit
        // becomes the largest number.
        let at = |nanos: i128| u64::try_from(nanos - first).unwrap_or(u64::MAX);
        trace.requests = found
            .into_iter()
            .map(|(nanos, request)| TraceRequest { at_nanos: at(nanos), ..request })
            .collect();
        trace
    }

    /// Returns all requests, in the order of their times.
    pub fn requests(&self) -> &[TraceRequest] {
        &self.requests
    }

    /// Returns the requests in a slice of time, in nanoseconds since the first one.
    pub fn between(&self, from_nanos: u64, until_nanos: u64) -> &[TraceRequest] {
        let before = |nanos: u64| self.requests.partition_point(|request| request.at_nanos < nanos);
        let from = before(from_nanos);
        &self.requests[from..before(until_nanos).max(from)]
    }

    /// Returns a stream for each operation. Together they replay all requests, or at most `most` of
    /// them: one of each group of neighbours in time, which then stands for its group. A trace of
    /// more than a day is replayed faster, so that it fits into a day. `name` is the name of the
    /// trace.
    pub fn streams(&self, name: &str, most: usize, problems: Vec<LoadProblem>) -> TraceStreams {
        let group = self.requests.len().div_ceil(most.max(1)).clamp(1, REPLAY_ONE_OF_MAX as usize);
        let mut random = Random::new(SAMPLE_SEED);
        // A random one of each group: every tenth request could always be of the same operation.
        let kept: Vec<&TraceRequest> = self
            .requests
            .chunks(group)
            .map(|group| &group[random.below(group.len() as u64) as usize])
            .collect();
        let first = kept.first().map_or(0, |first| first.at_nanos);
        let seconds = |request: &TraceRequest| (request.at_nanos - first) as f64 / 1e9;
        let last = kept.last().map_or(0.0, |last| seconds(last));
        let speed = (last / f64::from(RUN_SECONDS_MAX - 1)).ceil().max(1.0);
        let of = |operation: ReplayOperation| {
            let requests = kept.iter().filter(|request| request.operation == operation);
            let requests: Vec<(f64, String)> =
                requests.map(|request| (seconds(request), self.key(request).to_owned())).collect();
            let of = format!(": {}", operation.name());
            (!requests.is_empty()).then(|| Stream {
                // The name of a file may be longer than the name of a stream may be.
                name: name.chars().take(STREAM_NAME_CHARS_MAX - of.len()).chain(of.chars()).collect(),
                per_second: (requests.len() * group) as f64 / (last / speed).max(1.0),
                what: StreamKind::Replay(Replay {
                    one_of: group as u32,
                    speed,
                    ..Replay::new(operation, requests)
                }),
                keys: KeyChoice::AsEvents,
                when: Schedule::Constant,
            })
        };
        TraceStreams {
            streams: ReplayOperation::NAMES.iter().filter_map(|(_, operation)| of(*operation)).collect(),
            requests: self.requests.len().try_into().unwrap_or(u32::MAX),
            replayed: kept.len() as u32,
            speed,
            seconds: (last / speed) as u32 + 1,
            problems,
        }
    }

    /// Returns the row key of a request of this trace.
    ///
    /// # Panics
    /// Panics if the request belongs to another trace.
    pub fn key(&self, request: &TraceRequest) -> &str {
        &self.keys[request.key.clone()]
    }
}

/// Returns the operation with a name.
fn operation_of(text: &str) -> Result<ReplayOperation, String> {
    let known = ReplayOperation::NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    known.map(|(_, operation)| *operation).ok_or_else(|| {
        format!("\"{}\" is not an operation: write read, write, scan, rmw or delete.", shorten(text))
    })
}

/// Returns the nanoseconds that a text denotes, since 1970 or since any other time.
fn nanos(text: &str) -> Result<i128, String> {
    let text = text.trim();
    let is_count = text.len() > 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_count && let Ok(seconds) = text.parse::<f64>() {
        let is_near = seconds.abs() <= SECONDS_MAX;
        let too_far = || format!("The time \"{}\" is more than 300 years of seconds.", shorten(text));
        return is_near.then_some((seconds * 1e9) as i128).ok_or_else(too_far);
    }
    let micros = time::parse(text).ok_or_else(|| {
        format!(
            "\"{}\" is not a time: write seconds such as 12.5, or a time such as 2019-05-28T00:04:34Z.",
            shorten(text)
        )
    })?;
    Ok(i128::from(micros) * 1_000)
}

/// Returns the first characters of a text, for a message.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let (trace, problems) = Trace::read(text.as_bytes());
        let show = |request: &TraceRequest| {
            format!("{} {:?} {}", request.at_nanos, request.operation, trace.key(request))
        };
        let problems =
            problems.iter().map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.message));
        (trace.requests().iter().map(show).collect(), problems.collect())
    }

    #[test]
    fn requests_have_their_own_times() {
        let (requests, problems) = read(
            "time,operation,key\n10.5,read,user#1\n10,Write,\"a,b\"\n12.000000001,rmw,x\n12,scan,y\n11,delete,z",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            requests,
            [
                "0 Write a,b",
                "500000000 Read user#1",
                "1000000000 Delete z",
                "2000000000 Scan y",
                "2000000001 ReadModifyWrite x"
            ]
        );
        let (trace, _) = Trace::read(b"time,operation,key\n1,read,a\n2,read,b\n2,read,c\n5,read,d\n");
        let keys = |from, until| {
            trace.between(from, until).iter().map(|request| trace.key(request)).collect::<String>()
        };
        assert_eq!((keys(0, 1_000_000_000), keys(1_000_000_000, 4_000_000_000)), ("a".into(), "bc".into()));
        assert_eq!((keys(4_000_000_000, u64::MAX), keys(5, 1)), ("d".into(), String::new()));
    }

    fn replay(stream: &Stream) -> &Replay {
        match &stream.what {
            StreamKind::Replay(replay) => replay,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_trace_becomes_a_stream_for_each_operation() {
        let (trace, problems) =
            Trace::read(b"time,operation,key\n3,read,c\n1,write,a\nx,read,a\n1.25,read,b\n");
        let read = trace.streams("log", 10, problems);
        assert_eq!((read.requests, read.replayed, read.seconds, read.problems.len()), (3, 3, 3, 1));
        let of = |stream: &Stream| {
            let Replay { operation, requests, one_of, speed, .. } = replay(stream).clone();
            assert_eq!((one_of, speed), (1, 1.0));
            (stream.name.clone(), operation, requests, stream.per_second)
        };
        let request = |seconds: f64, key: &str| (seconds, key.to_string());
        assert_eq!(
            read.streams.iter().map(of).collect::<Vec<_>>(),
            [
                ("log: read".into(), ReplayOperation::Read, vec![request(0.25, "b"), request(2.0, "c")], 1.0),
                ("log: write".into(), ReplayOperation::Write, vec![request(0.0, "a")], 0.5),
            ]
        );
        let long = trace.streams(&"\u{e9}".repeat(200), 10, Vec::new()).streams.remove(0).name;
        assert!(long.chars().count() == STREAM_NAME_CHARS_MAX && long.contains("\u{e9}: "), "{long}");
        let none = Trace::default().streams("log", 10, Vec::new());
        assert_eq!((none.streams.len(), none.seconds), (0, 1));
    }

    #[test]
    fn a_long_trace_is_sampled_over_its_whole_time() {
        let lines: String = (0..1_000)
            .map(|at| format!("{},{},k{at:03}\n", at / 10, if at % 10 == 0 { "write" } else { "read" }))
            .collect();
        let (trace, problems) = Trace::read(format!("time,operation,key\n{lines}").as_bytes());
        let sampled = trace.streams("log", 150, problems);
        assert_eq!((sampled.requests, sampled.replayed, sampled.speed), (1_000, 143, 1.0));
        assert_eq!(sampled.seconds, 100, "to the end");
        let [reads, writes] = [0, 1].map(|at| replay(&sampled.streams[at]));
        assert_eq!((reads.one_of, writes.one_of), (7, 7), "the load stays");
        let share = writes.requests.len() as f64 / 143.0;
        assert!((0.04..0.18).contains(&share), "one in ten is a write, in the sample {share}");
        let seconds = |from: f64| reads.times().filter(|time| (from..from + 50.0).contains(time)).count();
        assert!(seconds(0.0).abs_diff(seconds(50.0)) < 15, "{} and {}", seconds(0.0), seconds(50.0));
        assert_eq!(trace.streams("log", 150, Vec::new()), sampled, "the sample is always the same");
    }

    #[test]
    fn a_trace_of_more_than_a_day_is_replayed_faster() {
        let (trace, _) = Trace::read(b"time,operation,key\n0,read,a\n100000,read,b\n604800,read,c\n");
        let week = trace.streams("log", 10, Vec::new());
        assert_eq!((week.replayed, week.speed), (3, 8.0));
        assert_eq!(week.seconds, 75_601);
        assert_eq!(replay(&week.streams[0]).times().collect::<Vec<_>>(), [0.0, 12_500.0, 75_600.0]);
        let day =
            Trace::read(b"time,operation,key\n0,read,a\n86399,read,b\n").0.streams("log", 10, Vec::new());
        assert_eq!((day.speed, day.seconds), (1.0, 86_400));
    }

    #[test]
    fn times_are_seconds_or_iso_or_counts() {
        let times = |one: &str, other: &str| {
            read(&format!("KEY;ignored;Operation;Time\nk;1;read;{one}\nk;2;read;{other}\n")).0
        };
        let expected = ["0 Read k", "1500000000 Read k"];
        assert_eq!(times("2019-05-28T00:00:00Z", "2019-05-28T02:00:01.5+02:00"), expected);
        assert_eq!(times("1559001600000", "1559001601500"), expected, "milliseconds");
        assert_eq!(times("1559001600000000", "1559001601500000"), expected, "microseconds");
        assert_eq!(times("1559001600", "1559001601.5"), expected, "seconds since 1970");
        assert_eq!(times("-1", "0.5"), expected);
        assert_eq!(
            times("20190528", "20190529.5"),
            expected,
            "a date of eight digits is a number of seconds"
        );
    }

    #[test]
    fn a_line_with_a_problem_is_left_out() {
        let text = "time,operation,key\n1,read,a\nsoon,read,a\n2,get,a\n\n3,read,\n4,read\n1e30,read,a\nNaN,read,a\n\"5\",read,\"two\nlines\"\n6,,a\n7,scan,b\n";
        let (requests, problems) = read(text);
        assert_eq!(requests, ["0 Read a", "4000000000 Read two\nlines", "6000000000 Scan b"]);
        assert_eq!(
            problems,
            [
                "3:1 \"soon\" is not a time: write seconds such as 12.5, or a time such as 2019-05-28T00:04:34Z.",
                "4:1 \"get\" is not an operation: write read, write, scan, rmw or delete.",
                "6:1 The key is empty: name a row key.",
                "7:7 This line has 2 columns and the header 3: add or remove delimiters, or quote the cell.",
                "8:1 The time \"1e30\" is more than 300 years of seconds.",
                "9:1 The time \"NaN\" is more than 300 years of seconds.",
                "12:1 \"\" is not an operation: write read, write, scan, rmw or delete.",
            ]
        );
    }

    #[test]
    fn an_invalid_trace_is_reported() {
        for (text, expected) in [
            (
                "",
                "1:1 A trace needs the columns time, operation and key, and the first line has none: name them there.",
            ),
            (
                "time,op,key\n1,read,a\n",
                "1:1 A trace needs the columns time, operation and key, and the first line has time, op, key: name them there.",
            ),
        ] {
            assert_eq!(read(text), (vec![], vec![expected.into()]), "{text}");
        }
        assert!(read("\u{1f}").0.is_empty());
        assert!(Trace::read(b"PK\x03\x04").1[0].message.contains("a ZIP archive"));
        let many = format!("time,operation,key\n{}", "x,read,a\n".repeat(1_000));
        let (requests, problems) = read(&many);
        assert_eq!((requests.len(), problems.len()), (0, 100));
        assert!(problems[99].starts_with("101:1 "));
        let (_, problems) = read(&format!("{many}{}", "1,read\n".repeat(1_000)));
        assert_eq!(problems.len(), 100, "of lines and of values together");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let text = "time,operation,key\n1,read,\u{e9}\"\n\"2\",scan,b\r\n".as_bytes();
        for at in 0..text.len() {
            for byte in [0, b'"', b'\n', b',', 0xff] {
                let mut changed = text.to_vec();
                changed[at] = byte;
                Trace::read(&changed);
                Trace::read(&changed[..at]);
            }
        }
    }
}
