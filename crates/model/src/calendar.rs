//! Dates of the Gregorian calendar, and instants in ISO 8601. There are no leap seconds.

mod cursor;
mod iso;
#[cfg(test)]
mod tests;

pub use cursor::Cursor;
pub use iso::{Iso, parse};

/// A date of the Gregorian calendar, extended to the time before its introduction and before the
/// year 1 (year 0, -1, ...).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
// The order of the fields matters: dates sort by time.
pub struct Date {
    /// The year, such as 2019; 0 is the year before the year 1.
    pub year: i64,
    /// The month, 1 to 12.
    pub month: i64,
    /// The day of the month, 1 to 31.
    pub day: i64,
}

impl Date {
    /// Returns the date that is `days` after 1970-01-01.
    // Years begin in March here, so that the leap day is the last day of a year. There are 719,468
    // days between 0000-03-01 and 1970-01-01 (after Howard Hinnant, "chrono-Compatible Low-Level
    // Date Algorithms").
    pub fn from_days(days: i64) -> Date {
        let days = days + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        Date { year: era * 400 + year + i64::from(month <= 2), month, day }
    }

    /// Returns the days from 1970-01-01 to this date, negative for earlier dates, or `None` if the
    /// calendar has no such date.
    pub fn days(self) -> Option<i64> {
        if !(1..=12).contains(&self.month) || self.day < 1 {
            return None;
        }
        let (start, end) = (first_of_month(self.year, self.month), self.end_of_month());
        (self.day <= end - start).then_some(start + self.day - 1)
    }

    /// Returns the days from 1970-01-01 to the first day of the next month.
    pub fn end_of_month(self) -> i64 {
        if self.month == 12 {
            first_of_month(self.year + 1, 1)
        } else {
            first_of_month(self.year, self.month + 1)
        }
    }
}

/// Returns the days from 1970-01-01 to the first day of a month.
fn first_of_month(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}
