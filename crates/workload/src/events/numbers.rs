//! Numbers with a decimal comma, or with separators of thousands: how a column writes them, and the
//! same numbers as programs write them.
//!
//! `1.234,56`, `12,5` and `1 234,5` have a decimal comma, `1,234.50` and `1'234.5` a decimal point.
//! `1,234` alone can have either one. So all values of a column decide, then the other columns of
//! the file, and if both leave it open, the load says what was chosen.
//!
//! A column in which each number has the same unit has numbers in that unit: `12.5%`, `$1,234.50`,
//! `1.234,50 €`, `EUR 12`. Numbers in parentheses are negative.

mod amount;

use tabletop_workspace::NumberReading;

use super::log::{FilePosition, Log, choices};
use amount::{Amount, is_currency};

/// The maximum number of characters of a text that a note shows.
const TEXT_SHOWN: usize = 40;

/// The character before the decimals of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalMark {
    Point,
    Comma,
}

impl DecimalMark {
    fn other(self) -> DecimalMark {
        match self {
            DecimalMark::Point => DecimalMark::Comma,
            DecimalMark::Comma => DecimalMark::Point,
        }
    }

    fn character(self) -> char {
        match self {
            DecimalMark::Point => '.',
            DecimalMark::Comma => ',',
        }
    }

    fn name(self) -> &'static str {
        match self {
            DecimalMark::Point => "a decimal point",
            DecimalMark::Comma => "a decimal comma",
        }
    }
}

/// Returns the number in `text` as programs write it, such as `-1234.50`, if it is written with
/// this decimal mark; `None` for another text. Leading zeros belong to codes, not to numbers.
pub(super) fn plain(text: &str, mark: DecimalMark) -> Option<String> {
    let amount = Amount::of(text);
    let number = plain_number(amount.number, mark)?;
    Some(if amount.is_negative { ["-", &number].concat() } else { number })
}

/// Returns the number in a text without a unit.
fn plain_number(text: &str, mark: DecimalMark) -> Option<String> {
    let is_signed = |sign: char| matches!(sign, '-' | '\u{2212}');
    // A minus may follow the number.
    let (negative, body) = match (text.strip_prefix(is_signed), text.strip_suffix(is_signed)) {
        (Some(body), _) | (None, Some(body)) => (true, body),
        (None, None) => (false, text),
    };
    let unsigned = body.strip_prefix('+').unwrap_or(body);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, decimals) = match number.split_once(mark.character()) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (number, None),
    };
    let is_exponent = |text: &str| is_digits(text.strip_prefix(['-', '+']).unwrap_or(text));
    // A plus without decimals begins a telephone number.
    if !decimals.is_none_or(is_digits)
        || !exponent.is_none_or(is_exponent)
        || unsigned.len() < body.len() && (negative || decimals.is_none())
    {
        return None;
    }
    let digits =
        if whole.is_empty() && decimals.is_some() { "0".to_owned() } else { whole_digits(whole, mark)? };
    let mut plain = String::with_capacity(text.len());
    plain.extend(negative.then_some('-'));
    plain.push_str(&digits);
    for (before, part) in [('.', decimals), ('e', exponent)] {
        if let Some(part) = part {
            plain.push(before);
            plain.push_str(part);
        }
    }
    Some(plain)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the digits of a whole number, which may be in groups of thousands: `1.234.567`, or
/// `12,34,567` as in India.
fn whole_digits(whole: &str, mark: DecimalMark) -> Option<String> {
    let has_code_zero = |digits: &str| digits.len() > 1 && digits.starts_with('0');
    if is_digits(whole) {
        return (!has_code_zero(whole)).then(|| whole.to_owned());
    }
    let separator = whole.chars().find(|c| !c.is_ascii_digit())?;
    if separator != mark.other().character() && !is_space(separator) && !is_apostrophe(separator) {
        return None;
    }
    let groups: Vec<&str> = whole.split(separator).collect();
    let ([first, middle @ .., last], digits) = (&groups[..], groups.concat()) else { return None };
    let are_of = |size: usize| middle.iter().all(|group| group.len() == size);
    let is_indian = separator == ',' && first.len() <= 2 && are_of(2);
    let fits = last.len() == 3 && (1..=3).contains(&first.len()) && (are_of(3) || is_indian);
    (fits && is_digits(&digits) && !has_code_zero(&digits)).then_some(digits)
}

/// Returns whether a character is a space between thousands: also a thin one, and one at which
/// lines do not break.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// Returns whether a text has only characters of numbers as programs write them.
fn is_simple(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
}

