//: core
/// The text of a field.
fn field<'e>(event: &'e HashMap<String, String>, name: &str) -> Result<&'e str, String> {
    event.get(name).map(String::as_str).ok_or_else(|| format!("the event has no value for {name}"))
}

//: or
/// The text of a field, or the placeholder if it is absent or empty.
fn field_or<'e>(event: &'e HashMap<String, String>, name: &str, placeholder: &'e str) -> &'e str {
    field(event, name).ok().filter(|text| !text.is_empty()).unwrap_or(placeholder)
}

//: utf8
fn utf8(text: impl AsRef<str>) -> Vec<u8> {
    text.as_ref().as_bytes().to_vec()
}

//: salted
/// Whether a key begins with a salt of these digits and the separator.
fn begins_salted(key: &[u8], salts: u32, digits: usize, separator: &[u8]) -> bool {
    let Some((head, rest)) = key.split_at_checked(digits) else { return false };
    let next = |salt: u32, digit: &u8| digit.is_ascii_digit().then(|| salt * 10 + u32::from(digit - b'0'));
    head.iter().try_fold(0, next).is_some_and(|salt| salt < salts) && rest.starts_with(separator)
}

//: time
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

//: time_format
const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Milliseconds since 1970 of a time in a format of strftime; without %z it is in UTC.
fn time_in(text: impl AsRef<str>, form: &str) -> Result<i64, String> {
    let text = text.as_ref();
    read_time_in(text, form).ok_or_else(|| format!("{text:?} is not a time in the format {form}"))
}

fn read_time_in(text: &str, form: &str) -> Option<i64> {
    let mut rest = text.trim().as_bytes();
    let [mut year, mut month, mut day, mut hour, mut minute, mut second, mut millis, mut ahead] = [0; 8];
    let (mut half, mut count) = (None, None);
    let mut form = form.as_bytes().iter();
    while let Some(&byte) = form.next() {
        match if byte == b'%' { (true, *form.next()?) } else { (false, byte) } {
            (false, b' ') => {
                expect(&mut rest, b" ")?;
                while expect_if(&mut rest, b" ") {}
            }
            (true, b'Y') => year = digits(&mut rest, 4)?,
            (true, b'y') => {
                let short = digits(&mut rest, 2)?;
                year = short + if short < 69 { 2000 } else { 1900 };
            }
            (true, b'm') => month = short(&mut rest)?,
            (true, b'd') => day = short(&mut rest)?,
            (true, b'b' | b'B') => month = name(&mut rest, &MONTHS)? + 1,
            (true, b'a' | b'A') => drop(name(&mut rest, &WEEKDAYS)?),
            (true, b'H') => hour = short(&mut rest)?,
            (true, b'I') => hour = short(&mut rest).filter(|hour| (1..=12).contains(hour))?,
            (true, b'M') => minute = short(&mut rest)?,
            (true, b'S') => second = short(&mut rest)?,
            (true, b'f') => millis = thousandths(&mut rest)?,
            (true, b'p') => {
                half = Some(if expect_if(&mut rest, b"Pp") { 12 } else { expect(&mut rest, b"Aa").map(|()| 0)? });
                expect(&mut rest, b"Mm")?;
            }
            (true, b'z') => ahead = zone(&mut rest)?,
            (true, b's') => {
                let sign = if expect_if(&mut rest, b"-") { -1 } else { 1 };
                let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                count = Some(sign * digits(&mut rest, Some(length).filter(|length| (1..=15).contains(length))?)?);
                if !form.as_slice().starts_with(b".") && rest.get(1).is_some_and(u8::is_ascii_digit) && expect_if(&mut rest, b".") {
                    millis = thousandths(&mut rest)?;
                }
            }
            (_, literal) => expect(&mut rest, &[literal])?,
        }
    }
    rest.is_empty().then_some(())?;
    if let Some(count) = count {
        return Some(count * 1000 + millis);
    }
    hour = half.map_or(hour, |half| hour % 12 + half);
    (hour <= 23 && minute <= 59 && second <= 59).then_some(())?;
    Some(day_millis(year, month, day)? + ((hour * 60 + minute - ahead) * 60 + second) * 1000 + millis)
}

