//! What a field is to a key.

use serde::{Deserialize, Serialize};

/// What the values of a field are to a key. The crate `advice` finds it in the values; the user can
/// correct it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldRole {
    /// The time at which the event happened.
    EventTime,
    /// An instant of something else: a delivery, a birth.
    OtherTime,
    /// What follows from the clock: a date, a time of day, a weekday, a month, a year.
    PartOfTime,
    /// An identifier that several events share: a user, a device, a symbol.
    SharedIdentifier,
    /// An identifier of one event.
    UniqueIdentifier,
    /// One of few values: a status, a country, a color.
    Category,
    /// A quantity: a temperature, a price, a duration.
    Measure,
    /// A number that rises from event to event: a row number, an order number.
    Counter,
    /// Sentences, JSON or lists: content that is not looked up as a whole.
    FreeText,
    /// A coordinate.
    Place,
    /// A web address.
    Url,
}

impl FieldRole {
    /// Every role, in the order of menus.
    pub const ALL: [FieldRole; 11] = [
        FieldRole::EventTime,
        FieldRole::OtherTime,
        FieldRole::PartOfTime,
        FieldRole::SharedIdentifier,
        FieldRole::UniqueIdentifier,
        FieldRole::Category,
        FieldRole::Measure,
        FieldRole::Counter,
        FieldRole::FreeText,
        FieldRole::Place,
        FieldRole::Url,
    ];

    /// Returns whether a key may begin with the field: its values name something that events share.
    pub fn can_lead(self) -> bool {
        matches!(self, FieldRole::SharedIdentifier | FieldRole::Category | FieldRole::Url)
    }
}
