//! Detects the kinds of fields from their texts. Detection is strict: a field is text unless all of
//! its texts agree. Times are the exception: a few texts that are not times among many that are
//! would make the field text, which no query by time can use.

mod dates;
mod notes;

use tabletop_keys::{
    Field, FieldKind, Roles, is_placeholder,
    time::{self, DateFormat},
};
use tabletop_workspace::Reading;

use super::join::{ClockVotes, Join};
use super::log::{FilePosition, Log};
use super::numbers::{self, Numbers, is_float, is_int};
use super::zones::Zones;
use super::{Events, json};
use dates::{is_compact, order_by_span};
use notes::{are_days, before_1970, differs, either_way, nearly_all, rising, serial_days};

/// The number of records after which kinds are decided.
pub(super) const RECORDS: u64 = 1_000;
/// The number of records after which they are decided although the numbers of a field can be read
/// in two ways.
const RECORDS_MAX: u64 = 100_000;
/// In a field with at least this many texts, one in this many may not be a time.
const TIMES_MIN: u16 = 100;
/// The minimum number of counts since 1970 that show by their order that they are times.
const COUNTS_MIN: u16 = 3;
/// The minimum number of texts of eight or ten digits that are days, or days with an hour, by their
/// values alone.
const COMPACT_DAYS_MIN: u16 = 20;
/// The days since 1899-12-30 from 1954 to 2118.
const SERIAL_DAYS: std::ops::Range<f64> = 20_000.0..80_000.0;
/// The maximum number of characters of a text that a note shows.
const TEXT_SHOWN: usize = 40;

/// Collects the possible kinds during the first records and then decides. Fields that appear later
/// are decided at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Detector {
    /// One entry per field; `None` if the kind is given.
    fields: Vec<Option<Votes>>,
    records: u64,
    /// Fields below this index are decided.
    decided: usize,
    /// How the numbers of the fields are written.
    numbers: Numbers,
    /// The time zone of times without one.
    zones: Zones,
    /// Whether a field may be added for several that are parts of one time.
    can_join: bool,
    /// The fields that are one time.
    join: Option<Join>,
}

/// What must be detected for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// The kind, and for a time its format.
    Kind,
    /// The format of a field that is given as a time.
    TimeFormat,
    /// Nothing: everything is given.
    Nothing,
}

/// The kinds that all texts of a field so far could have: bits of [`KINDS`].
#[derive(Clone, Debug)]
struct Votes {
    kinds: u8,
    sought: Sought,
    seen: u16,
    name: String,
    named_like_a_time: bool,
    /// Whether the first text is a time that needs no format.
    begins_with_time: bool,
    /// Formats that read all texts as times except those that differ, the likeliest first, with the
    /// first text and its position.
    dates: Option<(Vec<DateFormat>, String, FilePosition)>,
    /// The number of texts that are not times in the same form as those before them.
    differing: u16,
    /// The first of these texts, its position, and the form of those before it.
    differs: Option<(String, FilePosition, String)>,
    /// Whether a text can be a list of several facets.
    has_list: bool,
    /// The first text.
    first: String,
    /// Whether all texts are times of day.
    clock: ClockVotes,
    /// Whether all texts are counts since 1970, and how they follow each other.
    counts: Counts,
    /// The number of digits of all texts if they are a day, alone or with a time of day, without
    /// separators; otherwise 0.
    compact: usize,
    /// Whether all texts are numbers that can be days of a spreadsheet, and the position of the
    /// first.
    serial_days: Option<FilePosition>,
    /// The first time before 1970, and its position.
    before_1970: Option<(String, FilePosition)>,
}

/// The texts of a field, as counts since 1970.
#[derive(Clone, Debug)]
enum Counts {
    None,
    /// The first and the last one, in microseconds. None of them is before the one before it.
    Rising(i64, i64),
    /// Some text is not a count, or is before the one before it.
    Others,
}

/// The first kind that fits is chosen. An integer is also a decimal number, so a mix of both is of
/// kind float.
const KINDS: [FieldKind; 6] =
    [FieldKind::Bool, FieldKind::Time, FieldKind::Int, FieldKind::Float, FieldKind::Facets, FieldKind::Json];

/// The bit of [`FieldKind::Time`].
const TIME: u8 = 1 << 1;

impl Detector {
    /// Creates a detector for a file that is read in this way.
    pub(super) fn new(reading: Reading) -> Detector {
        let (numbers, zones) = (Numbers::new(reading.numbers), Zones::new(reading.zone));
        Detector { numbers, zones, ..Detector::default() }
    }

