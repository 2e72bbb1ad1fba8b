//! A day and a time of day in two columns, read as one time.

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

/// Two columns that are one time, which is the last field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Join {
    date: usize,
    clock: usize,
}

impl Join {
    /// Finds a day and a time of day among fields without any other time, and adds their field.
    /// `clocks` has what is known of each field that has texts, and `dates` the first text of it.
    pub(super) fn find(
        fields: &mut Vec<Field>,
        clocks: &[Option<ClockVotes>],
        first_texts: &[Option<&str>],
    ) -> Option<Join> {
        let dates: Vec<usize> = (0..fields.len()).filter(|at| fields[*at].kind == FieldKind::Time).collect();
        let formats: Option<Vec<String>> = dates
            .iter()
            .map(|&at| day_format(&fields[at], first_texts.get(at).copied().flatten()?))
            .collect();
        let formats = formats?;
        let clock_of = |at: usize| {
            let is_text = fields.get(at).is_some_and(|field| field.kind == FieldKind::Text);
            clocks.get(at)?.as_ref().filter(|_| is_text)?.format()
        };
        let all: Vec<usize> = (0..fields.len()).filter(|at| clock_of(*at).is_some()).collect();
        // A time of day belongs to the day next to it. Otherwise there must be one of each.
        let pair = |date: usize| {
            let next = [date + 1, date.wrapping_sub(1)].into_iter().find(|at| clock_of(*at).is_some());
            next.or_else(|| if let ([only], [_]) = (&all[..], &dates[..]) { Some(*only) } else { None })
        };
        let (at, date, clock) =
            dates.iter().enumerate().find_map(|(at, &date)| Some((at, date, pair(date)?)))?;
        let format = DateFormat::new(&format!("{} {}", formats[at], clock_of(clock)?)).ok()?;
        let name = Field::joined_name(&fields[date].name, &fields[clock].name);
        if fields.iter().any(|field| field.name == name) {
            return None;
        }
        fields.push(Field { format: Some(format), ..Field::new(name, FieldKind::Time) });
        Some(Join { date, clock })
    }

    /// Returns the columns of a field that an earlier reading has joined.
    pub(super) fn given(field: &Field, fields: &[Field]) -> Option<Join> {
        let (date, clock) = field.joined(fields).filter(|_| field.kind == FieldKind::Time)?;
        Some(Join { date, clock })
    }

    /// Returns the text of the whole time, if an event has both parts.
    pub(super) fn text<'t>(self, value: impl Fn(usize) -> Option<&'t str>) -> Option<String> {
        let part = |at| value(at).map(str::trim).filter(|text| !is_placeholder(text));
        Some(format!("{} {}", part(self.date)?, part(self.clock)?))
    }

    /// Returns the events with the joined field, which is the last one of `fields`.
    pub(super) fn add_to(self, events: &Events, fields: Vec<Field>) -> Events {
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

    /// Says which columns are one time.
    pub(super) fn message(self, fields: &[Field]) -> String {
        let [date, clock] = [self.date, self.clock].map(|at| &fields[at].name);
        let name = fields.last().map(|field| field.name.as_str()).unwrap_or_default();
        format!("{date} and {clock} are read as one time, which is the field {name}.")
    }
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
