//! The entries of the corpus: what is known about each file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tabletop_keys::FieldRole;

/// A file of the corpus, and the answers about it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name of the entry's own file, without its ending.
    #[serde(skip)]
    pub name: String,
    /// The kind of events, such as `weather`. Entries are counted by it.
    pub kind: String,
    /// What the file is, and why it is in the corpus.
    pub what: String,
    /// The origin of its bytes.
    pub source: Source,
    /// The licence of the data, which may differ from that of the package.
    pub licence: String,
    /// The field with the time of the event, which is of kind time once the file is read. `None` if
    /// the events have no time, or only a year.
    pub time: Option<String>,
    /// The roles of each field. The first one is the best; the others are acceptable too.
    roles: BTreeMap<String, Roles>,
    /// Fields that name the same things as another field, such as numbers next to names. In a key,
    /// one stands for the other.
    #[serde(default)]
    pub same: BTreeMap<String, String>,
    /// The fields by which users look events up, the best one first. Empty if there is none.
    pub look_up: Vec<String>,
    /// The keys that an engineer accepts, the best one first.
    pub keys: Vec<AcceptableKey>,
}

/// The origin of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// A file of an npm package.
    Npm(PackageFile),
    /// A file of a wheel of PyPI.
    Pypi(PackageFile),
    /// The name of a function of [`super::generated`].
    Generated(String),
}

/// A file in a package. A name that ends with `.gz` is unpacked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    /// The name of the package; its version is in `tests/corpus/packages.json`.
    pub package: String,
    /// The path below the package's folder.
    pub path: PathBuf,
    /// The number of lines that are taken from the start, after the header; all lines by default.
    #[serde(default)]
    pub first: Option<usize>,
    /// Takes one line in `every`, after the header.
    #[serde(default)]
    pub every: Option<usize>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Roles {
    One(FieldRole),
    Several(Vec<FieldRole>),
}

/// A row key that an engineer accepts, without separators, formats and paddings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptableKey {
    /// The fields, in the order of the key. Times may ascend or descend.
    pub fields: Vec<String>,
    /// Fields that may follow in any order. The key distinguishes all events without them.
    #[serde(default)]
    pub then: Vec<String>,
    /// Whether the key has a salt.
    pub salt: Salting,
    /// Whether the key needs a text for absent values of its fields.
    #[serde(default)]
    pub placeholder: bool,
}

/// Whether a key has a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Salting {
    /// A salt helps nothing and makes reads more expensive.
    Never,
    /// With and without a salt, the key is acceptable.
    Allowed,
    /// Without a salt, one tablet takes all writes.
    Needed,
}

impl AcceptableKey {
    /// Returns whether a key of these fields, in this order, is this one.
    fn accepts(&self, fields: &[&str], has_salt: bool) -> bool {
        let salted = match self.salt {
            Salting::Never => !has_salt,
            Salting::Allowed => true,
            Salting::Needed => has_salt,
        };
        let Some((start, rest)) = fields.split_at_checked(self.fields.len()) else { return false };
        salted
            && start.iter().zip(&self.fields).all(|(field, own)| field == own)
            && rest.iter().all(|field| self.then.iter().any(|then| then == field))
    }
}

impl Entry {
    /// Returns the roles of a field, the best one first.
    ///
    /// # Panics
    /// Panics if the file has no such field.
    pub fn roles(&self, field: &str) -> &[FieldRole] {
        match self.roles.get(field) {
            Some(Roles::One(role)) => std::slice::from_ref(role),
            Some(Roles::Several(roles)) => roles,
            None => panic!("{}: the field {field} has no role", self.name),
        }
    }

    /// Returns the best role of a field.
    ///
    /// # Panics
    /// Panics if the file has no such field.
    pub fn role(&self, field: &str) -> FieldRole {
        self.roles(field)[0]
    }

    /// Returns whether a key of these fields, in this order, is one that an engineer accepts.
    pub fn accepts(&self, fields: &[&str], has_salt: bool) -> bool {
        let named: Vec<&str> =
            fields.iter().map(|field| self.same.get(*field).map_or(*field, String::as_str)).collect();
        self.keys.iter().any(|key| key.accepts(&named, has_salt))
    }

    /// Returns the names of the fields, in the order of the alphabet.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.roles.keys().map(String::as_str)
    }
}

/// Returns all entries, in the order of their names.
///
/// # Panics
/// Panics if an entry cannot be parsed.
pub fn entries() -> Vec<Entry> {
    let folder = folder().join("files");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder of the corpus").flatten().map(|file| file.path()).collect();
    paths.sort();
    paths.iter().map(|path| entry(path)).collect()
}

fn entry(path: &Path) -> Entry {
    let text = fs::read_to_string(path).expect("an entry can be read");
    let entry: Entry =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Entry { name, ..entry }
}

/// Returns the folder of the corpus.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}