fn short(rest: &mut &[u8]) -> Option<i64> {
    let count = if rest.get(1).is_some_and(u8::is_ascii_digit) { 2 } else { 1 };
    digits(rest, count)
}

fn name(rest: &mut &[u8], names: &[&str]) -> Option<i64> {
    let (word, tail) = rest.split_at(rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count());
    *rest = tail;
    let is_word = |name: &&str| [name, &name[..3]].iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()));
    Some(names.iter().position(is_word)? as i64)
}

fn thousandths(rest: &mut &[u8]) -> Option<i64> {
    let (fraction, tail) = rest.split_at(rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
    *rest = tail;
    let digit = |at: usize| fraction.get(at).map_or(0, |digit| i64::from(digit - b'0'));
    (!fraction.is_empty()).then(|| digit(0) * 100 + digit(1) * 10 + digit(2))
}

/// Minutes that a zone is ahead of UTC.
fn zone(rest: &mut &[u8]) -> Option<i64> {
    for name in ["UTC", "GMT", "Z"] {
        if rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())) {
            *rest = &rest[name.len()..];
            return Some(0);
        }
    }
    let sign = if expect_if(rest, b"+") { 1 } else { expect(rest, b"-").map(|()| -1)? };
    let hours = digits(rest, 2)?;
    let has_minutes = expect_if(rest, b":") || rest.first().is_some_and(u8::is_ascii_digit);
    let minutes = if has_minutes { digits(rest, 2)? } else { 0 };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

fn expect_if(rest: &mut &[u8], one_of: &[u8]) -> bool {
    rest.first().is_some_and(|first| one_of.contains(first)) && expect(rest, one_of).is_some()
}

//: day
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

//: time_text
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

//: bucket
/// A time, rounded down to a multiple of this many seconds since 1970.
fn bucket(millis: i64, seconds: i64) -> i64 {
    millis.div_euclid(seconds * 1000) * seconds * 1000
}

//: pad
/// A whole number in this many digits; a negative one as a minus and the nines' complement, so that
/// it sorts correctly.
fn pad(text: impl AsRef<str>, width: usize) -> Result<String, String> {
    let text = text.as_ref().trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{text:?} is not a whole number"));
    }
    let digits = digits.trim_start_matches('0');
    if digits.len() > width {
        return Err(format!("{text:?} has more than {width} digits"));
    }
    let padded = format!("{digits:0>width$}");
    if !negative || digits.is_empty() {
        return Ok(padded);
    }
    Ok("-".chars().chain(padded.bytes().map(|digit| char::from(b'0' + b'9' - digit))).collect())
}

//: reverse
fn reverse(text: impl AsRef<str>) -> String {
    text.as_ref().chars().rev().collect()
}

//: reverse_domain
/// The domain of a URL or of a host in reverse order, before the rest of the URL without its scheme.
fn reverse_domain(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let text = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => text.strip_prefix("//").unwrap_or(text),
    };
    let (authority, rest) = text.split_at(text.find(['/', '?', '#']).unwrap_or(text.len()));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (format!("@{user}"), host),
        None => (String::new(), authority),
    };
    let port = host.find(':').filter(|_| !host.starts_with('[')).unwrap_or(host.len());
    let (host, port) = host.split_at(port);
    let is_address = host.starts_with('[') || host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let host = if is_address {
        host.to_string()
    } else {
        let labels: Vec<&str> = host.strip_suffix('.').unwrap_or(host).rsplit('.').collect();
        labels.join(".").to_ascii_lowercase()
    };
    format!("{host}{port}{user}{rest}")
}

//: upper
/// a to z as A to Z, nothing else.
fn upper(text: impl AsRef<str>) -> String {
    text.as_ref().to_ascii_uppercase()
}

//: lower
/// A to Z as a to z, nothing else.
fn lower(text: impl AsRef<str>) -> String {
    text.as_ref().to_ascii_lowercase()
}

//: hash
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

