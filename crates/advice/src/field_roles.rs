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

/// The largest number of events that [`field_roles`] needs: a sample of all events, in their order.
pub const ROLES_EVENTS: u32 = 10_000;
/// The most fields whose dependencies on each other are examined.
const RELATED_MAX: usize = 64;
/// With at most this many values, a field with many events is a category.
const CATEGORY_VALUES_MAX: usize = 12;
/// Words of a text that is content.
const WORDS_OF_CONTENT: f64 = 4.0;
/// Digits of a whole number that is an identifier rather than a quantity: few quantities have so
/// many that differ in each.
const DIGITS_OF_IDENTIFIER: usize = 9;

/// The role that was found for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRole {
    /// The role.
    pub role: FieldRole,
    /// The values allow several roles, and the name of the field chose this one.
    pub by_name: bool,
}

/// Finds the role of each field. `events` are at most [`ROLES_EVENTS`] events with one value per
/// field, in the order of the file and evenly spread over it. Takes some milliseconds for ten
/// fields.
pub fn field_roles(fields: &[Field], events: &[Vec<Option<&str>>]) -> Vec<FoundRole> {
    let columns: Vec<Column> =
        fields.iter().enumerate().map(|(at, field)| Column::of(field, at, events)).collect();
    let clock = times::event_time(&columns);
    let places = places(&columns);
    let role = |at: usize| {
        let column = &columns[at];
        let found = |role| FoundRole { role, by_name: false };
        if Some(at) == clock {
            return found(FieldRole::EventTime);
        }
        if column.present == 0 {
            return found(FieldRole::Category);
        }
        if places.contains(&at) {
            return FoundRole { role: FieldRole::Place, by_name: true };
        }
        if times::is_part_of_time(column, clock.map(|clock| &columns[clock])) {
            return found(FieldRole::PartOfTime);
        }
        match column.field.kind {
            FieldKind::Time => found(FieldRole::OtherTime),
            FieldKind::Facets | FieldKind::Json => found(FieldRole::FreeText),
            FieldKind::Bool => found(FieldRole::Category),
            FieldKind::Int => whole_numbers(column, &columns),
            // A whole number becomes a decimal one where a program represents absent values so.
            FieldKind::Float if column.share(|text| text.ends_with(".0")) >= 1.0 => {
                whole_numbers(column, &columns)
            }
            FieldKind::Float => found(FieldRole::Measure),
            FieldKind::Text => texts(column, &columns),
        }
    };
    (0..fields.len()).map(role).collect()
}

/// Whether another field depends on this one.
fn determines_others(column: &Column, columns: &[Column]) -> bool {
    let others = columns.iter().take(RELATED_MAX);
    others.filter(|other| !core::ptr::eq(*other, column)).any(|other| column.determines(other))
}

fn whole_numbers(column: &Column, columns: &[Column]) -> FoundRole {
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
    // Each event has another number, and they rise.
    if column.is_monotonic() && column.repetition() < 2.0 {
        return found(Counter);
    }
    if least < 0.0 {
        return found(Measure);
    }
    if column.is_grouped() || determines_others(column, columns) {
        return found(if column.distinct < 6 && !column.is_grouped() { Category } else { SharedIdentifier });
    }
    let (count, range) = (column.present as f64, most - least + 1.0);
    // The number of repetitions if numbers were drawn by chance from their range (birthdays).
    let expected = count * count / (2.0 * range);
    let repetitions = (column.present - column.distinct) as f64;
    let digits = column.mean(|text| text.trim_end_matches(".0").len());
    let is_round = column.share(|text| text.trim_end_matches(".0").ends_with('0')) > 0.3;
    if repetitions == 0.0 && expected >= 5.0 {
        return found(UniqueIdentifier);
    }
    if digits >= DIGITS_OF_IDENTIFIER as f64 - 0.5 && !is_round {
        let is_shared = repetitions > 10.0 * (expected + 1.0) && column.repetition() >= 1.2;
        return found(if is_shared { SharedIdentifier } else { UniqueIdentifier });
    }
    // Five or more digits that repeat far more than chance allows, without a preference for round
    // ones, name something.
    if digits >= 4.5 && !is_round && column.repetition() >= 2.0 && repetitions > 50.0 * (expected + 1.0) {
        return found(SharedIdentifier);
    }
    let is_few = column.distinct <= CATEGORY_VALUES_MAX && column.repetition() >= 5.0;
    if least == 0.0 && !is_few {
        return found(Measure);
    }
    let identifier = if column.repetition() >= 1.5 { SharedIdentifier } else { UniqueIdentifier };
    match names::suggest_identifier(name) {
        true if !is_few || column.distinct >= 3 => FoundRole { role: identifier, by_name: true },
        _ if is_few => found(Category),
        _ => FoundRole { role: Measure, by_name: true },
    }
}

fn texts(column: &Column, columns: &[Column]) -> FoundRole {
    use FieldRole::{Category, Counter, FreeText, Measure, SharedIdentifier, UniqueIdentifier, Url};
    let found = |role| FoundRole { role, by_name: false };
    if column.share(shapes::is_url) >= 0.9 {
        return found(Url);
    }
    if column.share(shapes::is_quantity) >= 0.98 {
        return found(Measure);
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
        return found(match () {
            () if column.is_monotonic() && has_digits => Counter,
            () if has_digits && words < 1.5 => UniqueIdentifier,
            () if words >= 2.5 => FreeText,
            () => UniqueIdentifier,
        });
    }
    if column.is_grouped() || determines_others(column, columns) {
        return found(if column.distinct < 4 && !column.is_grouped() { Category } else { SharedIdentifier });
    }
    if has_digits && words < 1.5 && column.share(shapes::is_code) >= 0.9 {
        return found(SharedIdentifier);
    }
    if column.distinct <= CATEGORY_VALUES_MAX {
        return match names::suggest_identifier(&column.field.name) && column.distinct >= 4 {
            true => FoundRole { role: SharedIdentifier, by_name: true },
            false => found(Category),
        };
    }
    if column.repetition() < 1.5 && words >= 2.5 {
        return found(FreeText);
    }
    // Words: a few dozen of them could name entities or kinds.
    if column.distinct <= 40 && column.repetition() >= 5.0 {
        return match names::suggest_identifier(&column.field.name) {
            true => FoundRole { role: SharedIdentifier, by_name: true },
            false => FoundRole { role: Category, by_name: true },
        };
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
