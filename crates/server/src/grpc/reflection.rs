//! grpc.reflection: tools such as grpcurl ask a server for its services and messages, so that they
//! need no .proto files.
//!
//! `descriptors.bin` is a `FileDescriptorSet` of Google's published definitions, without comments.
//! Any protobuf compiler makes it from a checkout of <https://github.com/googleapis/googleapis>
//! (Apache-2.0) and of <https://github.com/grpc/grpc-proto> (Apache-2.0):
//!
//! ```text
//! protoc -I googleapis -I grpc-proto --include_imports --descriptor_set_out=descriptors.bin \
//!     google/bigtable/v2/bigtable.proto google/bigtable/admin/v2/bigtable_table_admin.proto \
//!     google/bigtable/admin/v2/bigtable_instance_admin.proto google/longrunning/operations.proto grpc/health/v1/health.proto
//! ```

use std::convert::Infallible;
use std::future::ready;
use std::sync::{Arc, LazyLock};

use http_body_util::BodyExt;
use tokio::sync::Semaphore;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic_reflection::server::Builder;

use super::SERVICES;
use super::rpc::{Answer, Answering, Call};

/// The services, which share the same messages.
pub(crate) const V1: &str = "grpc.reflection.v1.ServerReflection";
pub(crate) const V1_ALPHA: &str = "grpc.reflection.v1alpha.ServerReflection";

const DESCRIPTORS: &[u8] = include_bytes!("descriptors.bin");
/// The largest request. It contains a name, which is quoted in a header if it is unknown.
const REQUEST_BYTES_MAX: usize = 1 << 10;
/// The calls that are answered concurrently. Each lasts until its client ends it.
const CALLS_MAX: usize = 64;

/// Answers a call.
type Reflect = Box<dyn Fn(Call) -> Answering + Send + Sync>;

static REFLECT_V1: LazyLock<Reflect> = LazyLock::new(|| {
    let service = builder().build_v1().expect("the descriptors are ours");
    reflect(service.max_decoding_message_size(REQUEST_BYTES_MAX))
});
static REFLECT_V1_ALPHA: LazyLock<Reflect> = LazyLock::new(|| {
    let service = builder().build_v1alpha().expect("the descriptors are ours");
    reflect(service.max_decoding_message_size(REQUEST_BYTES_MAX))
});
static CALLS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(CALLS_MAX)));

/// Answers a call of [`V1`] or [`V1_ALPHA`].
pub(super) fn call(service: &str, call: Call) -> Answering {
    let Ok(room) = CALLS.clone().try_acquire_owned() else {
        let why = format!("{CALLS_MAX} clients are asking for descriptors, which is the limit: retry later");
        return Box::pin(ready(Status::resource_exhausted(why).into_http()));
    };
    let answer = if service == V1 { REFLECT_V1(call) } else { REFLECT_V1_ALPHA(call) };
    Box::pin(async move {
        answer.await.map(|body| {
            Body::new(body.map_frame(move |frame| {
                // The place is free again when the answer ends.
                let _ = &room;
                frame
            }))
        })
    })
}

fn builder() -> Builder<'static> {
    let builder = Builder::configure().register_encoded_file_descriptor_set(DESCRIPTORS);
    SERVICES.iter().fold(builder, |builder, name| builder.with_service_name(*name))
}

fn reflect<S>(service: S) -> Reflect
where
    S: Service<Call, Response = Answer, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    Box::new(move |call| {
        let mut service = service.clone();
        Box::pin(async move {
            match service.call(call).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn the_descriptors_have_all_services_and_what_they_import() {
        let set = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
        let services: Vec<String> = set
            .file
            .iter()
            .flat_map(|file| {
                file.service.iter().map(|service| format!("{}.{}", file.package(), service.name()))
            })
            .collect();
        for name in SERVICES.iter().filter(|name| ![V1, V1_ALPHA].contains(name)) {
            assert!(services.iter().any(|service| service == name), "{name}");
        }
        for import in set.file.iter().flat_map(|file| &file.dependency) {
            assert!(set.file.iter().any(|file| file.name() == import), "{import}");
        }
    }
}