//: hash_hex
/// The first hexadecimal digits of the text's XXH64.
fn hash_hex(text: impl AsRef<str>, digits: usize) -> String {
    format!("{:016x}", xxh64(text.as_ref().as_bytes()))[..digits].to_string()
}

//: zorder
/// A number as a step of its range: a whole number of this many bits.
fn scale(text: impl AsRef<str>, low: f64, high: f64, bits: u32) -> Result<u64, String> {
    let text = text.as_ref().trim();
    let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if !(low <= value && value <= high) {
        return Err(format!("{value} is not in {low}..{high}"));
    }
    let steps = 1u64 << bits;
    Ok((((value - low) / (high - low) * steps as f64).floor() as u64).min(steps - 1))
}

/// The bits of two numbers in turn, the highest of the first one first.
fn interleave(first: u64, second: u64, bits: u32) -> u64 {
    (0..bits).rev().fold(0, |number, bit| number << 2 | (first >> bit & 1) << 1 | second >> bit & 1)
}

//: decimal
fn decimal(number: u64, width: usize) -> String {
    format!("{number:0width$}")
}

//: hex
fn hexadecimal(number: u64, width: usize) -> String {
    format!("{number:0width$x}")
}

//: big_endian
fn big_endian(number: u64, width: usize) -> Vec<u8> {
    number.to_be_bytes()[8 - width..].to_vec()
}

//: logical
/// A key without its salt.
fn logical_key(key: &[u8]) -> &[u8] {
    &key[SALT_BYTES..]
}

//: logical_cut_over
/// A key without its salt, if it has one. (A key that does not hold the time can have two rows,
/// from before and after the cut-over.)
fn logical_key(key: &[u8]) -> &[u8] {
    let Some((head, rest)) = key.split_at_checked(SALT_BYTES) else { return key };
    let (digits, separator) = head.split_at(SALT_BYTES - SEPARATOR.len());
    let next = |salt: u32, digit: &u8| digit.is_ascii_digit().then(|| salt * 10 + u32::from(digit - b'0'));
    let is_salted = digits.iter().try_fold(0, next).is_some_and(|salt| salt < SALTS) && separator == SEPARATOR;
    if is_salted { rest } else { key }
}

//: parameters
/// Milliseconds since 1970, rounded up.
fn millis_of(time: std::time::SystemTime) -> i64 {
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => after.as_nanos().div_ceil(1_000_000) as i64,
        Err(before) => -(before.duration().as_millis() as i64),
    }
}

/// The ends of the keys that begin with a text; an empty end is none.
fn ends_of(low: &[u8]) -> (Vec<u8>, Vec<u8>) {
    ends_between(low.to_vec(), low.to_vec())
}

/// The ends of the keys that begin with a text from low to high.
fn ends_between(low: Vec<u8>, mut high: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    while high.pop_if(|last| *last == 0xff).is_some() {}
    if let Some(last) = high.last_mut() {
        *last += 1;
    }
    (low, high)
}

/// The ends of the keys with a time of [start, end) after the head. The format has times from first
/// to last.
fn time_ends(
    head: &[u8],
    start: Option<std::time::SystemTime>,
    end: Option<std::time::SystemTime>,
    first: i64,
    last: i64,
    text: impl Fn(i64) -> Result<Vec<u8>, String>,
    backward: bool,
) -> Result<(Vec<u8>, Vec<u8>), String> {
    let low = start.map_or(first, |start| first.max(millis_of(start)));
    let high = end.map_or(last, |end| last.min(millis_of(end) - 1));
    if low > high {
        return Ok((b"1".to_vec(), b"0".to_vec()));
    }
    let from = [head, &if low > first { text(low)? } else { Vec::new() }].concat();
    let to = [head, &if high < last { text(high)? } else { Vec::new() }].concat();
    Ok(if backward { ends_between(to, from) } else { ends_between(from, to) })
}

/// The row sets of the keys between two ends, after each prefix.
fn rows_within(prefixes: &[Vec<u8>], (low, high): &(Vec<u8>, Vec<u8>)) -> Vec<Rows> {
    if !high.is_empty() && low >= high {
        return Vec::new();
    }
    let end = |prefix: &Vec<u8>| if high.is_empty() { ends_of(prefix).1 } else { [&prefix[..], high].concat() };
    prefixes.iter().map(|prefix| (Vec::new(), vec![([&prefix[..], low].concat(), end(prefix))])).collect()
}

