//! grpc.health.v1.Health: probes of containers ask whether the server answers calls.

use tonic::Status;

use super::rpc::{Answering, Call, Methods, Work, unary, unimplemented};

/// The service, with the names of the services that it reports on. The empty name is the whole server.
pub(crate) struct Health(pub &'static [&'static str]);

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

/// `ServingStatus.SERVING`.
const SERVING: i32 = 1;

impl Methods for Health {
    const NAME: &'static str = "grpc.health.v1.Health";

    fn call(self, method: &str, call: Call) -> Answering {
        match method {
            "Check" => unary(call, Work::Short, move |request| self.check(&request)),
            // Clients that get this status take the server for healthy. An open call would delay the end of the server.
            "Watch" => unimplemented(method, "the health of this server does not change: call Check"),
            _ => unimplemented(method, "the health service has no such method"),
        }
    }
}

impl Health {
    fn check(&self, request: &HealthCheckRequest) -> Result<HealthCheckResponse, Status> {
        let service = request.service.as_str();
        if service.is_empty() || self.0.contains(&service) {
            return Ok(HealthCheckResponse { status: SERVING });
        }
        Err(Status::not_found(format!("service \"{}\" not found: this server has {}", service.escape_debug(), self.0.join(", "))))
    }
}