/// What the texts of a column so far show.
#[derive(Clone, Debug)]
pub(super) struct NumberVotes {
    /// Whether all texts can have a decimal point, and whether all can have a decimal comma.
    point: bool,
    comma: bool,
    /// Whether each text is a number in some way.
    are_numbers: bool,
    /// Whether some text is not written as programs write numbers.
    differs: bool,
    /// The first text that has other characters than these, without blanks around it.
    first: Option<(String, FilePosition)>,
    /// The first text with a point or a comma.
    marked: Option<(String, FilePosition)>,
    /// Whether some number of at least 1,000 has no separators.
    has_long: bool,
    /// Whether some text has spaces, and the number of characters if all texts have as many.
    has_spaces: bool,
    length: Option<usize>,
    seen: bool,
    /// The unit of the numbers, of which only zero may have none; `None` before the first one.
    unit: Option<&'static str>,
    /// A text with this unit, and the first one with another.
    unit_text: String,
    other_unit: Option<(String, FilePosition)>,
    /// Whether all texts are in parentheses, as numbers of footnotes are.
    all_in_parentheses: bool,
}

impl Default for NumberVotes {
    fn default() -> Self {
        NumberVotes {
            point: true,
            comma: true,
            are_numbers: true,
            differs: false,
            first: None,
            marked: None,
            has_long: false,
            has_spaces: false,
            length: None,
            seen: false,
            unit: None,
            unit_text: String::new(),
            other_unit: None,
            all_in_parentheses: true,
        }
    }
}

impl NumberVotes {
    /// Considers the next text.
    fn see(&mut self, text: &str, position: impl Fn() -> FilePosition) {
        if !self.are_numbers {
            return;
        }
        let [point, comma] = [DecimalMark::Point, DecimalMark::Comma].map(|mark| plain(text, mark));
        self.are_numbers = point.is_some() || comma.is_some();
        (self.point, self.comma) = (self.point && point.is_some(), self.comma && comma.is_some());
        let shown = || (text.chars().take(TEXT_SHOWN).collect(), position());
        let is_plain = |text: &str| is_int(text) || is_float(text) || point.as_deref() == Some(text);
        self.differs |= !is_plain(text);
        if !is_plain(text.trim()) {
            self.first.get_or_insert_with(shown);
        }
        let amount = Amount::of(text);
        self.all_in_parentheses &= amount.in_parentheses && amount.unit.is_empty();
        if self.are_numbers && !is_zero(amount.number) || !amount.unit.is_empty() {
            if self.unit.is_none() {
                (self.unit, self.unit_text) = (Some(amount.unit), text.chars().take(TEXT_SHOWN).collect());
            }
            if self.unit != Some(amount.unit) {
                self.are_numbers = false;
                self.other_unit = Some(shown());
            }
        }
        if amount.number.contains(['.', ',']) {
            self.marked.get_or_insert_with(shown);
        }
        let length = amount.number.chars().count();
        self.has_long |= length > 3 && is_digits(amount.number);
        self.has_spaces |= amount.number.contains(' ');
        self.length = if self.seen { self.length.filter(|known| *known == length) } else { Some(length) };
        self.seen = true;
    }

    /// Returns the unit of the numbers; empty if they have none.
    fn unit(&self) -> &'static str {
        self.unit.unwrap_or_default()
    }

    fn outcome(&self) -> Outcome {
        // Groups of digits of one length are telephone numbers.
        let is_code = self.has_spaces && self.length.is_some() && self.marked.is_none();
        match (self.point, self.comma) {
            _ if !self.are_numbers || !self.seen || is_code || self.all_in_parentheses => Outcome::Text,
            (true, true) if self.marked.is_some() && self.first.is_some() => Outcome::Either,
            (true, true) if self.marked.is_some() => Outcome::Thousandths,
            (true, _) if !self.differs => Outcome::Plain,
            (true, _) => Outcome::Written(DecimalMark::Point),
            (false, true) => Outcome::Written(DecimalMark::Comma),
            (false, false) => Outcome::Both,
        }
    }
}

/// How the numbers of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// They are not numbers.
    Text,
    /// As programs write them.
    Plain,
    /// Each is like `1.234`, which some files write for 1234.
    Thousandths,
    /// With this decimal mark.
    Written(DecimalMark),
    /// Each can have either decimal mark.
    Either,
    /// Some need a decimal point and others a decimal comma.
    Both,
}

/// How the numbers of each column are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    reading: NumberReading,
    /// Whether the delimiter is a semicolon, as in files of countries with a decimal comma.
    has_semicolons: bool,
    columns: Vec<Column>,
}

#[derive(Clone, Debug)]
enum Column {
    /// Not decided.
    Open(NumberVotes),
    /// Numbers as programs write them so far.
    Plain(NumberVotes),
    /// Numbers with this decimal mark and unit.
    Written(DecimalMark, &'static str),
    /// Texts stay as they are.
    Text,
}

impl Numbers {
    pub(super) fn new(reading: NumberReading) -> Numbers {
        Numbers { reading, ..Numbers::default() }
    }

