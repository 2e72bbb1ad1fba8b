//! Times in the formats of both languages.

use alloc::string::String;
use core::fmt::Write as _;

use crate::place::WRITTEN;
use tabletop_model::Timestamp;
use tabletop_model::calendar::Date;

/// Writes local time as `2006/01/02-15:04:05.000000`.
pub(crate) fn write_local(out: &mut String, timestamp: Timestamp, utc_offset_seconds: i32) {
    let seconds = timestamp.div_euclid(1_000_000).saturating_add(i64::from(utc_offset_seconds));
    let Date { year, month, day } = Date::from_days(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let micros = timestamp.rem_euclid(1_000_000);
    write!(out, "{year:04}/{month:02}/{day:02}-{hour:02}:{minute:02}:{second:02}.{micros:06}")
        .expect(WRITTEN);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(timestamp: Timestamp, offset: i32) -> String {
        let mut out = String::new();
        write_local(&mut out, timestamp, offset);
        out
    }

    #[test]
    fn times_are_local() {
        assert_eq!(local(0, 0), "1970/01/01-00:00:00.000000");
        assert_eq!(local(1_559_001_874_123_000, 0), "2019/05/28-00:04:34.123000");
        assert_eq!(local(1_559_001_874_123_000, -7 * 3_600), "2019/05/27-17:04:34.123000");
        assert_eq!(local(951_868_799_500_000, 1), "2000/03/01-00:00:00.500000");
        assert_eq!(local(951_868_799_500_000, 0), "2000/02/29-23:59:59.500000");
        assert_eq!(local(-1, 0), "1969/12/31-23:59:59.999999");
        assert_eq!(local(i64::MAX, i32::MAX).len(), "294315/01/01-00:00:00.000000".len());
    }
}
