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

impl Methods for TableAdmin {
    const NAME: &'static str = "google.bigtable.admin.v2.BigtableTableAdmin";

    fn call(self, method: &str, call: Call) -> Answering {
        let admin = self.0;
        match method {
            "CreateTable" => unary(call, Work::Long, move |request| admin.create_table(request)),
            "GetTable" => unary(call, Work::Long, move |request| admin.get_table(request)),
            "ListTables" => unary(call, Work::Long, move |request| admin.list_tables(request)),
            "UpdateTable" => unary(call, Work::Long, move |request| admin.update_table(request)),
            "DeleteTable" => unary(call, Work::Long, move |request| admin.delete_table(request)),
            "UndeleteTable" => unary(call, Work::Long, move |request| admin.undelete_table(request)),
            "ModifyColumnFamilies" => {
                unary(call, Work::Long, move |request| admin.modify_column_families(request))
            }
            "DropRowRange" => unary(call, Work::Long, move |request| admin.drop_row_range(request)),
            "GenerateConsistencyToken" => {
                unary(call, Work::Long, move |request| admin.generate_consistency_token(request))
            }
            "CheckConsistency" => unary(call, Work::Long, move |request| admin.check_consistency(request)),
            "CreateAuthorizedView" => {
                unary(call, Work::Long, move |request| admin.create_authorized_view(request))
            }
            "GetAuthorizedView" => unary(call, Work::Long, move |request| admin.get_authorized_view(request)),
            "ListAuthorizedViews" => {
                unary(call, Work::Long, move |request| admin.list_authorized_views(request))
            }
            "UpdateAuthorizedView" => {
                unary(call, Work::Long, move |request| admin.update_authorized_view(request))
            }
            "DeleteAuthorizedView" => {
                unary(call, Work::Long, move |request| admin.delete_authorized_view(request))
            }
            "CreateBackup" => unary(call, Work::Long, move |request| admin.create_backup(request)),
            "GetBackup" => unary(call, Work::Long, move |request| admin.get_backup(request)),
            "UpdateBackup" => unary(call, Work::Long, move |request| admin.update_backup(request)),
            "ListBackups" => unary(call, Work::Long, move |request| admin.list_backups(request)),
            "DeleteBackup" => unary(call, Work::Long, move |request| admin.delete_backup(request)),
            "CopyBackup" => unary(call, Work::Long, move |request| admin.copy_backup(request)),
            "RestoreTable" => unary(call, Work::Long, move |request| admin.restore_table(request)),
            "TestIamPermissions" => unary(call, Work::Short, iam::test_permissions),
            "GetIamPolicy" => unary(call, Work::Long, move |request| admin.get_policy(request)),
            "SetIamPolicy" => unary(call, Work::Long, move |request| admin.set_policy(request)),
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
            "CreateInstance" => unary(call, Work::Long, move |request| admin.create_instance(request)),
            "GetInstance" => unary(call, Work::Long, move |request| admin.get_instance(request)),
            "ListInstances" => unary(call, Work::Long, move |request| admin.list_instances(request)),
            "UpdateInstance" => unary(call, Work::Long, move |request| admin.update_instance(request)),
            "PartialUpdateInstance" => {
                unary(call, Work::Long, move |request| admin.partial_update_instance(request))
            }
            "DeleteInstance" => unary(call, Work::Long, move |request| admin.delete_instance(request)),
            "CreateCluster" => unary(call, Work::Long, move |request| admin.create_cluster(request)),
            "GetCluster" => unary(call, Work::Long, move |request| admin.get_cluster(request)),
            "ListClusters" => unary(call, Work::Long, move |request| admin.list_clusters(request)),
            "UpdateCluster" => unary(call, Work::Long, move |request| admin.update_cluster(request)),
            "PartialUpdateCluster" => {
                unary(call, Work::Long, move |request| admin.partial_update_cluster(request))
            }
            "DeleteCluster" => unary(call, Work::Long, move |request| admin.delete_cluster(request)),
            "CreateAppProfile" => unary(call, Work::Long, move |request| admin.create_app_profile(request)),
            "GetAppProfile" => unary(call, Work::Long, move |request| admin.get_app_profile(request)),
            "ListAppProfiles" => unary(call, Work::Long, move |request| admin.list_app_profiles(request)),
            "UpdateAppProfile" => unary(call, Work::Long, move |request| admin.update_app_profile(request)),
            "DeleteAppProfile" => unary(call, Work::Long, move |request| admin.delete_app_profile(request)),
            "ListHotTablets" => unary(call, Work::Long, move |request| admin.list_hot_tablets(request)),
            "TestIamPermissions" => unary(call, Work::Short, iam::test_permissions),
            "GetIamPolicy" => unary(call, Work::Long, move |request| admin.get_policy(request)),
            "SetIamPolicy" => unary(call, Work::Long, move |request| admin.set_policy(request)),
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
            "GetOperation" => unary(call, Work::Long, move |request| admin.get_operation(request)),
            "WaitOperation" => unary(call, Work::Long, move |request| admin.wait_operation(request)),
            "ListOperations" => unary(call, Work::Long, move |request| admin.list_operations(request)),
            "DeleteOperation" => unary(call, Work::Long, move |request| admin.delete_operation(request)),
            "CancelOperation" => unary(call, Work::Long, move |request| admin.cancel_operation(request)),
            _ => unimplemented(method, "the operations API has no such method"),
        }
    }
}
