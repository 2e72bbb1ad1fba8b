//! The settings that the engine does not store: one value, stored as JSON in the data folder.
//!
//! ```text
//! {"checksum": "…", "version": 2, "last_id": 7, "instances": {"projects/p/instances/i": {
//!     "about": <Instance>, "clusters": {"c": <Cluster>}, "app_profiles": {"a": <AppProfile>},
//!     "tables":         {"t": {"about": <Table>, "views": {"v": <AuthorizedView>}}},
//!     "backups":        {"c/b": {"about": <Backup>, "kept": "_backup-6", "table": {…}}},
//!     "deleted_tables": {"t": {"kept": "_deleted-7", "at": 1700000000000000, "table": {…}}},
//!     "policies":       {"tables/t": <Policy>},
//!     "orphans":        ["_backup-9"]}}}
//! ```
//! Without policies, `policies` is missing. The first line is `{`, and the second one has the
//! checksum: xxh3-64 of the lines after it, in 16 hexadecimal digits. Version 1 has no checksum.
//! `<Message>` is the message of Google's admin API in protobuf encoding, in which bytes that are
//! not text are escaped: every field that a client has set is returned. `kept` is the name of a
//! backup of the engine.

use std::collections::{BTreeMap, BTreeSet};

use googleapis_tonic_google_iam_v1::google::iam::v1::Policy;
use prost::Message;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tabletop_model::{Bytes, Code, Error, Result, Timestamp};
use xxhash_rust::xxh3::xxh3_64;

use super::instance_messages::Instance;
use super::{names, proto};
use crate::host::InstanceName;

const VERSION: u32 = 2;
/// The beginning of the file; the checksum and [`CHECKSUM_END`] follow.
const CHECKSUM: &[u8] = b"{\n  \"checksum\": \"";
const CHECKSUM_END: &[u8] = b"\",\n";
const CHECKSUM_DIGITS: usize = 16;

/// Everything that clients of the admin API have created, except what the engine stores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct AdminState {
    version: u32,
    #[serde(flatten)]
    ids: Ids,
    /// Instances by full name.
    instances: BTreeMap<String, InstanceState>,
}

/// A source of numbers, each used once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ids {
    last_id: u64,
}

/// The state of an instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct InstanceState {
    pub about: Stored<Instance>,
    /// Clusters by ID, like the following maps.
    pub clusters: BTreeMap<String, Stored<proto::Cluster>>,
    pub app_profiles: BTreeMap<String, Stored<proto::AppProfile>>,
    /// Tables with settings. The engine has the list of all tables.
    pub tables: BTreeMap<String, TableState>,
    /// Backups by the IDs of cluster and backup.
    pub backups: BTreeMap<String, BackupState>,
    pub deleted_tables: BTreeMap<String, DeletedTable>,
    /// Policies by the name of the resource within the instance; the instance itself has an empty
    /// name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<String, Stored<Policy>>,
    /// Backups of the engine that no backup and no deleted table names, and that are newer than the
    /// state: the state may have been replaced with an older copy. They are kept.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub orphans: BTreeSet<String>,
}

/// The settings of a table that the engine does not store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TableState {
    /// The table without its name and GC rules, and only with families that have a value type.
    pub about: Stored<proto::Table>,
    pub views: BTreeMap<String, Stored<proto::AuthorizedView>>,
}

/// A backup. Several backups may share one of the engine's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BackupState {
    pub about: Stored<proto::Backup>,
    #[serde(rename = "kept")]
    pub engine_backup: String,
    pub table: TableState,
}

/// A table that can be undeleted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct DeletedTable {
    #[serde(rename = "kept")]
    pub engine_backup: String,
    /// The time when it was deleted.
    pub at: Timestamp,
    pub table: TableState,
}

/// A message as it was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stored<M>(pub M);

impl Default for AdminState {
    fn default() -> Self {
        AdminState { version: VERSION, ids: Ids::default(), instances: BTreeMap::new() }
    }
}

