//! The parts of a time in several columns, read as one time: a day and a time of day, or year, month
//! and day, each with an hour if there is one.

mod calendar;

use tabletop_keys::time::DateFormat;
use tabletop_keys::{Field, FieldKind, is_placeholder};

use super::Events;

/// Formats of times of day, the likeliest first.
const CLOCKS: [&str; 8] =
    ["%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%I:%M:%S%p", "%H.%M.%S"];

/// The formats of times of day that read all texts of a field so far.
#[derive(Clone, Debug)]
pub(super) struct ClockVotes {
    /// A bit for each of [`CLOCKS`].
    fits: u8,
}

impl Default for ClockVotes {
    fn default() -> Self {
        ClockVotes { fits: u8::MAX }
    }
}

impl ClockVotes {
    /// Considers the next text.
    pub(super) fn see(&mut self, text: &str) {
        // A version has dots, too, but not two digits in each of three parts.
        let is_dotted = text.len() == 8 && text.bytes().filter(|byte| *byte == b'.').count() == 2;
        let may_be_clock = text.starts_with(|first: char| first.is_ascii_digit());
        if self.fits == 0 || !may_be_clock || !(text.contains(':') || is_dotted) {
            self.fits = 0;
            return;
        }
        for (bit, clock) in CLOCKS.iter().enumerate() {
            let reads = || {
                let format = DateFormat::new(&format!("%Y-%m-%d {clock}")).expect("a format");
                format.parse(&format!("2000-01-01 {text}")).is_some()
            };
            if self.fits & 1 << bit != 0 && !reads() {
                self.fits &= !(1 << bit);
            }
        }
    }

    /// Returns whether all texts are times of day with AM or PM.
    pub(super) fn is_of_half_days(&self) -> bool {
        self.format().is_some_and(|format| format.contains("%p"))
    }

    /// Returns the format of the texts, if they are times of day.
    fn format(&self) -> Option<&'static str> {
        CLOCKS.iter().enumerate().find(|(bit, _)| self.fits & 1 << bit != 0).map(|(_, clock)| *clock)
    }
}

/// Fields that are one time, which is a field of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Join {
    /// The index of the field that is the whole time.
    pub(super) at: usize,
    /// The indices of its parts, in the order of their texts.
    parts: Vec<usize>,
}

impl Join {
    /// Finds the parts of a time among fields without any other time, and adds their field. `clocks`
    /// has what is known of each field that has texts, and `dates` the first text of it.
    pub(super) fn find(
        fields: &mut Vec<Field>,
        events: &Events,
        clocks: &[Option<ClockVotes>],
        first_texts: &[Option<&str>],
    ) -> Option<Join> {
        let dates: Vec<usize> = (0..fields.len()).filter(|at| fields[*at].kind == FieldKind::Time).collect();
        // Fields that are given are known as they are.
        let is_detected = |at: usize| clocks.get(at).is_some_and(Option::is_some);
        let (parts, format) = if dates.is_empty() {
            calendar::find(fields, events, &is_detected)?
        } else {
            day_and_clock(fields, events, &dates, clocks, first_texts, &is_detected)?
        };
        let names: Vec<&str> = parts.iter().map(|at| fields[*at].name.as_str()).collect();
        let field = Field {
            format: Some(DateFormat::new(&format).ok()?),
            ..Field::new(Field::joined_name(&names), FieldKind::Time)
        };
        if fields.iter().any(|other| other.name == field.name) || field.joined(fields) != parts {
            return None;
        }
        fields.push(field);
        Some(Join { at: fields.len() - 1, parts })
    }

    /// Returns what an earlier reading has joined to the field at `at`, if that is a time which has the
    /// texts of other `fields`.
    pub(super) fn given(field: &Field, at: usize, fields: &[Field]) -> Option<Join> {
        let parts = field.joined(fields);
        (field.kind == FieldKind::Time && !parts.is_empty()).then_some(Join { at, parts })
    }

    /// Returns the text of the whole time, if an event has all parts.
    pub(super) fn text<'t>(&self, value: impl Fn(usize) -> Option<&'t str>) -> Option<String> {
        text(&self.parts, value)
    }

    /// Returns the events with the joined field, which is the last one of `fields`.
    pub(super) fn add_to(&self, events: &Events, fields: Vec<Field>) -> Events {
        let mut joined = Events::new(fields);
        let mut values = Vec::new();
        for index in 0..events.len() {
            events.record(index, &mut values);
            let text = self.text(|at| values[at]);
            let all = values.iter().copied().chain([text.as_deref()]);
            joined.push_each(all).expect("as many events as before, and a few bytes more");
        }
        joined
    }

    /// Says which fields are one time.
    pub(super) fn message(&self, fields: &[Field]) -> String {
        let names: Vec<&str> = self.parts.iter().map(|at| fields[*at].name.as_str()).collect();
        let (last, others) = names.split_last().expect("a time has several parts");
        let name = &fields[self.at].name;
        format!("{} and {last} are read as one time, which is the field {name}.", others.join(", "))
    }
}

/// Returns the text of the time that these columns are, if an event has all of them.
fn text<'t>(parts: &[usize], value: impl Fn(usize) -> Option<&'t str>) -> Option<String> {
    let part = |at: &usize| value(*at).map(str::trim).filter(|text| !is_placeholder(text));
    let texts: Option<Vec<&str>> = parts.iter().map(part).collect();
    Some(texts?.join(" "))
}

/// Finds a day and a time of day, or a day and its hour, with their format. `dates` has the indices of
/// all times.
fn day_and_clock(
    fields: &[Field],
    events: &Events,
    dates: &[usize],
    clocks: &[Option<ClockVotes>],
    first_texts: &[Option<&str>],
    is_detected: &dyn Fn(usize) -> bool,
) -> Option<(Vec<usize>, String)> {
    let formats: Option<Vec<String>> =
        dates.iter().map(|&at| day_format(&fields[at], first_texts.get(at).copied().flatten()?)).collect();
    let formats = formats?;
    let clock_of = |at: usize| {
        let is_text = fields.get(at).is_some_and(|field| field.kind == FieldKind::Text);
        clocks.get(at)?.as_ref().filter(|_| is_text)?.format()
    };
    let all: Vec<usize> = (0..fields.len()).filter(|at| clock_of(*at).is_some()).collect();
    // A time of day belongs to the day next to it. Otherwise there must be one of each.
    let pair = |date: usize| {
        let next = [date + 1, date.wrapping_sub(1)].into_iter().find(|at| clock_of(*at).is_some());
        next.or_else(|| if let ([only], [_]) = (&all[..], dates) { Some(*only) } else { None })
    };
    let with_clock = dates.iter().zip(&formats).find_map(|(&date, format)| {
        let clock = pair(date)?;
        Some((vec![date, clock], format!("{format} {}", clock_of(clock)?)))
    });
    with_clock.or_else(|| match (dates, &formats[..]) {
        ([date], [format]) => calendar::with_hour(fields, events, *date, format, is_detected),
        _ => None,
    })
}

/// Returns the format of a field whose times are days without a time of day.
fn day_format(field: &Field, text: &str) -> Option<String> {
    match &field.format {
        Some(format) => {
            let has_clock = ["%H", "%I", "%s"].iter().any(|directive| format.as_str().contains(directive));
            (!has_clock).then(|| format.as_str().to_owned())
        }
        None if text.len() == 10 && text.contains('-') => Some("%Y-%m-%d".to_owned()),
        None if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some("%Y%m%d".to_owned())
        }
        None => None,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