    /// Adds a field for which this must be detected.
    pub(super) fn add_field(&mut self, name: &str, sought: Sought) {
        self.numbers.add_column();
        self.fields.push((sought != Sought::Nothing).then(|| Votes { sought, ..Votes::of(name) }));
    }

    /// Lets several fields be read as one time, once the kinds of those so far are decided. `join` has
    /// those that are known to be one.
    pub(super) fn may_join(&mut self, join: Option<Join>) {
        (self.can_join, self.join) = (join.is_none(), join);
    }

    /// Declares that cells are separated by semicolons.
    pub(super) fn set_semicolons(&mut self) {
        self.numbers.set_semicolons();
    }

    /// Returns the format of times with the zone that is added to them; `None` if it stays.
    pub(super) fn zoned_format(&self, format: &DateFormat) -> Option<DateFormat> {
        self.zones.format(format)
    }

    /// Returns the text of a field as the events store it, if that differs from the file: a number
    /// as programs write it, and a time with its zone.
    pub(super) fn read(
        &mut self,
        at: usize,
        field: &Field,
        text: &str,
        position: impl Fn() -> FilePosition,
        log: &mut Log,
    ) -> Option<String> {
        if is_placeholder(text) {
            return None;
        }
        match field.kind {
            FieldKind::Time if self.zones.is_chosen() => self.zones.add_to(text, field.format.as_ref()),
            _ => self.numbers.read(at, &field.name, text, position, log),
        }
    }

    /// Returns the fields that are one time.
    pub(super) fn join(&self) -> Option<&Join> {
        self.join.as_ref()
    }

    /// Returns whether the kinds of all fields so far are decided or given.
    pub(super) fn is_settled(&self) -> bool {
        self.records >= RECORDS && self.decided > 0
            || (!self.fields.is_empty() && self.fields.iter().flatten().all(Votes::needs_no_format))
    }

    /// Considers the text of a field in the current record.
    pub(super) fn see(&mut self, field: usize, text: &str, position: impl Fn() -> FilePosition) {
        if field < self.decided {
            return;
        }
        if let Some(votes) = &mut self.fields[field]
            && u64::from(votes.seen) < RECORDS
            && !is_placeholder(text)
        {
            votes.see(text, position);
        }
    }

    /// Ends a record.
    pub(super) fn end_record(&mut self, events: &mut Events, log: &mut Log) {
        let was_due = self.records >= RECORDS && self.decided > 0;
        self.records += 1;
        if !was_due && self.records >= RECORDS && (self.records >= RECORDS_MAX || !self.numbers.is_open()) {
            self.decide(events, log);
        }
    }

    /// Decides the kinds of all remaining fields. Reports fields in which day and month of a time
    /// are ambiguous, and fields that begin with a time and have a text in another format.
    pub(super) fn decide(&mut self, events: &mut Events, log: &mut Log) {
        let mut fields: Vec<Field> = events.fields().to_vec();
        self.decide_numbers(&fields, events, log);
        // An event with a type and a name has facets, of which it may have only one.
        let are_events = has_event_names(&fields);
        // Where the time of day is one of half a day, the month is first.
        let has_half_days = self.fields.iter().flatten().any(|votes| votes.clock.is_of_half_days());
        for index in self.decided..self.fields.len() {
            let Some(votes) = self.fields[index].as_ref().filter(|votes| votes.seen > 0) else { continue };
            if let Some(format) = votes.compact_format() {
                (fields[index].kind, fields[index].format) = (FieldKind::Time, Some(format));
                continue;
            }
            let kinds = if votes.sought == Sought::TimeFormat { votes.kinds & TIME } else { votes.kinds };
            let kind = KINDS.iter().enumerate().find(|(bit, kind)| {
                kinds & 1 << bit != 0 && (**kind != FieldKind::Facets || votes.has_list || are_events)
            });
            match (kind, &votes.dates) {
                (Some((_, &kind)), _) => {
                    fields[index].kind = kind;
                    if let Some(position) = votes.serial_days
                        && kind != FieldKind::Time
                    {
                        log.note(position, serial_days(&fields[index].name, &votes.first));
                    }
                }
                (None, dates) if votes.are_times() => {
                    let mut formats = dates.as_ref().map(|(formats, ..)| formats.clone()).unwrap_or_default();
                    if has_half_days {
                        formats.sort_by_key(|format| !format.as_str().starts_with("%m"));
                    } else if formats.len() > 1 {
                        let texts = |event| events.value(event, index);
                        order_by_span(&mut formats, &|| (0..events.len()).filter_map(texts));
                    }
                    (fields[index].kind, fields[index].format) = (FieldKind::Time, formats.first().cloned());
                    if let (Some((_, text, position)), [taken, other, ..]) = (dates, &formats[..]) {
                        log.note(*position, either_way(&fields[index].name, text, taken, other));
                    }
                    if let Some((text, position, format)) = &votes.differs {
                        log.note(
                            *position,
                            nearly_all(&fields[index].name, [votes.seen, votes.differing], text, format),
                        );
                    }
                }
                (None, _) if votes.sought == Sought::TimeFormat => {}
                (None, _) => {
                    fields[index].kind = FieldKind::Text;
                    if let Some((text, position, format)) = &votes.differs {
                        log.note(*position, differs(&fields[index].name, text, format));
                    }
                }
            }
        }
        self.find_number_of_time(&mut fields, log);
        for (field, votes) in fields.iter().zip(&self.fields).skip(self.decided) {
            if let Some((text, position)) = votes.as_ref().and_then(|votes| votes.before_1970.as_ref())
                && field.kind == FieldKind::Time
            {
                log.note(*position, before_1970(&field.name, text));
            }
        }
        for (at, field) in fields.iter_mut().enumerate().skip(self.decided) {
            if self.zones.add_to_field(at, field, events) {
                log.note(FilePosition::START, self.zones.message(&field.name));
            }
        }
        let first_time = self.decided == 0;
        self.decided = self.fields.len();
        events.set_fields(fields.clone()).expect("the same names as before");
        if self.can_join && first_time {
            self.find_join(fields, events, log);
        }
    }
}

