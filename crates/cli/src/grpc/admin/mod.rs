//! google.bigtable.admin.v2: tables, instances, and what the engine does not know of them.

/// Google's published messages.
pub use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as proto;
