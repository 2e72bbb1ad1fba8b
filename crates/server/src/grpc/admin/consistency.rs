//! Consistency tokens. There is one replica, so every write is visible everywhere as soon as it is
//! acknowledged.

use tonic::Status;

use super::{Admin, proto};
use crate::grpc::names;
use crate::grpc::status::invalid;

impl Admin {
    pub(super) fn generate_consistency_token(
        &self,
        request: proto::GenerateConsistencyTokenRequest,
    ) -> Result<proto::GenerateConsistencyTokenResponse, Status> {
        let (instance, table) = names::table(&request.name)?;
        self.spec(&instance, &table)?;
        Ok(proto::GenerateConsistencyTokenResponse { consistency_token: format!("{table}/{}", self.now()) })
    }

    pub(super) fn check_consistency(
        &self,
        request: proto::CheckConsistencyRequest,
    ) -> Result<proto::CheckConsistencyResponse, Status> {
        let (instance, table) = names::table(&request.name)?;
        self.spec(&instance, &table)?;
        match request.consistency_token.split_once('/') {
            Some((of, at)) if of == table && at.parse::<i64>().is_ok() => {
                Ok(proto::CheckConsistencyResponse { consistent: true })
            }
            _ => Err(invalid(
                "Error in field 'consistency_token' : it is not a token of this table: generate one for it",
            )),
        }
    }
}
