//! How a file is read where its bytes do not say it.

use serde::{Deserialize, Serialize};

use crate::TimeZone;

/// How a file is read where its bytes do not say it. What is not chosen is detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// The encoding of the text.
    pub encoding: TextEncoding,
    /// Whether the first line of a CSV file has the names of the columns.
    pub header: HeaderLine,
    /// How numbers with commas and other separators are read.
    pub numbers: NumberReading,
    /// The time zone of times of day without one.
    pub zone: TimeZone,
}

/// The encoding of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextEncoding {
    /// UTF-8 or UTF-16 if the bytes are valid, otherwise the likeliest encoding of the first bytes
    /// that are not UTF-8.
    #[default]
    Detect,
    /// UTF-8.
    Utf8,
    /// Windows-1252: Western European, which includes ISO 8859-1.
    Windows1252,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// Windows-1250: Central European.
    Windows1250,
    /// Windows-1251: Cyrillic.
    Windows1251,
    /// Windows-1253: Greek.
    Windows1253,
    /// Windows-1254: Turkish.
    Windows1254,
    /// ISO 8859-2: Central European.
    Iso8859_2,
    /// ISO 8859-15: Western European with the euro sign.
    Iso8859_15,
    /// Mac OS Roman.
    Macintosh,
    /// KOI8-R: Russian.
    Koi8R,
    /// Shift JIS: Japanese.
    ShiftJis,
    /// EUC-JP: Japanese.
    EucJp,
    /// GB 18030, which includes GBK: simplified Chinese.
    Gb18030,
    /// Big5: traditional Chinese.
    Big5,
    /// EUC-KR: Korean.
    EucKr,
}

impl TextEncoding {
    /// The encodings that a user can choose, in the order of menus. The first one detects.
    pub const ALL: [TextEncoding; 18] = [
        TextEncoding::Detect,
        TextEncoding::Utf8,
        TextEncoding::Windows1252,
        TextEncoding::Utf16Le,
        TextEncoding::Utf16Be,
        TextEncoding::Windows1250,
        TextEncoding::Windows1251,
        TextEncoding::Windows1253,
        TextEncoding::Windows1254,
        TextEncoding::Iso8859_2,
        TextEncoding::Iso8859_15,
        TextEncoding::Macintosh,
        TextEncoding::Koi8R,
        TextEncoding::ShiftJis,
        TextEncoding::EucJp,
        TextEncoding::Gb18030,
        TextEncoding::Big5,
        TextEncoding::EucKr,
    ];

    /// Returns the registered name, which programs and browsers know; `detect` for detection.
    pub fn label(self) -> &'static str {
        match self {
            TextEncoding::Detect => "detect",
            TextEncoding::Utf8 => "UTF-8",
            TextEncoding::Windows1252 => "windows-1252",
            TextEncoding::Utf16Le => "UTF-16LE",
            TextEncoding::Utf16Be => "UTF-16BE",
            TextEncoding::Windows1250 => "windows-1250",
            TextEncoding::Windows1251 => "windows-1251",
            TextEncoding::Windows1253 => "windows-1253",
            TextEncoding::Windows1254 => "windows-1254",
            TextEncoding::Iso8859_2 => "ISO-8859-2",
            TextEncoding::Iso8859_15 => "ISO-8859-15",
            TextEncoding::Macintosh => "macintosh",
            TextEncoding::Koi8R => "KOI8-R",
            TextEncoding::ShiftJis => "Shift_JIS",
            TextEncoding::EucJp => "EUC-JP",
            TextEncoding::Gb18030 => "gb18030",
            TextEncoding::Big5 => "Big5",
            TextEncoding::EucKr => "EUC-KR",
        }
    }

    /// Returns the encoding with this label, in upper or lower case.
    pub fn of_label(label: &str) -> Option<TextEncoding> {
        TextEncoding::ALL.into_iter().find(|encoding| encoding.label().eq_ignore_ascii_case(label))
    }
}

/// Whether the first line of a CSV file has the names of the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeaderLine {
    /// It has names, unless its values are of the same kinds as those below it.
    #[default]
    Detect,
    /// It has names.
    Present,
    /// It is a record: the columns are called `column_1`, `column_2`, …
    Absent,
}

/// How numbers with commas and other separators are read: `1.234,56`, `12,5`, `1,234.50`, `1 234,5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberReading {
    /// The values of a column decide, then the other columns and the delimiter.
    #[default]
    Detect,
    /// Where both are possible, a point is before the decimals: `1,234` is 1234.
    Point,
    /// Where both are possible, a comma is before the decimals: `1,234` is 1.234.
    Comma,
    /// Texts stay as they are written, so `12,5` is not a number.
    AsWritten,
}