impl Detector {
    /// Writes the numbers of the remaining fields as programs do, and finds their kinds.
    fn decide_numbers(&mut self, fields: &[Field], events: &mut Events, log: &mut Log) {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        for (at, mark) in self.numbers.decide(&names, log) {
            events.rewrite(at, |text| numbers::plain(text, mark).filter(|plain| plain != text));
            let Some(votes) = self.fields[at].as_mut().filter(|votes| votes.sought == Sought::Kind) else {
                continue;
            };
            // An amount is no time, whatever its name.
            let may_be_time = votes.named_like_a_time && !self.numbers.has_unit(at);
            let texts = (0..events.len()).filter_map(|index| events.value(index, at));
            votes.kinds = texts
                .filter(|text| !is_placeholder(text))
                .fold(u8::MAX, |kinds, text| kinds & kinds_of(text, kinds, may_be_time));
        }
    }

    /// Adds a field for the parts of a time in several columns.
    fn find_join(&mut self, mut fields: Vec<Field>, events: &mut Events, log: &mut Log) {
        let votes = || self.fields.iter().map(|votes| votes.as_ref().filter(|votes| votes.seen > 0));
        let clocks: Vec<_> = votes().map(|votes| votes.map(|votes| votes.clock.clone())).collect();
        let first_texts: Vec<_> = votes().map(|votes| votes.map(|votes| votes.first.as_str())).collect();
        self.join = Join::find(&mut fields, events, &clocks, &first_texts);
        if let Some(join) = &self.join {
            log.note(FilePosition::START, join.message(&fields));
            *events = join.add_to(events, fields.clone());
            self.fields.push(None);
            self.numbers.add_column();
            if let Some((at, field)) = fields.iter_mut().enumerate().next_back()
                && self.zones.add_to_field(at, field, events)
            {
                log.note(FilePosition::START, self.zones.message(&field.name));
                events.set_fields(fields).expect("the same names as before");
            }
            self.decided = self.fields.len();
        }
    }

    /// Makes the first field of days without separators a time, or else the first field whose counts
    /// since 1970 rise, if no other field is one. A file with a time has other numbers of such forms.
    fn find_number_of_time(&self, fields: &mut [Field], log: &mut Log) {
        if fields.iter().any(|field| field.kind == FieldKind::Time) {
            return;
        }
        let undecided = self.fields.iter().enumerate().skip(self.decided);
        let days = |(at, votes): (usize, &Option<Votes>)| Some((at, votes.as_ref()?.days_format()?));
        if let Some((at, format)) = undecided.clone().find_map(days) {
            (fields[at].kind, fields[at].format) = (FieldKind::Time, Some(format));
            log.note(FilePosition::START, are_days(&fields[at].name));
            return;
        }
        let rises = |votes: &Option<Votes>| {
            votes.as_ref().is_some_and(|votes| votes.sought == Sought::Kind && votes.rise_like_times())
        };
        if let Some((at, _)) = undecided.clone().find(|(_, votes)| rises(votes)) {
            fields[at].kind = FieldKind::Time;
            log.note(FilePosition::START, rising(&fields[at].name));
        }
    }
}