fn single_rows(prefixes: &[Vec<u8>], key: &[u8]) -> Vec<Rows> {
    prefixes.iter().map(|prefix| (vec![[&prefix[..], key].concat()], Vec::new())).collect()
}

fn all_salts(count: u32, width: usize, separator: &[u8]) -> Vec<Vec<u8>> {
    (0..count).map(|salt| [format!("{salt:0width$}").as_bytes(), separator].concat()).collect()
}

//: query
/// Keys, and ranges from a start (inclusive) to an end (exclusive; empty for none).
type Rows = (Vec<Vec<u8>>, Vec<(Vec<u8>, Vec<u8>)>);

type Answer = Vec<(Vec<u8>, Vec<RowCell>)>;

/// The rows of all sets, read at the same time, in the order of their logical keys.
async fn read(
    client: &BigTable,
    table: &str,
    row_sets: &[Rows],
    filter: Option<RowFilter>,
    limit: usize,
    backward: bool,
    logical: fn(&[u8]) -> &[u8],
) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let mut answers = tokio::task::JoinSet::new();
    for (keys, ranges) in row_sets {
        let row_ranges = ranges.iter().map(|(start, end)| RowRange {
            start_key: (!start.is_empty()).then(|| StartKey::StartKeyClosed(start.clone())),
            end_key: (!end.is_empty()).then(|| EndKey::EndKeyOpen(end.clone())),
        });
        let request = ReadRowsRequest {
            table_name: client.get_full_table_name(table),
            rows: Some(RowSet {
                row_keys: keys.clone(),
                row_ranges: row_ranges.collect(),
            }),
            filter: filter.clone(),
            rows_limit: limit as i64,
            reversed: backward,
            ..ReadRowsRequest::default()
        };
        let mut client = client.clone();
        answers.spawn(async move { client.read_rows(request).await });
    }
    let mut rows = Answer::new();
    while let Some(answer) = answers.join_next().await {
        rows.extend(answer??);
    }
    rows.sort_by(|(a, _), (b, _)| {
        let order = logical(a).cmp(logical(b));
        if backward { order.reverse() } else { order }
    });
    rows.truncate(if limit > 0 { limit } else { usize::MAX });
    Ok(rows)
}

fn filter(filter: Filter) -> RowFilter {
    RowFilter { filter: Some(filter) }
}

//: values
/// A value of a cell, read from its start.
struct Value<'v>(&'v [u8]);

impl<'v> Value<'v> {
    /// The next bytes.
    fn take(&mut self, count: u64) -> Option<&'v [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number with seven bits in each byte, the lowest first.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

fn utf8(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

//: counted
/// How often an event has a facet. The facet is empty if the column names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCount {
    pub facet: String,
    pub operator: String,
    pub value: String,
    pub count: u64,
}

//: event
/// The texts of each field that an event has.
pub type Event = std::collections::BTreeMap<String, Vec<String>>;

//: protobuf
/// The numbers and contents of the fields of a protobuf message: bytes, or a number.
fn message(bytes: &[u8]) -> Option<Vec<(u64, Result<&[u8], u64>)>> {
    let (mut value, mut fields) = (Value(bytes), Vec::new());
    while !value.0.is_empty() {
        let (key, content) = (value.varint()?, value.varint()?);
        fields.push((key >> 3, if key & 7 == 2 { Ok(value.take(content)?) } else { Err(content) }));
    }
    Some(fields)
}

//: compact_list
impl Value<'_> {
    /// A text after its length.
    fn text(&mut self) -> Option<String> {
        let length = self.varint()?;
        utf8(self.take(length)?)
    }
}

