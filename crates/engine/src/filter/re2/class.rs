//! Sets of bytes: `[a-z]`, `\d`, `[[:alpha:]]`, `\pL`.

use core::ops::RangeInclusive;

use super::{Parser, PatternError};

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::filter) struct ByteSet([u64; 4]);

impl ByteSet {
    pub const NONE: ByteSet = ByteSet([0; 4]);
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);
    /// The bytes that `.` matches.
    pub const NOT_NEWLINE: ByteSet = ByteSet([!(1 << b'\n'), u64::MAX, u64::MAX, u64::MAX]);

    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte) / 64] >> (byte % 64) & 1 == 1
    }

    pub fn insert(&mut self, bytes: RangeInclusive<u8>) {
        bytes.for_each(|byte| self.0[usize::from(byte) / 64] |= 1 << (byte % 64));
    }

    /// Returns the byte, if there is only one.
    pub fn only(&self) -> Option<u8> {
        let count: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        let word = self.0.iter().position(|&word| word != 0)?;
        (count == 1).then(|| (word * 64) as u8 + self.0[word].trailing_zeros() as u8)
    }

    /// Returns the set as ranges, ascending.
    pub fn ranges(&self) -> impl Iterator<Item = (u8, u8)> {
        let set = *self;
        let mut next = 0u16;
        core::iter::from_fn(move || {
            let start = (next..256).find(|&byte| set.contains(byte as u8))?;
            let end = (start..256).take_while(|&byte| set.contains(byte as u8)).last()?;
            next = end + 1;
            Some((start as u8, end as u8))
        })
    }

    fn union(&self, other: &ByteSet) -> ByteSet {
        ByteSet(core::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    fn complement(&self) -> ByteSet {
        ByteSet(self.0.map(|word| !word))
    }

    /// Returns the set with the other case of each letter of Latin-1, if that is in Latin-1 too.
    pub fn fold_case(&self) -> ByteSet {
        let mut folded = *self;
        for upper in (b'A'..=b'Z').chain(0xc0..=0xde).filter(|&byte| byte != 0xd7) {
            let lower = upper + 0x20;
            if self.contains(upper) || self.contains(lower) {
                folded.insert(upper..=upper);
                folded.insert(lower..=lower);
            }
        }
        folded
    }

    fn of(bytes: &[RangeInclusive<u8>]) -> ByteSet {
        let mut set = ByteSet::NONE;
        bytes.iter().for_each(|range| set.insert(range.clone()));
        set
    }

    fn matching(test: impl Fn(u8) -> bool) -> ByteSet {
        let mut set = ByteSet::NONE;
        (0..=255).filter(|&byte| test(byte)).for_each(|byte| set.insert(byte..=byte));
        set
    }
}

impl Parser<'_> {
    /// Reads a class from `[` to its `]`.
    pub(super) fn class(&mut self) -> Result<ByteSet, PatternError> {
        let start = self.at;
        self.at += 1;
        let negated = self.rest().first() == Some(&b'^');
        self.at += usize::from(negated);
        let mut set = ByteSet::NONE;
        let mut first = true;
        loop {
            let Some(&byte) = self.rest().first() else {
                return Err(self.error_about(start, "missing ]"));
            };
            // A bracket in the first position is literal.
            if byte == b']' && !first {
                break;
            }
            first = false;
            let named = if byte == b'[' { self.posix_class()? } else { self.named_class()? };
            let part = match named {
                Some(named) => named,
                None => self.class_range(start)?,
            };
            set = set.union(&part);
        }
        self.at += 1;
        Ok(if negated { set.complement() } else { set })
    }

    fn class_range(&mut self, class_start: usize) -> Result<ByteSet, PatternError> {
        let start = self.at;
        let low = self.class_byte(class_start)?;
        let mut high = low;
        if let [b'-', next, ..] = self.rest()
            && *next != b']'
        {
            self.at += 1;
            high = self.class_byte(class_start)?;
        }
        if high < low {
            return Err(self.error_about(start, "invalid character class range"));
        }
        let set = ByteSet::of(&[low..=high]);
        Ok(if self.flags.fold_case { set.fold_case() } else { set })
    }

    fn class_byte(&mut self, class_start: usize) -> Result<u8, PatternError> {
        match self.rest() {
            [] => Err(self.error_about(class_start, "missing ]")),
            [b'\\', ..] => self.escaped_byte(),
            [byte, ..] => {
                self.at += 1;
                Ok(*byte)
            }
        }
    }

    /// Reads `[:alpha:]` inside a class.
    fn posix_class(&mut self) -> Result<Option<ByteSet>, PatternError> {
        let start = self.at;
        let [b'[', b':', rest @ ..] = self.rest() else { return Ok(None) };
        let Some(length) = rest.windows(2).position(|pair| pair == b":]") else { return Ok(None) };
        self.at += length + 4;
        let (negated, name) = match &rest[..length] {
            [b'^', name @ ..] => (true, name),
            name => (false, name),
        };
        let set = match name {
            b"alnum" => ByteSet::matching(|byte| byte.is_ascii_alphanumeric()),
            b"alpha" => ByteSet::matching(|byte| byte.is_ascii_alphabetic()),
            b"ascii" => ByteSet::of(&[0..=0x7f]),
            b"blank" => ByteSet::of(&[b'\t'..=b'\t', b' '..=b' ']),
            b"cntrl" => ByteSet::matching(|byte| byte.is_ascii_control()),
            b"digit" => ByteSet::of(&[b'0'..=b'9']),
            b"graph" => ByteSet::of(&[b'!'..=b'~']),
            b"lower" => ByteSet::of(&[b'a'..=b'z']),
            b"print" => ByteSet::of(&[b' '..=b'~']),
            b"punct" => ByteSet::matching(|byte| byte.is_ascii_punctuation()),
            b"space" => ByteSet::of(&[b'\t'..=b'\r', b' '..=b' ']),
            b"upper" => ByteSet::of(&[b'A'..=b'Z']),
            b"word" => word(),
            b"xdigit" => ByteSet::matching(|byte| byte.is_ascii_hexdigit()),
            _ => return Err(self.error_about(start, "invalid character class range")),
        };
        Ok(Some(self.of_class(set, negated)))
    }

    /// Reads `\d`, `\pN` and the like. Reads nothing if the text is something else.
    pub(super) fn named_class(&mut self) -> Result<Option<ByteSet>, PatternError> {
        let start = self.at;
        let [b'\\', letter, rest @ ..] = self.rest() else { return Ok(None) };
        let set = match letter.to_ascii_lowercase() {
            b'd' => ByteSet::of(&[b'0'..=b'9']),
            b's' => ByteSet::of(&[b'\t'..=b'\n', 0x0c..=b'\r', b' '..=b' ']),
            b'w' => word(),
            b'p' => {
                let (name, length) = match rest {
                    [b'{', rest @ ..] => match rest.iter().position(|&byte| byte == b'}') {
                        Some(end) => (&rest[..end], end + 2),
                        None => (&[][..], rest.len() + 1),
                    },
                    [one, ..] => (core::slice::from_ref(one), 1),
                    [] => (&[][..], 0),
                };
                self.at += 2 + length;
                let (negated, name) = match name {
                    [b'^', name @ ..] => (true, name),
                    name => (false, name),
                };
                let set = unicode_class(name)
                    .ok_or_else(|| self.error_about(start, "invalid character class range (of Latin-1)"))?;
                return Ok(Some(self.of_class(set, negated != (*letter == b'P'))));
            }
            _ => return Ok(None),
        };
        self.at += 2;
        Ok(Some(self.of_class(set, letter.is_ascii_uppercase())))
    }

    fn of_class(&self, set: ByteSet, negated: bool) -> ByteSet {
        let set = if self.flags.fold_case { set.fold_case() } else { set };
        if negated { set.complement() } else { set }
    }
}