impl Votes {
    /// Returns the format of a field of days and times of day without separators.
    fn compact_format(&self) -> Option<DateFormat> {
        let format = match self.compact {
            12 => "%Y%m%d%H%M",
            14 => "%Y%m%d%H%M%S",
            _ => return None,
        };
        DateFormat::new(format).ok()
    }

    /// Returns the format of a field of days, or of days with an hour, without separators. One number
    /// could be a day by chance.
    fn days_format(&self) -> Option<DateFormat> {
        let format = match self.compact {
            8 => "%Y%m%d",
            10 => "%Y%m%d%H",
            _ => return None,
        };
        (self.sought == Sought::Kind && self.seen >= COMPACT_DAYS_MIN)
            .then(|| DateFormat::new(format).ok())
            .flatten()
    }

    fn of(name: &str) -> Votes {
        Votes {
            kinds: u8::MAX,
            sought: Sought::Kind,
            seen: 0,
            name: name.to_owned(),
            named_like_a_time: is_named_like_a_time(name),
            begins_with_time: false,
            dates: None,
            differing: 0,
            differs: None,
            has_list: false,
            first: String::new(),
            clock: ClockVotes::default(),
            counts: Counts::None,
            compact: 0,
            serial_days: None,
            before_1970: None,
        }
    }

    /// Returns whether the field is given as a time and has begun with one that needs no format.
    fn needs_no_format(&self) -> bool {
        self.sought == Sought::TimeFormat && self.seen > 0 && self.dates.is_none()
    }

    /// Considers the next text.
    fn see(&mut self, text: &str, position: impl Fn() -> FilePosition) {
        self.seen += 1;
        if self.seen == 1 {
            self.first = text.chars().take(TEXT_SHOWN).collect();
            self.compact = text.len();
            self.serial_days = is_named_like_a_date(&self.name).then(&position);
        }
        if !text.parse().is_ok_and(|days: f64| SERIAL_DAYS.contains(&days)) {
            self.serial_days = None;
        }
        if self.compact != text.len() || !is_compact(text) {
            self.compact = 0;
        }
        self.has_list |= text.contains('|') || text.starts_with('[');
        self.clock.see(text);
        self.see_form(text, &position);
        if self.before_1970.is_none() && self.micros(text).is_some_and(|micros| micros < 0) {
            self.before_1970 = Some((text.chars().take(TEXT_SHOWN).collect(), position()));
        }
    }

    /// Returns the instant that a text means, if the texts so far are times.
    fn micros(&self, text: &str) -> Option<i64> {
        match &self.dates {
            Some((formats, ..)) => formats.first()?.parse(text),
            None if self.begins_with_time => time::parse(text),
            None => None,
        }
    }

    fn see_form(&mut self, text: &str, position: impl Fn() -> FilePosition) {
        let asked = if self.begins_with_time { self.kinds | TIME } else { self.kinds };
        let kinds = kinds_of(text, asked, self.named_like_a_time);
        self.kinds &= kinds;
        self.counts = match (&self.counts, since_1970(text).filter(|_| time::is_count(text))) {
            (Counts::None, Some(micros)) => Counts::Rising(micros, micros),
            (Counts::Rising(first, last), Some(micros)) if micros >= *last => Counts::Rising(*first, micros),
            _ => Counts::Others,
        };
        if self.seen == 1 {
            self.begins_with_time = kinds & TIME != 0;
            let formats = DateFormat::guesses(text);
            if !formats.is_empty() {
                self.dates = Some((formats, text.to_owned(), position()));
            }
            return;
        }
        let is_read = |format: &DateFormat| format.parse(text).is_some();
        let format = match &mut self.dates {
            Some((formats, ..)) if formats.iter().any(is_read) => {
                formats.retain(is_read);
                None
            }
            Some((formats, ..)) => formats.first().map(|format| format.as_str().to_owned()),
            None => (self.begins_with_time && kinds & TIME == 0).then(|| "ISO 8601".to_owned()),
        };
        if let Some(format) = format {
            self.differing += 1;
            if self.differs.is_none() {
                self.differs = Some((text.chars().take(TEXT_SHOWN).collect(), position(), format));
            }
        }
    }

    /// Returns whether all texts are counts since 1970 that rise as times do: a number of a record
    /// rises by one or two.
    fn rise_like_times(&self) -> bool {
        const RISE_MIN: i64 = 3_000_000;
        let Counts::Rising(first, last) = self.counts else { return false };
        self.seen >= COUNTS_MIN && last - first >= RISE_MIN * i64::from(self.seen)
    }

