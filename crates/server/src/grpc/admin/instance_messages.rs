//! The messages that contain an instance, in Google's definition of 2026: the published messages of
//! the crate lack `Instance.edition`.

use std::collections::{BTreeMap, HashMap};

use super::proto::Cluster;
pub(super) use super::proto::instance::{State, Type};

/// `google.bigtable.admin.v2.Instance`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Instance {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub display_name: String,
    #[prost(enumeration = "State", tag = "3")]
    pub state: i32,
    #[prost(enumeration = "Type", tag = "4")]
    pub r#type: i32,
    #[prost(btree_map = "string, string", tag = "5")]
    pub labels: BTreeMap<String, String>,
    #[prost(message, optional, tag = "7")]
    pub create_time: Option<prost_types::Timestamp>,
    #[prost(bool, optional, tag = "8")]
    pub satisfies_pzs: Option<bool>,
    #[prost(bool, optional, tag = "11")]
    pub satisfies_pzi: Option<bool>,
    #[prost(btree_map = "string, string", tag = "12")]
    pub tags: BTreeMap<String, String>,
    /// A value of the enumeration `Edition`. It is stored and returned.
    #[prost(int32, tag = "14")]
    pub edition: i32,
}

/// `google.bigtable.admin.v2.CreateInstanceRequest`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CreateInstanceRequest {
    #[prost(string, tag = "1")]
    pub parent: String,
    #[prost(string, tag = "2")]
    pub instance_id: String,
    #[prost(message, optional, tag = "3")]
    pub instance: Option<Instance>,
    #[prost(map = "string, message", tag = "4")]
    pub clusters: HashMap<String, Cluster>,
}

/// `google.bigtable.admin.v2.CreateInstanceMetadata`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CreateInstanceMetadata {
    #[prost(message, optional, tag = "1")]
    pub original_request: Option<CreateInstanceRequest>,
    #[prost(message, optional, tag = "2")]
    pub request_time: Option<prost_types::Timestamp>,
    #[prost(message, optional, tag = "3")]
    pub finish_time: Option<prost_types::Timestamp>,
}

/// `google.bigtable.admin.v2.PartialUpdateInstanceRequest`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PartialUpdateInstanceRequest {
    #[prost(message, optional, tag = "1")]
    pub instance: Option<Instance>,
    #[prost(message, optional, tag = "2")]
    pub update_mask: Option<prost_types::FieldMask>,
}

/// `google.bigtable.admin.v2.UpdateInstanceMetadata`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct UpdateInstanceMetadata {
    #[prost(message, optional, tag = "1")]
    pub original_request: Option<PartialUpdateInstanceRequest>,
    #[prost(message, optional, tag = "2")]
    pub request_time: Option<prost_types::Timestamp>,
    #[prost(message, optional, tag = "3")]
    pub finish_time: Option<prost_types::Timestamp>,
}

/// `google.bigtable.admin.v2.ListInstancesResponse`, without the fields that this server leaves empty.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ListInstancesResponse {
    #[prost(message, repeated, tag = "1")]
    pub instances: Vec<Instance>,
}