    /// Adds a column.
    pub(super) fn add_column(&mut self) {
        let is_read = self.reading != NumberReading::AsWritten;
        self.columns.push(if is_read { Column::Open(NumberVotes::default()) } else { Column::Text });
    }

    /// Declares that cells are separated by semicolons.
    pub(super) fn set_semicolons(&mut self) {
        self.has_semicolons = true;
    }

    /// Considers the next text of a column, and returns it as programs write numbers, if that
    /// differs and is decided.
    pub(super) fn read(
        &mut self,
        column: usize,
        name: &str,
        text: &str,
        position: impl Fn() -> FilePosition,
        log: &mut Log,
    ) -> Option<String> {
        let (mark, unit) = match self.columns.get_mut(column)? {
            Column::Text => return None,
            Column::Open(votes) => {
                votes.see(text, position);
                return None;
            }
            Column::Plain(_) if is_simple(text) => return None,
            Column::Plain(votes) => {
                let before = votes.clone();
                votes.see(text, &position);
                let (votes, outcome) = (votes.clone(), votes.outcome());
                let mark = match outcome {
                    Outcome::Written(mark) => mark,
                    Outcome::Either => self.tie(&votes),
                    _ => {
                        if votes.other_unit.is_some() {
                            log.note(position(), other_unit(name, text, before.unit()));
                        }
                        self.columns[column] = Column::Plain(before);
                        return None;
                    }
                };
                self.note(name, &votes, outcome, mark, log);
                self.columns[column] = Column::Written(mark, votes.unit());
                (mark, votes.unit())
            }
            Column::Written(mark, unit) => (*mark, *unit),
        };
        let read = plain(text, mark);
        let amount = Amount::of(text);
        if read.is_some() && amount.unit != unit && !(amount.unit.is_empty() && is_zero(amount.number)) {
            log.note(position(), other_unit(name, text, unit));
            return None;
        }
        if read.is_none() && plain(text, mark.other()).is_some() {
            log.note(position(), other_mark(name, text, mark));
        }
        read.filter(|read| read != text)
    }

    /// Returns whether the numbers of a column have a unit.
    pub(super) fn has_unit(&self, column: usize) -> bool {
        matches!(self.columns.get(column), Some(Column::Written(_, unit)) if !unit.is_empty())
    }

    /// Returns whether the values of some column so far leave it open how they are to be read.
    pub(super) fn is_open(&self) -> bool {
        let is_open =
            |column: &Column| matches!(column, Column::Open(votes) if votes.outcome() == Outcome::Either);
        self.reading == NumberReading::Detect && self.columns.iter().any(is_open)
    }

    /// Decides how the columns are read, and says so. Returns the columns whose texts so far differ
    /// from what programs write, with their decimal mark.
    pub(super) fn decide(&mut self, names: &[&str], log: &mut Log) -> Vec<(usize, DecimalMark)> {
        let mut changed = Vec::new();
        let sure = self.sure_mark();
        for (at, name) in names.iter().enumerate() {
            let Some(Column::Open(votes)) = self.columns.get(at) else { continue };
            let (votes, outcome) = (votes.clone(), votes.outcome());
            let mark = match outcome {
                Outcome::Text => {
                    if let Some((text, position)) = &votes.other_unit {
                        log.note(*position, several_units(name, &votes.unit_text, text));
                    }
                    None
                }
                Outcome::Both => {
                    if let Some((text, position)) = &votes.first {
                        log.note(*position, both_marks(name, text));
                    }
                    None
                }
                Outcome::Plain => Some(DecimalMark::Point),
                Outcome::Written(mark) => Some(mark),
                Outcome::Either => Some(self.chosen().or(sure).unwrap_or_else(|| self.tie(&votes))),
                Outcome::Thousandths => Some(self.chosen().or(sure).unwrap_or(DecimalMark::Point)),
            };
            self.columns[at] = match mark {
                None => Column::Text,
                Some(DecimalMark::Point) if !votes.differs => {
                    if self.has_semicolons && sure.or(self.chosen()).is_none() {
                        self.note(name, &votes, outcome, DecimalMark::Point, log);
                    }
                    Column::Plain(votes)
                }
                Some(mark) => {
                    self.note(name, &votes, outcome, mark, log);
                    changed.push((at, mark));
                    Column::Written(mark, votes.unit())
                }
            };
        }
        changed
    }

    /// Returns the mark that the user has chosen for numbers that can have either.
    fn chosen(&self) -> Option<DecimalMark> {
        match self.reading {
            NumberReading::Point => Some(DecimalMark::Point),
            NumberReading::Comma => Some(DecimalMark::Comma),
            NumberReading::Detect | NumberReading::AsWritten => None,
        }
    }

