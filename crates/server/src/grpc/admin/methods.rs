//! The services of the admin API, method by method.

use std::sync::Arc;

use super::{Admin, iam};
use crate::grpc::rpc::{Answering, Call, Methods, Work, unary, unimplemented};

/// google.bigtable.admin.v2.BigtableTableAdmin.
pub(crate) struct TableAdmin(pub Arc<Admin>);

/// google.bigtable.admin.v2.BigtableInstanceAdmin.
pub(crate) struct InstanceAdmin(pub Arc<Admin>);

/// google.longrunning.Operations.
pub(crate) struct OperationsMethods(pub Arc<Admin>);

/// Answers a call with a function of [`Admin`] that may take long.
macro_rules! long {
    ($admin:ident, $call:ident, $answer:ident) => {
        unary($call, Work::Long, move |request| $admin.$answer(request))
    };
}

impl Methods for TableAdmin {
    const NAME: &'static str = "google.bigtable.admin.v2.BigtableTableAdmin";

    fn call(self, method: &str, call: Call) -> Answering {
        let admin = self.0;
        match method {
            "CreateTable" => long!(admin, call, create_table),
            "GetTable" => long!(admin, call, get_table),
            "ListTables" => long!(admin, call, list_tables),
            "UpdateTable" => long!(admin, call, update_table),
            "DeleteTable" => long!(admin, call, delete_table),
            "UndeleteTable" => long!(admin, call, undelete_table),
            "ModifyColumnFamilies" => long!(admin, call, modify_column_families),
            "DropRowRange" => long!(admin, call, drop_row_range),
            "GenerateConsistencyToken" => long!(admin, call, generate_consistency_token),
            "CheckConsistency" => long!(admin, call, check_consistency),
            "CreateAuthorizedView" => long!(admin, call, create_authorized_view),
            "GetAuthorizedView" => long!(admin, call, get_authorized_view),
            "ListAuthorizedViews" => long!(admin, call, list_authorized_views),
            "UpdateAuthorizedView" => long!(admin, call, update_authorized_view),
            "DeleteAuthorizedView" => long!(admin, call, delete_authorized_view),
            "CreateBackup" => long!(admin, call, create_backup),
            "GetBackup" => long!(admin, call, get_backup),
            "UpdateBackup" => long!(admin, call, update_backup),
            "ListBackups" => long!(admin, call, list_backups),
            "DeleteBackup" => long!(admin, call, delete_backup),
            "CopyBackup" => long!(admin, call, copy_backup),
            "RestoreTable" => long!(admin, call, restore_table),
            "TestIamPermissions" => unary(call, Work::Short, iam::test_permissions),
            "GetIamPolicy" => long!(admin, call, get_policy),
            "SetIamPolicy" => long!(admin, call, set_policy),
            "SnapshotTable"
            | "GetSnapshot"
            | "ListSnapshots"
            | "DeleteSnapshot"
            | "CreateTableFromSnapshot" => {
                unimplemented(method, "production offers it to few users only: use backups instead")
            }
            "CreateSchemaBundle" | "GetSchemaBundle" | "ListSchemaBundles" | "UpdateSchemaBundle"
            | "DeleteSchemaBundle" => {
                unimplemented(method, "schema bundles are for SQL queries, which this server does not have")
            }
            _ => unimplemented(method, "the table admin API has no such method"),
        }
    }
}

impl Methods for InstanceAdmin {
    const NAME: &'static str = "google.bigtable.admin.v2.BigtableInstanceAdmin";

    fn call(self, method: &str, call: Call) -> Answering {
        let admin = self.0;
        match method {
            "CreateInstance" => long!(admin, call, create_instance),
            "GetInstance" => long!(admin, call, get_instance),
            "ListInstances" => long!(admin, call, list_instances),
            "UpdateInstance" => long!(admin, call, update_instance),
            "PartialUpdateInstance" => long!(admin, call, partial_update_instance),
            "DeleteInstance" => long!(admin, call, delete_instance),
            "CreateCluster" => long!(admin, call, create_cluster),
            "GetCluster" => long!(admin, call, get_cluster),
            "ListClusters" => long!(admin, call, list_clusters),
            "UpdateCluster" => long!(admin, call, update_cluster),
            "PartialUpdateCluster" => long!(admin, call, partial_update_cluster),
            "DeleteCluster" => long!(admin, call, delete_cluster),
            "CreateAppProfile" => long!(admin, call, create_app_profile),
            "GetAppProfile" => long!(admin, call, get_app_profile),
            "ListAppProfiles" => long!(admin, call, list_app_profiles),
            "UpdateAppProfile" => long!(admin, call, update_app_profile),
            "DeleteAppProfile" => long!(admin, call, delete_app_profile),
            "ListHotTablets" => long!(admin, call, list_hot_tablets),
            "TestIamPermissions" => unary(call, Work::Short, iam::test_permissions),
            "GetIamPolicy" => long!(admin, call, get_policy),
            "SetIamPolicy" => long!(admin, call, set_policy),
            "CreateLogicalView"
            | "GetLogicalView"
            | "ListLogicalViews"
            | "UpdateLogicalView"
            | "DeleteLogicalView"
            | "CreateMaterializedView"
            | "GetMaterializedView"
            | "ListMaterializedViews"
            | "UpdateMaterializedView"
            | "DeleteMaterializedView" => unimplemented(
                method,
                "logical and materialized views are SQL queries, which this server does not have",
            ),
            _ => unimplemented(method, "the instance admin API has no such method"),
        }
    }
}

impl Methods for OperationsMethods {
    const NAME: &'static str = "google.longrunning.Operations";

    fn call(self, method: &str, call: Call) -> Answering {
        let admin = self.0;
        match method {
            "GetOperation" => long!(admin, call, get_operation),
            "WaitOperation" => long!(admin, call, wait_operation),
            "ListOperations" => long!(admin, call, list_operations),
            "DeleteOperation" => long!(admin, call, delete_operation),
            "CancelOperation" => long!(admin, call, cancel_operation),
            _ => unimplemented(method, "the operations API has no such method"),
        }
    }
}
