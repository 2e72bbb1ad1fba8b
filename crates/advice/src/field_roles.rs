//! The role of each field, found in its values: what repeats, what rises, what follows the clock,
//! what determines something else. A name decides only what the values leave open, and the result
//! says so: files have names in all languages, or none.

mod column;
mod names;
mod shapes;
#[cfg(test)]
mod tests;
mod times;

use alloc::vec::Vec;

use column::Column;
use serde::{Deserialize, Serialize};
use tabletop_keys::{Field, FieldKind, FieldRole};
use times::Clock;

/// The largest number of events that [`field_roles`] needs: a sample of all events, in their order.
pub const ROLES_EVENTS: u32 = 10_000;
/// The maximum number of values that are examined. Of files with many fields, fewer events are.
const VALUES_MAX: usize = 300_000;
/// Dependencies of fields on each other are examined in files with at most this many fields: the
/// work grows with the square of their number.
const RELATED_FIELDS_MAX: usize = 256;
/// With at most this many values, a field with many events is a category.
const CATEGORY_VALUES_MAX: usize = 12;
/// Words of a text that is content.
const WORDS_OF_CONTENT: f64 = 4.0;
/// Digits of a whole number that is an identifier rather than a quantity.
const DIGITS_OF_IDENTIFIER: f64 = 8.5;
/// Digits of a whole number that has a clock inside, such as a Snowflake ID.
const DIGITS_WITH_CLOCK: f64 = 15.0;
/// With at most this many different words, a field could be a category.
const WORDS_OF_CATEGORY: usize = 40;

/// The role that was found for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRole {
    /// The role.
    pub role: FieldRole,
    /// The values allow several roles, and the name of the field chose this one.
    pub by_name: bool,
}

/// Finds the role of each field. `events` are at most [`ROLES_EVENTS`] events with one value per
/// field, in the order of the file and evenly spread over it. Natively, ten fields take 35 ms,
/// and 30 or more about 100 ms.
pub fn field_roles(fields: &[Field], events: &[Vec<Option<&str>>]) -> Vec<FoundRole> {
    let step = (events.len() * fields.len()).div_ceil(VALUES_MAX).max(1);
    let columns: Vec<Column> =
        fields.iter().enumerate().map(|(at, field)| Column::of(field, at, events, step)).collect();
    let clock = Clock::find(&columns);
    let places = places(&columns);
    let file = File {
        columns: &columns,
        clock: clock.as_ref(),
        years: if clock.is_none() { times::years(&columns) } else { None },
        follows_clock: clock.as_ref().is_some_and(|clock| clock.rises),
    };
    let role = |at: usize| {
        let column = &columns[at];
        let found = |role| FoundRole { role, by_name: false };
        if let Some(clock) = clock.as_ref().filter(|clock| clock.at == at || clock.tied.contains(&at)) {
            let role = if clock.at == at { FieldRole::EventTime } else { FieldRole::OtherTime };
            return FoundRole { role, by_name: !clock.tied.is_empty() };
        }
        if column.present == 0 {
            return found(FieldRole::Category);
        }
        if places.contains(&at) {
            return FoundRole { role: FieldRole::Place, by_name: true };
        }
        if times::is_part_of_time(column, &columns, clock.as_ref()) {
            return found(FieldRole::PartOfTime);
        }
        match column.field.kind {
            FieldKind::Time => found(FieldRole::OtherTime),
            FieldKind::Facets | FieldKind::Json => found(FieldRole::FreeText),
            FieldKind::Bool => found(FieldRole::Category),
            FieldKind::Int => whole_numbers(column, &file),
            // A whole number becomes a decimal one where a program represents absent values so.
            FieldKind::Float if column.is_whole() && column.distinct > CATEGORY_VALUES_MAX => {
                whole_numbers(column, &file)
            }
            FieldKind::Float => found(FieldRole::Measure),
            FieldKind::Text => texts(column, &file),
        }
    };
    (0..fields.len()).map(role).collect()
}

