//! The services of the admin API, method by method.

use std::sync::Arc;

use super::{Admin, iam};
use crate::grpc::rpc::{Answer, Call, Methods, unary, unimplemented};

/// google.bigtable.admin.v2.BigtableTableAdmin.
#[derive(Clone)]
pub(crate) struct TableAdmin(pub Arc<Admin>);

/// google.bigtable.admin.v2.BigtableInstanceAdmin.
#[derive(Clone)]
pub(crate) struct InstanceAdmin(pub Arc<Admin>);

/// google.longrunning.Operations.
#[derive(Clone)]
pub(crate) struct OperationsMethods(pub Arc<Admin>);

const NO_POLICIES: &str = "whoever reaches this server may do everything, so there is no policy to set";

impl Methods for TableAdmin {
    const NAME: &'static str = "google.bigtable.admin.v2.BigtableTableAdmin";

    async fn call(self, method: String, call: Call) -> Answer {
        let admin = &*self.0;
        match method.as_str() {
            "CreateTable" => unary(call, |request| admin.create_table(request)).await,
            "GetTable" => unary(call, |request| admin.get_table(request)).await,
            "ListTables" => unary(call, |request| admin.list_tables(request)).await,
            "UpdateTable" => unary(call, |request| admin.update_table(request)).await,
            "DeleteTable" => unary(call, |request| admin.delete_table(request)).await,
            "UndeleteTable" => unary(call, |request| admin.undelete_table(request)).await,
            "ModifyColumnFamilies" => unary(call, |request| admin.modify_column_families(request)).await,
            "DropRowRange" => unary(call, |request| admin.drop_row_range(request)).await,
            "GenerateConsistencyToken" => unary(call, |request| admin.generate_consistency_token(request)).await,
            "CheckConsistency" => unary(call, |request| admin.check_consistency(request)).await,
            "CreateAuthorizedView" => unary(call, |request| admin.create_authorized_view(request)).await,
            "GetAuthorizedView" => unary(call, |request| admin.get_authorized_view(request)).await,
            "ListAuthorizedViews" => unary(call, |request| admin.list_authorized_views(request)).await,
            "UpdateAuthorizedView" => unary(call, |request| admin.update_authorized_view(request)).await,
            "DeleteAuthorizedView" => unary(call, |request| admin.delete_authorized_view(request)).await,
            "CreateBackup" => unary(call, |request| admin.create_backup(request)).await,
            "GetBackup" => unary(call, |request| admin.get_backup(request)).await,
            "UpdateBackup" => unary(call, |request| admin.update_backup(request)).await,
            "ListBackups" => unary(call, |request| admin.list_backups(request)).await,
            "DeleteBackup" => unary(call, |request| admin.delete_backup(request)).await,
            "CopyBackup" => unary(call, |request| admin.copy_backup(request)).await,
            "RestoreTable" => unary(call, |request| admin.restore_table(request)).await,
            "TestIamPermissions" => unary(call, iam::test_permissions).await,
            "GetIamPolicy" => unary(call, iam::get_policy).await,
            "SetIamPolicy" => unimplemented(&method, NO_POLICIES),
            "SnapshotTable" | "GetSnapshot" | "ListSnapshots" | "DeleteSnapshot" | "CreateTableFromSnapshot" => {
                unimplemented(&method, "production has it for few users only: use backups instead")
            }
            "CreateSchemaBundle" | "GetSchemaBundle" | "ListSchemaBundles" | "UpdateSchemaBundle" | "DeleteSchemaBundle" => {
                unimplemented(&method, "there are no SQL queries here, which schema bundles are for")
            }
            _ => unimplemented(&method, "the table admin API has no such method"),
        }
    }
}

impl Methods for InstanceAdmin {
    const NAME: &'static str = "google.bigtable.admin.v2.BigtableInstanceAdmin";

    async fn call(self, method: String, call: Call) -> Answer {
        let admin = &*self.0;
        match method.as_str() {
            "CreateInstance" => unary(call, |request| admin.create_instance(request)).await,
            "GetInstance" => unary(call, |request| admin.get_instance(request)).await,
            "ListInstances" => unary(call, |request| admin.list_instances(request)).await,
            "UpdateInstance" => unary(call, |request| admin.update_instance(request)).await,
            "PartialUpdateInstance" => unary(call, |request| admin.partial_update_instance(request)).await,
            "DeleteInstance" => unary(call, |request| admin.delete_instance(request)).await,
            "CreateCluster" => unary(call, |request| admin.create_cluster(request)).await,
            "GetCluster" => unary(call, |request| admin.get_cluster(request)).await,
            "ListClusters" => unary(call, |request| admin.list_clusters(request)).await,
            "UpdateCluster" => unary(call, |request| admin.update_cluster(request)).await,
            "PartialUpdateCluster" => unary(call, |request| admin.partial_update_cluster(request)).await,
            "DeleteCluster" => unary(call, |request| admin.delete_cluster(request)).await,
            "CreateAppProfile" => unary(call, |request| admin.create_app_profile(request)).await,
            "GetAppProfile" => unary(call, |request| admin.get_app_profile(request)).await,
            "ListAppProfiles" => unary(call, |request| admin.list_app_profiles(request)).await,
            "UpdateAppProfile" => unary(call, |request| admin.update_app_profile(request)).await,
            "DeleteAppProfile" => unary(call, |request| admin.delete_app_profile(request)).await,
            "ListHotTablets" => unary(call, |request| admin.list_hot_tablets(request)).await,
            "TestIamPermissions" => unary(call, iam::test_permissions).await,
            "GetIamPolicy" => unary(call, iam::get_policy).await,
            "SetIamPolicy" => unimplemented(&method, NO_POLICIES),
            "CreateLogicalView"
            | "GetLogicalView"
            | "ListLogicalViews"
            | "UpdateLogicalView"
            | "DeleteLogicalView"
            | "CreateMaterializedView"
            | "GetMaterializedView"
            | "ListMaterializedViews"
            | "UpdateMaterializedView"
            | "DeleteMaterializedView" => {
                unimplemented(&method, "there are no SQL queries here, which logical and materialized views are made of")
            }
            _ => unimplemented(&method, "the instance admin API has no such method"),
        }
    }
}

impl Methods for OperationsMethods {
    const NAME: &'static str = "google.longrunning.Operations";

    async fn call(self, method: String, call: Call) -> Answer {
        let admin = &*self.0;
        match method.as_str() {
            "GetOperation" => unary(call, |request| admin.get_operation(request)).await,
            "WaitOperation" => unary(call, |request| admin.wait_operation(request)).await,
            "ListOperations" => unary(call, |request| admin.list_operations(request)).await,
            "DeleteOperation" => unary(call, |request| admin.delete_operation(request)).await,
            "CancelOperation" => unary(call, |request| admin.cancel_operation(request)).await,
            _ => unimplemented(&method, "the operations API has no such method"),
        }
    }
}