fn word() -> ByteSet {
    ByteSet::matching(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the bytes whose characters of Latin-1 are in a general category (`L`, `Lu`, …), or in
/// the scripts Latin or Common.
fn unicode_class(name: &[u8]) -> Option<ByteSet> {
    let is_letter = |byte| matches!(category(byte), b"Lu" | b"Ll" | b"Lo") && byte != 0xb5;
    match name {
        b"Any" => Some(ByteSet::ALL),
        b"Latin" => Some(ByteSet::matching(is_letter)),
        b"Common" => Some(ByteSet::matching(|byte| !is_letter(byte))),
        [b'C' | b'L' | b'M' | b'N' | b'P' | b'S' | b'Z'] => {
            Some(ByteSet::matching(|byte| category(byte)[0] == name[0]))
        }
        b"Cc" | b"Cf" | b"Co" | b"Cs" | b"Ll" | b"Lm" | b"Lo" | b"Lt" | b"Lu" | b"Mc" | b"Me" | b"Mn"
        | b"Nd" | b"Nl" | b"No" | b"Pc" | b"Pd" | b"Pe" | b"Pf" | b"Pi" | b"Po" | b"Ps" | b"Sc" | b"Sk"
        | b"Sm" | b"So" | b"Zl" | b"Zp" | b"Zs" => Some(ByteSet::matching(|byte| category(byte) == name)),
        _ => None,
    }
}

/// Returns the general category of a character of Latin-1, from Unicode's data.
fn category(byte: u8) -> &'static [u8] {
    match byte {
        0x00..=0x1f | 0x7f..=0x9f => b"Cc",
        b' ' | 0xa0 => b"Zs",
        b'$' | 0xa2..=0xa5 => b"Sc",
        b'+' | b'<'..=b'>' | b'|' | b'~' | 0xac | 0xb1 | 0xd7 | 0xf7 => b"Sm",
        b'^' | b'`' | 0xa8 | 0xaf | 0xb4 | 0xb8 => b"Sk",
        0xa6 | 0xa9 | 0xae | 0xb0 => b"So",
        b'(' | b'[' | b'{' => b"Ps",
        b')' | b']' | b'}' => b"Pe",
        b'-' => b"Pd",
        b'_' => b"Pc",
        0xab => b"Pi",
        0xbb => b"Pf",
        0xad => b"Cf",
        b'0'..=b'9' => b"Nd",
        0xb2 | 0xb3 | 0xb9 | 0xbc..=0xbe => b"No",
        b'A'..=b'Z' | 0xc0..=0xd6 | 0xd8..=0xde => b"Lu",
        b'a'..=b'z' | 0xb5 | 0xdf..=0xf6 | 0xf8..=0xff => b"Ll",
        0xaa | 0xba => b"Lo",
        _ => b"Po",
    }
}