/// What the roles of fields depend on besides their own values.
struct File<'c, 'e> {
    columns: &'c [Column<'e>],
    clock: Option<&'c Clock>,
    /// The years of the events, without a clock.
    years: Option<Vec<Option<i64>>>,
    /// The events are in the order of their time, so that equal values next to each other show only
    /// that little time has passed.
    follows_clock: bool,
}

impl File<'_, '_> {
    fn others(&self, column: &Column) -> impl Iterator<Item = &Column<'_>> {
        let column: *const Column = core::ptr::from_ref(column);
        let examined = if self.columns.len() <= RELATED_FIELDS_MAX { self.columns } else { &[] };
        examined.iter().filter(move |other| !core::ptr::eq(*other, column.cast()))
    }

    /// Whether the file lists one value of the field after the other.
    fn lists(&self, column: &Column) -> bool {
        !self.follows_clock && column.is_grouped()
    }

    /// Whether the file lists one value after the other only because it is sorted by these numbers,
    /// which an age or an income would explain as well. Entities have their events in the order of
    /// their times, or of another number.
    fn is_sorted_by(&self, column: &Column) -> bool {
        let instants = |clock: &Clock| {
            column.is_ordered_by(clock.instants.iter().copied(), |one, next| one <= next)
                || column.is_ordered_by(clock.instants.iter().copied(), |one, next| one >= next)
        };
        let rises = |other: &Column| !other.is_sorted() && other.rises_within(column);
        self.lists(column)
            && column.is_sorted()
            && !self.clock.is_some_and(instants)
            && !self.others(column).any(rises)
    }

    /// Whether the file lists one value after the other for each value of another field: the
    /// departments of a store, each with its weeks. Time begins again where the value changes. So it
    /// does where the age of a patient changes, which depends on the patient.
    fn lists_in_runs(&self, column: &Column) -> bool {
        !self.follows_clock
            && self.clock.is_some_and(|clock| column.begins_again(&clock.instants))
            && !self.others(column).any(|other| self.lists(other) && other.implies(column))
    }

    /// Whether each value has one event at each moment, as the stores of a chain do.
    fn has_one_each(&self, column: &Column) -> bool {
        self.moments()
            .is_some_and(|moments| column.is_even() && times::differs_at_each_moment(column, moments))
    }

    /// Whether the field numbers the moments of each value that the file lists: the hours of each
    /// station.
    fn numbers_moments(&self, column: &Column) -> bool {
        let Some(clock) = self.clock.map(|clock| &self.columns[clock.at]) else { return false };
        column.implies(clock)
            && clock.implies(column)
            && self.others(column).any(|other| self.lists(other) && column.counts_within(other))
    }

    /// Whether the numbers could be the places of a ranking: another field differs at each moment as
    /// well, such as the songs of a chart, and has other numbers at other moments.
    fn may_be_ranks(&self, column: &Column) -> bool {
        let is_ranked = |moments: &Vec<Option<i64>>| {
            self.others(column).any(|other| {
                other.field.kind == FieldKind::Text
                    && times::differs_at_each_moment(other, moments)
                    && !column.implies(other)
            })
        };
        self.moments().is_some_and(is_ranked)
    }

    /// The instants of the events, or their years.
    fn moments(&self) -> Option<&Vec<Option<i64>>> {
        self.clock.map(|clock| &clock.instants).or(self.years.as_ref())
    }

    /// Whether another field depends on this one. A number that is 0 where a flag is off, and of any
    /// size where it is on, is an amount. So is one that grows with a number which depends on it, as the
    /// sum of an order does with the price.
    fn has_attributes(&self, column: &Column) -> bool {
        let dependent = || self.others(column).filter(|other| column.determines(other));
        dependent().any(|other| column.numbers.is_none() || column.is_divided_by(other))
            && !dependent().any(|other| column.grows_with(other))
    }

    /// Whether the field stands next to a text with about as many values, on which it depends: a
    /// capacity next to the name of a car park, or the number of a user next to the user's name.
    fn is_attribute(&self, column: &Column) -> bool {
        self.others(column).any(|other| {
            other.field.kind == FieldKind::Text
                && other.distinct * 2 <= column.distinct * 3
                && other.distinct >= column.distinct
                && other.repetition() >= 3.0
                && other.implies(column)
        })
    }

    /// Whether the numbers rise from event to event of each value of another field, as the time
    /// does.
    fn counts_within_another(&self, column: &Column) -> bool {
        let follows_clock = |other: &Column| {
            let rises =
                |clock: &Clock| other.is_ordered_by(clock.instants.iter().copied(), |one, next| one <= next);
            let is_listed = || other.is_grouped() && column.counts_within(other);
            self.follows_clock || is_listed() && self.clock.is_none_or(rises)
        };
        self.others(column)
            .any(|other| other.repetition() >= 3.0 && column.rises_within(other) && follows_clock(other))
    }
}

