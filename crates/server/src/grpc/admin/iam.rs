//! google.iam.v1 of the admin services: every client of this server may do everything.

use googleapis_tonic_google_iam_v1::google::iam::v1::{
    GetIamPolicyRequest, Policy, TestIamPermissionsRequest, TestIamPermissionsResponse,
};
use tonic::Status;

/// Grants every permission that is requested.
pub(super) fn test_permissions(request: TestIamPermissionsRequest) -> Result<TestIamPermissionsResponse, Status> {
    Ok(TestIamPermissionsResponse { permissions: request.permissions })
}

/// Returns a policy without bindings, because no client needs one.
pub(super) fn get_policy(_: GetIamPolicyRequest) -> Result<Policy, Status> {
    Ok(Policy { version: 1, ..Policy::default() })
}