    /// Returns whether all or nearly all of the texts are times.
    fn are_times(&self) -> bool {
        (self.begins_with_time || self.dates.is_some()) && self.differing <= self.seen / TIMES_MIN
    }
}

/// Returns the format of a field whose texts are times, or `None` if they need no format or if no
/// format reads nearly all of them.
pub(super) fn time_format<'a>(field: &str, texts: impl Iterator<Item = &'a str>) -> Option<DateFormat> {
    let mut votes = Votes::of(field);
    for text in texts.filter(|text| !is_placeholder(text)) {
        votes.see(text, || FilePosition::START);
    }
    if votes.are_times() { votes.dates?.0.into_iter().next() } else { None }
}

/// Returns a bit for each of [`KINDS`] that `text` could have. Only the bits of `asked` need be
/// correct.
fn kinds_of(text: &str, asked: u8, named_like_a_time: bool) -> u8 {
    let mut kinds = 0;
    for (bit, kind) in KINDS.iter().enumerate() {
        let fits = asked & 1 << bit != 0
            && match kind {
                FieldKind::Bool => matches!(text, "true" | "false"),
                FieldKind::Time => is_time(text, named_like_a_time),
                FieldKind::Int => is_int(text),
                FieldKind::Float => is_int(text) || is_float(text),
                FieldKind::Facets => is_facets(text),
                FieldKind::Json | FieldKind::Text => text.starts_with(['{', '[']) && json::is_json(text),
            };
        kinds |= u8::from(fits) << bit;
    }
    kinds
}

/// Returns whether a text is a time. Counts since 1970 and eight digits are times only in fields
/// with a name for a time, and only between 1970 and 2100.
fn is_time(text: &str, named_like_a_time: bool) -> bool {
    if text.bytes().all(|byte| byte.is_ascii_digit()) || time::is_count(text) {
        let instant = named_like_a_time && (text.len() == 8 || time::is_count(text));
        return instant && since_1970(text).is_some();
    }
    time::parse(text).is_some()
}

/// Returns the microseconds since 1970 that a text means, if they are between 1970 and 2100.
fn since_1970(text: &str) -> Option<i64> {
    const MICROS_2100: i64 = 4_102_444_800_000_000;
    time::parse(text).filter(|micros| (0..MICROS_2100).contains(micros))
}

fn is_named_like_a_date(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["date", "datum", "fecha", "data", "day"].iter().any(|part| name.contains(part))
}

fn is_named_like_a_time(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let word = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| matches!(word, "ts" | "at" | "day" | "when" | "unix"));
    word || ["time", "date", "created", "updated", "modified", "epoch"].iter().any(|part| name.contains(part))
}

/// Returns whether the fields are those of an event with facets, as in Algolia's article, of which
/// only the kind of the facets is not known.
fn has_event_names(fields: &[Field]) -> bool {
    let with_facets: Vec<Field> =
        fields.iter().cloned().chain([Field::new("facets of these", FieldKind::Facets)]).collect();
    Roles::of(&with_facets).event.is_some()
}

/// Returns whether a text is a list of facets, or one facet. A single `name:value` could be anything
/// (a time of day, an address), so some text of the field must have a `|` or the brackets of JSON,
/// unless the fields are those of an event with facets.
fn is_facets(text: &str) -> bool {
    let is_facet = |text: &str| match text.split_once(':') {
        Some((name, value)) => {
            !name.is_empty()
                && !value.is_empty()
                && !value.starts_with("//")
                && !name.contains(['"', '{', '['])
        }
        None => false,
    };
    if text.starts_with('[') {
        return json::strings(text)
            .is_some_and(|strings| !strings.is_empty() && strings.iter().all(|text| is_facet(text)));
    }
    text.split('|').all(|text| is_facet(text.trim()))
}

impl Events {
    /// Returns `fields`, in which each time without a format has the format detected from the first
    /// events, if it needs one.
    pub fn with_time_formats(&self, mut fields: Vec<Field>) -> Vec<Field> {
        let mut values = Vec::new();
        for (at, field) in fields.iter_mut().enumerate() {
            if field.kind != FieldKind::Time || field.format.is_some() {
                continue;
            }
            let mut texts: Vec<&str> = Vec::new();
            for index in 0..self.len().min(RECORDS as usize) {
                self.record(index, &mut values);
                texts.extend(values.get(at).copied().flatten());
            }
            field.format = time_format(&field.name, texts.into_iter());
        }
        fields
    }
}

#[cfg(test)]
mod tests;