fn whole_numbers(column: &Column, file: &File) -> FoundRole {
    use FieldRole::{Category, Counter, Measure, SharedIdentifier, UniqueIdentifier};
    let found = |role| FoundRole { role, by_name: false };
    let Some(numbers) = &column.numbers else { return found(Category) };
    let (least, most) = numbers
        .iter()
        .fold((f64::MAX, f64::MIN), |(least, most), &number| (least.min(number), most.max(number)));
    let name = column.field.name.as_str();
    if column.distinct == 1 {
        return found(Category);
    }
    let digits = column.mean(|text| text.trim_end_matches(".0").len());
    // Each event has another number, and they rise. A long number is an identifier with a clock
    // inside. Without a clock, the file is a list in the order of its identifiers.
    if column.is_monotonic() && column.repetition() < 2.0 {
        let is_counter = file.clock.is_some() && digits < DIGITS_WITH_CLOCK;
        return found(if is_counter { Counter } else { UniqueIdentifier });
    }
    // Nothing, in many events.
    let is_often_zero = column.share(|text| matches!(text, "0" | "0.0")) > 0.2 && most > 1.0;
    if least < 0.0 || (is_often_zero && column.distinct > CATEGORY_VALUES_MAX) {
        return found(Measure);
    }
    let is_few = column.distinct <= CATEGORY_VALUES_MAX && column.repetition() >= 5.0;
    let has_one_each = file.has_one_each(column);
    // The hours of each day.
    if has_one_each && least == 0.0 && most == 23.0 && column.distinct == 24 {
        return found(FieldRole::PartOfTime);
    }
    if names::suggest_part_of_time(name, most) {
        return FoundRole { role: FieldRole::PartOfTime, by_name: true };
    }
    if has_one_each && file.may_be_ranks(column) {
        let role = if names::suggest_identifier(name) { SharedIdentifier } else { Counter };
        return FoundRole { role, by_name: true };
    }
    if file.numbers_moments(column) {
        return found(Counter);
    }
    let lists =
        file.lists(column) && !file.is_sorted_by(column) || file.lists_in_runs(column) || has_one_each;
    if lists || file.has_attributes(column) {
        // A long number whose digits are counted names something, like the text next to it.
        let is_code =
            digits >= DIGITS_OF_IDENTIFIER && column.share(|text| text.len() == digits as usize) == 1.0;
        if !is_code && file.is_attribute(column) {
            let role = match names::suggest_identifier(name) {
                true => SharedIdentifier,
                false if is_few => Category,
                false => Measure,
            };
            return FoundRole { role, by_name: true };
        }
        return found(if column.distinct < 6 && !lists { Category } else { SharedIdentifier });
    }
    if !is_few && file.counts_within_another(column) {
        return found(Counter);
    }
    let (count, range) = (column.present as f64, most - least + 1.0);
    // The number of repetitions if numbers were drawn by chance from their range (birthdays).
    let expected = count * count / (2.0 * range);
    let repetitions = (column.present - column.distinct) as f64;
    let is_round = column.share(|text| text.trim_end_matches(".0").ends_with('0')) > 0.3;
    if repetitions == 0.0 && expected >= 5.0 {
        return found(UniqueIdentifier);
    }
    if digits >= DIGITS_OF_IDENTIFIER && !is_round {
        // Numbers without gaps, each of which occurs several times, look as if drawn by chance.
        let is_shared =
            column.repetition() >= 1.5 || repetitions > 10.0 * (expected + 1.0) && column.repetition() >= 1.2;
        return found(if is_shared { SharedIdentifier } else { UniqueIdentifier });
    }
    // Five or more digits that repeat far more than chance allows, without a preference for round
    // ones, name something.
    if digits >= 4.5 && !is_round && column.repetition() >= 2.0 && repetitions > 50.0 * (expected + 1.0) {
        return found(SharedIdentifier);
    }
    let identifier = if column.repetition() >= 1.5 { SharedIdentifier } else { UniqueIdentifier };
    match names::suggest_identifier(name) {
        true if !is_few || column.distinct >= 3 => FoundRole { role: identifier, by_name: true },
        _ if is_few => found(Category),
        _ => FoundRole { role: Measure, by_name: true },
    }
}