//: message_pack
impl Value<'_> {
    /// A number, or the length of a text, a list or a map.
    fn head(&mut self) -> Option<u64> {
        let size = match self.take(1)?[0] {
            mark @ 0..0x80 => return Some(mark.into()),
            mark @ 0x80..0xa0 => return Some((mark & 0x0f).into()),
            mark @ 0xa0..0xc0 => return Some((mark & 0x1f).into()),
            0xcc | 0xd9 => 1,
            0xcd | 0xda | 0xdc | 0xde => 2,
            0xce | 0xdb | 0xdd | 0xdf => 4,
            _ => return None,
        };
        Some(self.take(size)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Whether a list comes next.
    fn is_list(&self) -> bool {
        matches!(self.0.first(), Some(0x90..0xa0 | 0xdc | 0xdd))
    }

    /// A text.
    fn packed_text(&mut self) -> Option<String> {
        let length = self.head()?;
        utf8(self.take(length)?)
    }
}

//: protobuf_counts
/// The counts in a value of a cell; `None` for another value.
/// `message FacetCounts { repeated FacetCount counts = 1; }`
/// `message FacetCount { string name = 1; string operator = 2; string value = 3; uint32 count = 4; }`
pub fn decode_value(value: &[u8]) -> Option<Vec<FacetCount>> {
    let mut counts = Vec::new();
    for (outer, one) in message(value)? {
        (outer == 1).then_some(())?;
        let (mut texts, mut count) = ([const { String::new() }; 3], 0);
        for (field, content) in message(one.ok()?)? {
            match content {
                Ok(text) => *texts.get_mut((field as usize).checked_sub(1)?)? = utf8(text)?,
                Err(number) => count = number,
            }
        }
        let [facet, operator, value] = texts;
        counts.push(FacetCount { facet, operator, value, count });
    }
    Some(counts)
}

//: protobuf_event
/// The event in a value of a cell; `None` for another value. Field n of the message is the nth one
/// of `FIELDS`.
pub fn decode_value(value: &[u8]) -> Option<Event> {
    let mut event = Event::new();
    for (field, content) in message(value)? {
        let name = FIELDS.get((field as usize).checked_sub(1)?)?;
        event.entry(name.to_string()).or_default().push(utf8(content.ok()?)?);
    }
    Some(event)
}

//: compact_list_counts
/// The counts in a value of a cell; `None` for another value.
pub fn decode_value(value: &[u8]) -> Option<Vec<FacetCount>> {
    let (mut value, mut counts) = (Value(value), Vec::new());
    for _ in 0..value.varint()? {
        let facet = if TEXTS == 3 { value.text()? } else { String::new() };
        let (operator, text, count) = (value.text()?, value.text()?, value.varint()?);
        counts.push(FacetCount { facet, operator, value: text, count });
    }
    value.0.is_empty().then_some(counts)
}

//: compact_list_event
/// The event in a value of a cell; `None` for another value.
pub fn decode_value(value: &[u8]) -> Option<Event> {
    let (mut value, mut event) = (Value(value), Event::new());
    (value.varint()? == FIELDS.len() as u64).then_some(())?;
    for name in FIELDS {
        for _ in 0..value.varint()? {
            event.entry(name.to_string()).or_default().push(value.text()?);
        }
    }
    value.0.is_empty().then_some(event)
}

//: message_pack_counts
/// The counts in a value of a cell; `None` for another value.
pub fn decode_value(value: &[u8]) -> Option<Vec<FacetCount>> {
    let (mut value, mut counts) = (Value(value), Vec::new());
    for _ in 0..value.head()? {
        (value.head()? == TEXTS + 1).then_some(())?;
        let facet = if TEXTS == 3 { value.packed_text()? } else { String::new() };
        let (operator, text, count) = (value.packed_text()?, value.packed_text()?, value.head()?);
        counts.push(FacetCount { facet, operator, value: text, count });
    }
    value.0.is_empty().then_some(counts)
}

//: message_pack_event
/// The event in a value of a cell; `None` for another value.
pub fn decode_value(value: &[u8]) -> Option<Event> {
    let (mut value, mut event) = (Value(value), Event::new());
    for _ in 0..value.head()? {
        let name = value.packed_text()?;
        for _ in 0..if value.is_list() { value.head()? } else { 1 } {
            event.entry(name.clone()).or_default().push(value.packed_text()?);
        }
    }
    value.0.is_empty().then_some(event)
}