    /// Returns the mark of those columns that can have only one, if they agree.
    fn sure_mark(&self) -> Option<DecimalMark> {
        let mark = |column: &Column| match column {
            Column::Open(votes) | Column::Plain(votes) => match votes.outcome() {
                Outcome::Written(mark) if votes.marked.is_some() => Some(mark),
                Outcome::Plain if votes.marked.is_some() => Some(DecimalMark::Point),
                _ => None,
            },
            Column::Written(mark, _) => Some(*mark),
            Column::Text => None,
        };
        let mut marks = self.columns.iter().filter_map(mark);
        let first = marks.next()?;
        marks.all(|other| other == first).then_some(first)
    }

    /// Returns the likelier mark of a column in which all numbers can have either: files with
    /// semicolons come from countries with a decimal comma, and thousands that are separated are
    /// separated everywhere.
    fn tie(&self, votes: &NumberVotes) -> DecimalMark {
        let likelier = match &votes.marked {
            // Amounts of money do not have three decimals.
            Some((text, _)) if is_currency(votes.unit()) => {
                if Amount::of(text).number.contains('.') {
                    DecimalMark::Comma
                } else {
                    DecimalMark::Point
                }
            }
            _ if self.has_semicolons || votes.has_long => DecimalMark::Comma,
            _ => DecimalMark::Point,
        };
        self.chosen().unwrap_or(likelier)
    }

    fn note(&self, name: &str, votes: &NumberVotes, outcome: Outcome, mark: DecimalMark, log: &mut Log) {
        let example = votes.marked.as_ref().filter(|_| is_either(outcome)).or(votes.first.as_ref());
        let Some((text, position)) = example else { return };
        let Some(read) = plain(text, mark) else { return };
        let message = match plain(text, mark.other()) {
            Some(other) if is_either(outcome) && self.chosen().is_none() => {
                either_mark(name, text, &read, &other)
            }
            _ => {
                let unit = votes.unit();
                let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
                let with = written_with(text, mark).map_or(String::new(), |with| format!(" with {with}"));
                format!("{name} is read as numbers{unit}{with}: \"{text}\" is {read}.")
            }
        };
        log.note(*position, message);
    }
}

fn is_either(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Either | Outcome::Thousandths)
}

/// Says what a text shows: its decimal mark, if it has decimals.
fn written_with(text: &str, mark: DecimalMark) -> Option<&'static str> {
    let amount = Amount::of(text);
    let number = amount.number;
    match (number.contains(mark.character()), amount.unit.is_empty()) {
        (_, true) if amount.in_parentheses && is_simple(number) => Some("negative ones in parentheses"),
        // A decimal point needs no explanation where the unit is one.
        (true, false) if mark == DecimalMark::Point => None,
        (true, _) => Some(mark.name()),
        (false, _) if is_simple(number) => None,
        (false, _) => Some("separators of thousands"),
    }
}

fn is_zero(number: &str) -> bool {
    number.contains('0') && number.bytes().all(|byte| matches!(byte, b'0' | b'.' | b','))
}

fn several_units(name: &str, first: &str, other: &str) -> String {
    format!(
        "{name} has numbers in several units, such as \"{first}\" and \"{other}\": the field is read as text."
    )
}

fn other_unit(name: &str, text: &str, unit: &str) -> String {
    let text: String = text.chars().take(TEXT_SHOWN).collect();
    let expected =
        if unit.is_empty() { "a number without a unit".to_owned() } else { format!("a number in {unit}") };
    format!("{name} is \"{text}\" here; {expected} is expected, as before. The text stays as it is.")
}

fn either_mark(name: &str, text: &str, read: &str, other: &str) -> String {
    format!(
        "{name}: \"{text}\" is read as {read}, and can mean {other}: no value of this field settles it. If it is wrong, {}.",
        choices::NUMBERS
    )
}

fn other_mark(name: &str, text: &str, mark: DecimalMark) -> String {
    let text: String = text.chars().take(TEXT_SHOWN).collect();
    format!("{name} is \"{text}\" here; a number with {} is expected, as before.", mark.name())
}

fn both_marks(name: &str, text: &str) -> String {
    format!(
        "{name} has numbers with a decimal comma and others with a decimal point, such as \"{text}\": the field is read as text."
    )
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

/// Returns whether a text is an integer. Leading zeros belong to codes, not to numbers.
pub(super) fn is_int(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain =
        digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    plain && text.parse::<i64>().is_ok()
}

/// Returns whether a text is a decimal number. Integers beyond 64 bits do not count: as floats, two
/// of them could become equal.
pub(super) fn is_float(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let code = digits.starts_with('0') && digits.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    // Words like "inf" and "nan" can be parsed as floats, too.
    let number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.contains(['.', 'e', 'E']);
    number && !code && text.parse::<f64>().is_ok_and(f64::is_finite)
}
