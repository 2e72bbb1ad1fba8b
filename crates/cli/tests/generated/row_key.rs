// The row keys of a Bigtable table, written by Tabletop.
// Table orders, template {salt(3, from=2026-01-02)}-{customer}#{at:date}
// An event is a map from the names of its fields to their texts; a field without a value is not in the map.

use std::collections::HashMap;

/// The bytes of an event's row key; an error names the reason why it has none.
pub fn row_key(event: &HashMap<String, String>) -> Result<Vec<u8>, String> {
    let parts: Vec<Vec<u8>> = vec![
        utf8(field(event, "customer")?),
        utf8("#"),
        utf8(time_text(time_millis(field(event, "at")?)?, "date")?),
    ];
    let logical = parts.concat();
    // Before 2026-01-02: no salt.
    let key = if time_millis(field(event, "at")?)? < 1767312000000 {
        if begins_salted(&logical, 3, 1, b"-") {
            return Err("a key before the cut-over begins like a salted one".into());
        }
        logical.clone()
    } else {
        let salt = xxh64(&logical) % 3;
        [&utf8(format!("{salt:01}"))[..], &b"-"[..], &logical[..]].concat()
    };
    if logical.is_empty() || key.len() > 4096 {
        return Err(format!("a row key has 1 to 4096 bytes, not {}", key.len()));
    }
    Ok(key)
}

/// The text of a field.
fn field<'e>(event: &'e HashMap<String, String>, name: &str) -> Result<&'e str, String> {
    event.get(name).map(String::as_str).ok_or_else(|| format!("the event has no value for {name}"))
}

fn utf8(text: impl AsRef<str>) -> Vec<u8> {
    text.as_ref().as_bytes().to_vec()
}

/// Whether a key begins with a salt of these digits and the separator.
fn begins_salted(key: &[u8], salts: u32, digits: usize, separator: &[u8]) -> bool {
    let Some((head, rest)) = key.split_at_checked(digits) else { return false };
    let next = |salt: u32, digit: &u8| digit.is_ascii_digit().then(|| salt * 10 + u32::from(digit - b'0'));
    head.iter().try_fold(0, next).is_some_and(|salt| salt < salts) && rest.starts_with(separator)
}

/// Milliseconds since 1970 (UTC) of a date, a date and time, or a count of seconds, milliseconds,
/// microseconds or nanoseconds.
fn time_millis(text: impl AsRef<str>) -> Result<i64, String> {
    let text = text.as_ref();
    read_time(text).ok_or_else(|| format!("{text:?} is not a time"))
}

fn read_time(text: &str) -> Option<i64> {
    let mut rest = text.as_bytes();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if is_number(whole) && is_number(fraction) && whole.len() <= 19 && (whole.len() >= 9 || whole == text) {
        let count: i64 = whole.parse().ok()?;
        return match whole.len() {
            8 => day_millis(count / 10_000, count / 100 % 100, count % 100),
            1..=10 => Some(count * 1000 + format!("{fraction:0<3}")[..3].parse::<i64>().ok()?),
            11..=13 => Some(count),
            14..=16 => Some(count / 1000),
            _ => Some(count / 1_000_000),
        };
    }
    let year = digits(&mut rest, 4)?;
    expect(&mut rest, b"-")?;
    let month = digits(&mut rest, 2)?;
    expect(&mut rest, b"-")?;
    let day = day_millis(year, month, digits(&mut rest, 2)?)?;
    if rest.is_empty() {
        return Some(day);
    }
    expect(&mut rest, b"Tt ")?;
    let hour = digits(&mut rest, 2)?;
    expect(&mut rest, b":")?;
    let minute = digits(&mut rest, 2)?;
    let (mut second, mut millis) = (0, 0);
    if expect(&mut rest, b":").is_some() {
        second = digits(&mut rest, 2)?;
        if expect(&mut rest, b".,").is_some() {
            let fraction: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
            rest = &rest[fraction.len()..];
            let digit = |at: usize| fraction.get(at).map_or(0, |digit| i64::from(digit - b'0'));
            (!fraction.is_empty()).then_some(())?;
            millis = digit(0) * 100 + digit(1) * 10 + digit(2);
        }
    }
    let mut ahead = 0;
    if rest.len() > 1 {
        let _ = expect(&mut rest, b" ");
    }
    let is_utc = ["Z", "UTC", "GMT"].iter().any(|name| rest.eq_ignore_ascii_case(name.as_bytes()));
    if !is_utc && !rest.is_empty() {
        let sign = if expect(&mut rest, b"+").is_some() { 1 } else { expect(&mut rest, b"-").map(|()| -1)? };
        let hours = digits(&mut rest, 2)?;
        let minutes = if rest.is_empty() {
            0
        } else {
            let _ = expect(&mut rest, b":");
            digits(&mut rest, 2)?
        };
        (rest.is_empty() && hours <= 23 && minutes <= 59).then_some(())?;
        ahead = sign * (hours * 60 + minutes);
    }
    (hour <= 23 && minute <= 59 && second <= 59).then_some(())?;
    Some(day + ((hour * 60 + minute - ahead) * 60 + second) * 1000 + millis)
}

fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    head.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

fn expect(rest: &mut &[u8], one_of: &[u8]) -> Option<()> {
    let (first, tail) = rest.split_first()?;
    one_of.contains(first).then(|| *rest = tail)
}

fn day_millis(year: i64, month: i64, day: i64) -> Option<i64> {
    let before = |year: i64, month: i64| {
        let year = if month <= 2 { year - 1 } else { year };
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leap_days + (153 * ((month + 9) % 12) + 2) / 5 - 719_468
    };
    (1..=12).contains(&month).then_some(())?;
    let length = if month == 12 { 31 } else { before(year, month + 1) - before(year, month) };
    (1..=length).contains(&day).then(|| (before(year, month) + day - 1) * 86_400_000)
}

/// A time in the form of a row key.
fn time_text(millis: i64, form: &str) -> Result<String, String> {
    let is_count = matches!(form, "seconds" | "millis" | "reverse_time");
    let range = if is_count { 0..=9_999_999_999_999 } else { -62_167_219_200_000..=253_402_300_799_999 };
    if !range.contains(&millis) {
        return Err(format!("{millis} ms cannot be written as {form}"));
    }
    let width = match form {
        "seconds" => return Ok(format!("{:010}", millis / 1000)),
        "millis" => return Ok(format!("{millis:013}")),
        "reverse_time" => return Ok(format!("{:013}", 9_999_999_999_999 - millis)),
        "month" => 7,
        "date" => 10,
        "hour" => 13,
        _ => 24,
    };
    let (days, of_day) = (millis.div_euclid(86_400_000) + 719_468, millis.rem_euclid(86_400_000));
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    let iso = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z");
    Ok(iso[..width].to_string())
}

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME_4: u64 = 0x85EB_CA77_C2B2_AE63;
const PRIME_5: u64 = 0x27D4_EB2F_1656_67C5;

/// XXH64 with seed 0.
fn xxh64(data: &[u8]) -> u64 {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    let stir = |lane: u64, number: u64| {
        lane.wrapping_add(number.wrapping_mul(PRIME_2)).rotate_left(31).wrapping_mul(PRIME_1)
    };
    let mut found = PRIME_5;
    let mut blocks = data.chunks_exact(32);
    if data.len() >= 32 {
        let mut lanes = [PRIME_1.wrapping_add(PRIME_2), PRIME_2, 0, PRIME_1.wrapping_neg()];
        for block in &mut blocks {
            for (lane, bytes) in lanes.iter_mut().zip(block.chunks_exact(8)) {
                *lane = stir(*lane, number(bytes));
            }
        }
        let turned = lanes.iter().zip([1, 7, 12, 18]).map(|(lane, bits)| lane.rotate_left(bits));
        found = turned.fold(0, u64::wrapping_add);
        for lane in lanes {
            found = (found ^ stir(0, lane)).wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
        }
    }
    found = found.wrapping_add(data.len() as u64);
    let mut eights = blocks.remainder().chunks_exact(8);
    for eight in &mut eights {
        found = (found ^ stir(0, number(eight))).rotate_left(27).wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
    }
    let mut rest = eights.remainder();
    if let Some((four, tail)) = rest.split_at_checked(4) {
        found = (found ^ number(four).wrapping_mul(PRIME_1)).rotate_left(23).wrapping_mul(PRIME_2).wrapping_add(PRIME_3);
        rest = tail;
    }
    for &byte in rest {
        found = (found ^ u64::from(byte).wrapping_mul(PRIME_5)).rotate_left(11).wrapping_mul(PRIME_1);
    }
    found = (found ^ found >> 33).wrapping_mul(PRIME_2);
    found = (found ^ found >> 29).wrapping_mul(PRIME_3);
    found ^ found >> 32
}
