//! Adds the chosen time zone to times that are written without one.

use tabletop_keys::{
    Field, FieldKind, is_placeholder,
    time::{self, DateFormat},
};
use tabletop_workspace::{TimeZone, offset_text};

use super::Events;

/// The end of the format of a time with a zone.
const ZONE: &str = " %z";

/// The time zone of times of day without one. A day alone has no zone.
#[derive(Clone, Debug, Default)]
pub(super) struct Zones {
    zone: TimeZone,
    /// Formats of times with a zone, and the same formats without it.
    known: Vec<(DateFormat, DateFormat)>,
}

impl Zones {
    pub(super) fn new(zone: TimeZone) -> Zones {
        Zones { zone, known: Vec::new() }
    }

    /// Returns whether times without a zone are in another zone than UTC.
    pub(super) fn is_chosen(&self) -> bool {
        self.zone != TimeZone::Utc
    }

    /// Returns the format of times to which a zone is added; `None` if times in this format get no
    /// zone.
    pub(super) fn format(&self, format: &DateFormat) -> Option<DateFormat> {
        let gets_zone = self.is_chosen() && format.lacks_zone();
        gets_zone.then(|| DateFormat::new(&[format.as_str(), ZONE].concat()).ok()).flatten()
    }

    /// Returns a time with its zone; `None` if the text has one, or is not a time of day.
    pub(super) fn add_to(&mut self, text: &str, format: Option<&DateFormat>) -> Option<String> {
        let trimmed = text.trim();
        let Some(format) = format else {
            // A text to which a zone can be added has a time of day and no zone.
            time::parse(&[trimmed, "Z"].concat())?;
            let local = time::parse(trimmed)?;
            return Some([trimmed, &offset_text(self.zone.offset_minutes(local))].concat());
        };
        if format.parse(trimmed).is_some() {
            return None;
        }
        let local = self.without_zone(format)?.parse(trimmed)?;
        Some([trimmed, " ", &offset_text(self.zone.offset_minutes(local))].concat())
    }

    /// Returns a format without the zone at its end.
    fn without_zone(&mut self, format: &DateFormat) -> Option<&DateFormat> {
        let at = match self.known.iter().position(|(known, _)| known == format) {
            Some(at) => at,
            None => {
                let without = DateFormat::new(format.as_str().strip_suffix(ZONE)?).ok()?;
                self.known.push((format.clone(), without));
                self.known.len() - 1
            }
        };
        Some(&self.known[at].1)
    }

    /// Adds the zone to the times of a field so far. Returns whether there were any without one.
    pub(super) fn add_to_field(&mut self, at: usize, field: &mut Field, events: &mut Events) -> bool {
        if !self.is_chosen() || field.kind != FieldKind::Time {
            return false;
        }
        if let Some(format) = field.format.as_ref().and_then(|format| self.format(format)) {
            field.format = Some(format);
        }
        let mut is_any = false;
        events.rewrite(at, |text| {
            let zoned = self.add_to(text, field.format.as_ref()).filter(|_| !is_placeholder(text))?;
            is_any = true;
            Some(zoned)
        });
        is_any
    }

    /// Says in which zone the times of a field are read.
    pub(super) fn message(&self, name: &str) -> String {
        let is_place = matches!(self.zone, TimeZone::Place(_));
        let rules = if is_place { ", with the present rules of this place" } else { "" };
        format!("Times of {name} without a time zone are read as times in {}{rules}.", self.zone)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use tabletop_keys::Roles;
    use tabletop_workspace::{Format, OnBadLine, OwnData, Reading};

    use super::*;
    use crate::events::Reader;

    /// Returns the texts and the instants of the event times of a CSV file, and its fields.
    fn times(csv: &str, zone: &str, fields: Vec<Field>) -> (Vec<String>, Vec<String>, Vec<Field>) {
        let reading = Reading { zone: TimeZone::new(zone).expect("a zone"), ..Reading::default() };
        let own = OwnData {
            name: "a.csv".into(),
            format: Format::Csv,
            fields,
            on_bad_line: OnBadLine::Skip,
            reading,
            content: None,
        };
        let mut events = Events::default();
        Reader::new(&own).feed(csv.as_bytes(), true, &mut events).expect("a file");
        let at = Roles::of(events.fields()).time.expect("a time");
        let field = events.fields()[at].clone();
        let text = |index| events.value(index, at).unwrap_or_default().to_owned();
        let texts: Vec<String> = (0..events.len()).map(text).collect();
        let instant = |text: &String| field.micros(text).map(time::format).unwrap_or_default();
        let instants = texts.iter().map(instant).collect();
        (texts, instants, events.fields().to_vec())
    }

    #[test]
    fn times_without_a_zone_are_in_the_chosen_one() {
        let table = "at,n\n2026-07-01 09:00,1\n2026-07-01T09:00:30Z,2\n2026-01-01 09:00,3\n";
        let (texts, instants, fields) = times(table, "Europe/Berlin", vec![]);
        assert_eq!(texts, ["2026-07-01 09:00+02:00", "2026-07-01T09:00:30Z", "2026-01-01 09:00+01:00"]);
        let expected = ["2026-07-01T07:00:00.000Z", "2026-07-01T09:00:30.000Z", "2026-01-01T08:00:00.000Z"];
        assert_eq!(instants, expected);
        assert_eq!(times(table, "Europe/Berlin", fields).1, instants, "with the fields that were found");
        assert_eq!(times(table, "UTC", vec![]).0[0], "2026-07-01 09:00");
        assert_eq!(times(table, "-05:30", vec![]).1[0], "2026-07-01T14:30:00.000Z");
    }

    #[test]
    fn times_in_another_format_get_a_zone_too() {
        let table = "at,n\n25.07.2026 09:00,1\n26.07.2026 10:30,2\n";
        let (texts, instants, fields) = times(table, "+02:00", vec![]);
        assert_eq!(texts[0], "25.07.2026 09:00 +02:00");
        assert_eq!(instants, ["2026-07-25T07:00:00.000Z", "2026-07-26T08:30:00.000Z"]);
        assert_eq!(fields[0].format.as_ref().map(DateFormat::as_str), Some("%d.%m.%Y %H:%M %z"));
        assert_eq!(times(table, "+02:00", fields).1, instants);
        let format = DateFormat::new("%d.%m.%Y %H:%M").ok();
        let given = Field { format, ..Field::new("at", FieldKind::Time) };
        assert_eq!(times(table, "+02:00", vec![given, Field::new("n", FieldKind::Int)]).1, instants);
        let joined = "day,clock,n\n2026-07-25,09:00,1\n2026-07-26,10:30,2\n";
        let (_, found, fields) = times(joined, "+02:00", vec![]);
        assert_eq!(found, instants);
        assert_eq!(times(joined, "+02:00", fields).1, instants);
    }

    #[test]
    fn days_and_counts_have_no_zone() {
        for table in [
            "day,n\n2026-07-01,1\n2026-07-02,2\n",
            "ts,n\n1782896400,1\n1782896460,2\n",
            "at,n\n25.07.2026,1\n26.07.2026,2\n",
        ] {
            assert_eq!(times(table, "+02:00", vec![]), times(table, "UTC", vec![]));
        }
    }
}