fn texts(column: &Column, file: &File) -> FoundRole {
    use FieldRole::{Category, Counter, FreeText, Measure, SharedIdentifier, UniqueIdentifier, Url};
    let found = |role| FoundRole { role, by_name: false };
    if column.share(shapes::is_url) >= 0.9 {
        return found(Url);
    }
    if column.share(shapes::is_quantity) >= 0.98 || shapes::are_readings(column) {
        return found(Measure);
    }
    if let Some(is_decimal) = shapes::are_numbers_with_one_marker(column) {
        // Without decimals, they may be numbers of users, and the marker that of a guest.
        if is_decimal || !names::suggest_identifier(column.field.name.as_str()) {
            return FoundRole { role: Measure, by_name: !is_decimal };
        }
    }
    let words = column.mean(|text| text.split_whitespace().count());
    let length = column.mean(str::len);
    let has_digits = column.share(|text| text.bytes().any(|byte| byte.is_ascii_digit())) >= 0.8;
    if column.distinct == 1 {
        return found(Category);
    }
    if column.distinct > CATEGORY_VALUES_MAX && (words >= WORDS_OF_CONTENT || length > 120.0) {
        return found(FreeText);
    }
    if column.is_unique() && column.present > CATEGORY_VALUES_MAX {
        let is_counter = file.clock.is_some() && column.is_monotonic() && column.is_numbered();
        return found(if is_counter { Counter } else { UniqueIdentifier });
    }
    if file.lists(column) {
        return found(SharedIdentifier);
    }
    let is_code = has_digits && words < 1.5 && column.share(shapes::is_code) >= 0.9;
    if is_code || (file.has_attributes(column) && column.distinct > WORDS_OF_CATEGORY) {
        return found(if column.distinct < 4 && !is_code { Category } else { SharedIdentifier });
    }
    if column.distinct <= CATEGORY_VALUES_MAX {
        let is_named = names::suggest_identifier(&column.field.name) && column.distinct >= 4;
        return if is_named { FoundRole { role: SharedIdentifier, by_name: true } } else { found(Category) };
    }
    if column.repetition() < 1.5 && words >= WORDS_OF_CONTENT {
        return found(FreeText);
    }
    // Words: a few dozen of them could name entities or kinds.
    if column.distinct <= WORDS_OF_CATEGORY && column.repetition() >= 5.0 {
        let is_named = names::suggest_identifier(&column.field.name);
        return FoundRole { role: if is_named { SharedIdentifier } else { Category }, by_name: true };
    }
    found(SharedIdentifier)
}

/// The fields that are longitude and latitude: decimal numbers within the globe, whose names say
/// so, as the values of many measures would fit.
fn places(columns: &[Column]) -> Vec<usize> {
    let within = |column: &Column, most: f64| {
        let numbers = column.numbers.as_ref();
        column.field.kind == FieldKind::Float
            && numbers.is_some_and(|numbers| numbers.iter().all(|number| number.abs() <= most))
    };
    let find = |most: f64, is_named: fn(&str) -> bool| {
        columns.iter().position(|column| is_named(&column.field.name) && within(column, most))
    };
    match (find(180.0, names::suggest_longitude), find(90.0, names::suggest_latitude)) {
        (Some(x), Some(y)) => alloc::vec![x, y],
        _ => Vec::new(),
    }
}
