//! Where the events of a workspace come from: a generator, a sample, or a file of the user.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::Field;

use crate::{ContentDigest, Reading};

/// The source of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Generated from a seed.
    Generated(GeneratorSettings),
    /// A sample that is shipped with the page, by its name.
    Sample(String),
    /// The user's own events. Their bytes never leave the user's machine.
    Own(OwnData),
}

impl Source {
    /// Returns the number of events that have arrived when a workspace without a position is
    /// opened. Generated events begin with three fifths, so that the first view shows a table, and
    /// the user sees the rest arrive. `None` means all.
    pub fn first_part(&self) -> Option<u32> {
        match self {
            Source::Generated(settings) => Some(settings.events / 5 * 3),
            _ => None,
        }
    }

    /// Returns whether both sources have the same events. Corrections of the fields of own events
    /// are ignored. A file without a known digest differs from a file with one.
    pub fn same_events(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Own(one), Source::Own(other)) => one.is_read_like(other) && one.content == other.content,
            _ => self == other,
        }
    }

    /// Returns whether both can have the same events: a file without a digest matches by name.
    pub fn may_have_events_of(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Own(one), Source::Own(other)) => one.is_read_like(other) && one.may_be(other),
            _ => self == other,
        }
    }

    /// Returns the same source with this digest, unless it already has one.
    pub fn with_content(&self, found: Option<ContentDigest>) -> Source {
        let mut source = self.clone();
        if let Source::Own(own) = &mut source {
            own.content = own.content.or(found);
        }
        source
    }
}

/// Personalization events as Algolia describes them: apps, users with Zipf activity, click, view
/// and conversion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorSettings {
    /// The seed. The same seed generates the same events, byte for byte.
    pub seed: u64,
    /// The number of events, 1,000 to 1,000,000.
    pub events: u32,
    /// The number of apps. An app is a customer with users.
    pub apps: u32,
    /// The number of users of all apps together.
    pub users: u32,
    /// Exponent of the users' Zipf distribution, 0 (all equally active) to 2.
    pub user_skew: f64,
}

/// The user's own events: how to read them, without their bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnData {
    /// The file's name, or "pasted".
    pub name: String,
    /// The format of the records.
    #[serde(default)]
    pub format: Format,
    /// The fields, as detected or corrected; empty until the first bytes are read.
    #[serde(default)]
    pub fields: Vec<Field>,
    /// What to do with a line that does not parse.
    #[serde(default)]
    pub on_bad_line: OnBadLine,
    /// The choices about what is otherwise detected in the bytes.
    #[serde(default)]
    pub reading: Reading,
    /// The content of the file, so that files with the same name are not confused. Workspaces of
    /// earlier builds do not have it, and accept any file with the same name.
    #[serde(default)]
    pub content: Option<ContentDigest>,
}

impl OwnData {
    /// Returns whether both are files with the same name that are read in the same way.
    pub fn is_read_like(&self, other: &OwnData) -> bool {
        (&self.name, self.format, self.on_bad_line, self.reading)
            == (&other.name, other.format, other.on_bad_line, other.reading)
    }

    /// Returns whether both can be the same file: equal names, and no different digests.
    pub fn may_be(&self, other: &OwnData) -> bool {
        let differs = matches!((self.content, other.content), (Some(one), Some(other)) if one != other);
        self.name == other.name && !differs
    }
}

/// The format of the records in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// CSV if the first record parses as CSV, otherwise JSON lines.
    #[default]
    Detect,
    /// RFC 4180. The separator is a comma, a semicolon, a tab or a vertical bar.
    Csv,
    /// JSON objects, one after another, or one array of objects.
    JsonLines,
}

/// What to do with a line that does not parse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBadLine {
    /// Report and count the line, and continue.
    Skip,
    /// Report the line and stop. The events before it stay.
    #[default]
    Stop,
}