impl AdminState {
    /// # Errors
    /// `FailedPrecondition` for a newer version, `DataLoss` for bytes that are not a state.
    pub fn decode(bytes: &[u8]) -> Result<AdminState> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let damaged = |error: &dyn std::fmt::Display| {
            let why = format!(
                "admin.json in the data folder is damaged: {error}. Put a copy in its place, or move it away: tables stay as they \
                 are, and the data of backups and of deleted tables is kept. Without the file they are not listed, and \
                 instances, app profiles and authorized views are forgotten"
            );
            Error::new(Code::DataLoss, why)
        };
        let Version { version } = serde_json::from_slice(bytes).map_err(|error| damaged(&error))?;
        if version > VERSION {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "admin.json in the data folder has version {version}, but this release reads {VERSION}: use the newer \
                     release that wrote it"
                ),
            ));
        }
        if version != 1 && !has_right_checksum(bytes) {
            return Err(damaged(&"its checksum does not match"));
        }
        let state: AdminState = serde_json::from_slice(bytes).map_err(|error| damaged(&error))?;
        Ok(AdminState { version: VERSION, ..state })
    }

    pub fn encode(&self) -> Vec<u8> {
        // The keys of all maps are text, so this cannot fail.
        let json = serde_json::to_vec_pretty(self).unwrap_or_default();
        let content = json.strip_prefix(b"{\n").unwrap_or_default();
        let checksum = format!("{:016x}", xxh3_64(content));
        [CHECKSUM, checksum.as_bytes(), CHECKSUM_END, content].concat()
    }

    pub fn instance(&self, name: &InstanceName) -> Option<&InstanceState> {
        self.instances.get(&names::of_instance(name))
    }

    /// Returns the state of an instance, which is empty if it had none, and the source of IDs.
    pub fn instance_mut(&mut self, name: &InstanceName) -> (&mut InstanceState, &mut Ids) {
        (self.instances.entry(names::of_instance(name)).or_default(), &mut self.ids)
    }

    pub fn insert(&mut self, name: &InstanceName, known: InstanceState) {
        self.instances.insert(names::of_instance(name), known);
    }

    pub fn remove(&mut self, name: &InstanceName) {
        self.instances.remove(&names::of_instance(name));
    }

    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns all instances, sorted by name.
    pub fn instances(&self) -> impl Iterator<Item = (&String, &InstanceState)> {
        self.instances.iter()
    }
}

/// Returns whether a file of this version is as it was written.
fn has_right_checksum(bytes: &[u8]) -> bool {
    let found = bytes.strip_prefix(CHECKSUM).and_then(|rest| rest.split_at_checked(CHECKSUM_DIGITS));
    found.is_some_and(|(checksum, rest)| {
        let content = rest.strip_prefix(CHECKSUM_END);
        content.is_some_and(|content| format!("{:016x}", xxh3_64(content)).as_bytes() == checksum)
    })
}

impl Ids {
    /// Returns whether the number has been returned before.
    pub fn has_given(&self, id: u64) -> bool {
        id <= self.last_id
    }

    pub fn next(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Returns the etag of a changed resource.
    pub fn etag(&mut self) -> String {
        format!("v{}", self.next())
    }
}

impl<M: Message> Serialize for Stored<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Bytes(self.0.encode_to_vec()).serialize(serializer)
    }
}

impl<'de, M: Message + Default> Deserialize<'de> for Stored<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let bytes = Bytes::deserialize(deserializer)?;
        M::decode(bytes.as_slice()).map(Stored).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_survives_encoding() {
        let mut state = AdminState::default();
        let name = InstanceName { project: "p".into(), instance: "i".into() };
        let (known, ids) = state.instance_mut(&name);
        known.about = Stored(Instance { display_name: "Zoë \"1\"".into(), state: 1, ..Default::default() });
        let mut table = TableState::default();
        table.about.0.deletion_protection = true;
        let deleted = DeletedTable { engine_backup: format!("_deleted-{}", ids.next()), at: 5, table };
        known.deleted_tables.insert("t".into(), deleted);
        let bytes = state.encode();
        assert_eq!(AdminState::decode(&bytes).unwrap(), state);
        expect_test::expect![[r#"
            {
              "checksum": "4a3250f77c62ed84",
              "version": 2,
              "last_id": 1,
              "instances": {
                "projects/p/instances/i": {
                  "about": "\\x12\\x08Zoë \"1\"\\x18\\x01",
                  "clusters": {},
                  "app_profiles": {},
                  "tables": {},
                  "backups": {},
                  "deleted_tables": {
                    "t": {
                      "kept": "_deleted-1",
                      "at": 5,
                      "table": {
                        "about": "H\\x01",
                        "views": {}
                      }
                    }
                  }
                }
              }
            }"#]]
        .assert_eq(&String::from_utf8(bytes).unwrap());
    }

    #[test]
    fn any_changed_bit_is_damage_and_files_without_a_checksum_are_read() {
        let mut state = AdminState::default();
        let name = InstanceName { project: "p".into(), instance: "i".into() };
        let (known, ids) = state.instance_mut(&name);
        ids.next();
        known.orphans.insert("_backup-1".into());
        let bytes = state.encode();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let error = AdminState::decode(&changed).expect_err("a changed bit");
            // Nothing is changed after either error.
            assert!(matches!(error.code, Code::DataLoss | Code::FailedPrecondition), "bit {bit}: {error}");
        }
        let text = String::from_utf8(bytes).unwrap();
        let old: Vec<&str> = text.lines().filter(|line| !line.contains("checksum")).collect();
        let old = old.join("\n").replace("\"version\": 2", "\"version\": 1");
        assert_eq!(AdminState::decode(old.as_bytes()), Ok(state));
    }

    #[test]
    fn an_unreadable_state_is_reported() {
        let newer = AdminState::decode(br#"{"version": 3, "anything": []}"#).unwrap_err();
        assert_eq!(newer.code, Code::FailedPrecondition);
        assert!(newer.message.contains("version 3"), "{newer}");
        for damaged in ["", "{}", r#"{"version": 1, "last_id": 0, "instances": {"x": {}}}"#] {
            assert_eq!(AdminState::decode(damaged.as_bytes()).unwrap_err().code, Code::DataLoss, "{damaged}");
        }
    }
}
