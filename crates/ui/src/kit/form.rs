//! Forms of numbers, with a line of code for each field.

use tabletop_texts::common::NumberKind;
use yew::{Callback, Html};

use super::field::{Number, number_field, optional_number_field};

/// A number that a form edits in a `T`.
pub struct FormNumber<T> {
    label: &'static str,
    number: Number,
    place: Place<T>,
}

/// Where a `T` keeps a number.
pub enum Place<T> {
    /// A number that always has a value.
    Given(fn(&T) -> f64, fn(&mut T, f64)),
    /// A number that may be missing.
    Optional(fn(&T) -> Option<f64>, fn(&mut T, Option<f64>)),
}

/// The functions that read and that write a number of a `T`.
pub type Ways<T, N> = (fn(&T) -> N, fn(&mut T, N));

/// Makes the [`Ways`] of the field with this name: `number!(days_kept)`, or `number!(events as u32)`
/// if the field has another type.
macro_rules! number {
    ($($field:tt).+) => {
        (|of| of.$($field).+, |of, value| of.$($field).+ = value)
    };
    ($($field:tt).+ as $type:ty) => {
        (|of| of.$($field).+ as f64, |of, value| of.$($field).+ = value as $type)
    };
}
pub(crate) use number;

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T> Place<T> {
    /// Changes the number. A number that always has a value keeps it if the new one is `None`.
    pub fn set(self, of: &mut T, value: Option<f64>) {
        match (self, value) {
            (Place::Optional(_, set), value) => set(of, value),
            (Place::Given(_, set), Some(value)) => set(of, value),
            (Place::Given(..), None) => {}
        }
    }
}

impl<T> FormNumber<T> {
    /// A whole number.
    pub fn whole(label: &'static str, bounds: (f64, f64), (get, set): Ways<T, f64>) -> FormNumber<T> {
        FormNumber { label, number: within(bounds, NumberKind::Whole), place: Place::Given(get, set) }
    }

    /// Any number.
    pub fn any(label: &'static str, bounds: (f64, f64), (get, set): Ways<T, f64>) -> FormNumber<T> {
        FormNumber { label, number: within(bounds, NumberKind::Any), place: Place::Given(get, set) }
    }

    /// A number that may be absent.
    pub fn optional(
        label: &'static str,
        bounds: (f64, f64),
        (get, set): Ways<T, Option<f64>>,
    ) -> FormNumber<T> {
        FormNumber { label, number: within(bounds, NumberKind::Any), place: Place::Optional(get, set) }
    }

    /// Sets the step of the arrow keys, which is 1.
    pub fn step(self, step: f64) -> FormNumber<T> {
        FormNumber { number: Number { step, ..self.number }, ..self }
    }
}

fn within((min, max): (f64, f64), kind: NumberKind) -> Number {
    Number { value: 0.0, min, max, step: 1.0, kind }
}

/// Draws a field for each number of `of`. `edit` returns the callback of a field, which changes the
/// number at a place.
pub fn form<T: 'static>(
    numbers: impl IntoIterator<Item = FormNumber<T>>,
    of: &T,
    edit: impl Fn(Place<T>) -> Callback<Option<f64>>,
) -> impl Iterator<Item = Html> {
    let field = move |FormNumber { label, number, place }: FormNumber<T>| {
        let on_change = edit(place);
        match place {
            Place::Given(get, _) => {
                number_field(label, Number { value: get(of), ..number }, on_change.reform(Some))
            }
            Place::Optional(get, _) => optional_number_field(label, get(of), number, on_change),
        }
    };
    numbers.into_iter().map(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Of {
        rows: u32,
        limit: Option<f64>,
    }

    #[test]
    fn a_number_that_must_be_given_keeps_its_value() {
        let rows: FormNumber<Of> = FormNumber::whole("rows", (1.0, 9.0), number!(rows as u32));
        let limit: FormNumber<Of> = FormNumber::optional("limit", (0.0, 9.0), number!(limit));
        let mut of = Of { rows: 3, limit: Some(2.0) };
        rows.place.set(&mut of, Some(4.0));
        rows.place.set(&mut of, None);
        limit.place.set(&mut of, None);
        assert_eq!((of.rows, of.limit), (4, None));
    }
}
