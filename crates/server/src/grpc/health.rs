//! grpc.health.v1.Health: probes of containers ask whether the server answers calls.

use std::sync::Arc;

use tonic::Status;

use super::rpc::{Answering, Call, Methods, Work, unary, unimplemented};
use crate::host::Host;

/// The service.
pub(crate) struct Health {
    /// The names of the services that it reports on. The empty name is the whole server.
    pub services: &'static [&'static str],
    pub host: Arc<Host>,
}

/// `HealthCheckRequest`.
#[derive(Clone, PartialEq, prost::Message)]
struct HealthCheckRequest {
    #[prost(string, tag = "1")]
    service: String,
}

/// `HealthCheckResponse`.
#[derive(Clone, PartialEq, prost::Message)]
struct HealthCheckResponse {
    /// `ServingStatus`.
    #[prost(int32, tag = "1")]
    status: i32,
}

/// `ServingStatus`.
const SERVING: i32 = 1;
const NOT_SERVING: i32 = 2;

impl Methods for Health {
    const NAME: &'static str = "grpc.health.v1.Health";

    fn call(self, method: &str, call: Call) -> Answering {
        match method {
            "Check" => unary(call, Work::Short, move |request| self.check(&request)),
            // Clients that get this status assume that the server is healthy. An open call would
            // delay stopping the server.
            "Watch" => unimplemented(method, "the health of this server hardly changes: call Check"),
            _ => unimplemented(method, "the health service has no such method"),
        }
    }
}

impl Health {
    fn check(&self, request: &HealthCheckRequest) -> Result<HealthCheckResponse, Status> {
        let service = request.service.as_str();
        if service.is_empty() || self.services.contains(&service) {
            let keeps_data = self.host.folder().is_none_or(|folder| folder.check().is_ok());
            return Ok(HealthCheckResponse { status: if keeps_data { SERVING } else { NOT_SERVING } });
        }
        let known = self.services.join(", ");
        Err(Status::not_found(format!(
            "service \"{}\" not found: this server has {known}",
            service.escape_debug()
        )))
    }
}
