//! What tools ask of a server besides Bigtable's methods: whether it is healthy, and which services
//! and messages it has.

use prost::Message;
use tonic::Code;

use crate::support::{self, Server, refused};

#[tokio::test(flavor = "multi_thread")]
async fn probes_find_the_server_healthy() {
    let server = Server::start().await;
    let check = async |service: &str| {
        let service = [&[0x0a, service.len() as u8], service.as_bytes()].concat();
        support::send_to(&server, "grpc.health.v1.Health/Check", service).await
    };
    const SERVING: &[u8] = &[0x08, 1];
    for service in [
        "",
        "google.bigtable.v2.Bigtable",
        "google.bigtable.admin.v2.BigtableTableAdmin",
        "grpc.health.v1.Health",
    ] {
        assert_eq!(check(service).await.unwrap(), [SERVING], "{service}");
    }
    refused(check("none").await, Code::NotFound, "google.bigtable.v2.Bigtable");
    refused(
        support::send_to(&server, "grpc.health.v1.Health/Watch", vec![]).await,
        Code::Unimplemented,
        "Check",
    );
    refused(
        support::send_to(&server, "grpc.channelz.v1.Channelz/GetServers", vec![]).await,
        Code::Unimplemented,
        "this server has",
    );
    server.stop().await;
}

/// Works as grpcurl does: it lists the services, then asks for the file of one service and for the
/// files that it imports.
#[tokio::test(flavor = "multi_thread")]
async fn tools_learn_the_services_and_their_messages() {
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    const BIGTABLE: &str = "google.bigtable.v2.Bigtable";
    let server = Server::start().await;
    let endpoint = tonic::transport::Channel::from_shared(format!("http://{}", server.address)).unwrap();
    let mut client = ServerReflectionClient::new(endpoint.connect().await.unwrap());
    // The answer to each request arrives while the call is open.
    let (requests, sent) = tokio::sync::mpsc::unbounded_channel();
    let sent = futures_util::stream::unfold(sent, async |mut sent| Some((sent.recv().await?, sent)));
    let mut answers = client.server_reflection_info(sent).await.unwrap().into_inner();
    let mut ask = async |request: MessageRequest| {
        requests
            .send(ServerReflectionRequest { host: String::new(), message_request: Some(request) })
            .unwrap();
        answers.message().await.map(|answer| answer.unwrap().message_response.unwrap())
    };
    let Ok(MessageResponse::ListServicesResponse(listed)) =
        ask(MessageRequest::ListServices(String::new())).await
    else {
        panic!("the services are listed")
    };
    let names: Vec<&str> = listed.service.iter().map(|service| service.name.as_str()).collect();
    assert!(
        names.contains(&BIGTABLE) && names.contains(&"google.bigtable.admin.v2.BigtableInstanceAdmin"),
        "{names:?}"
    );
    let mut files = vec![MessageRequest::FileContainingSymbol(BIGTABLE.into())];
    let mut found = std::collections::BTreeMap::new();
    while let Some(request) = files.pop() {
        let Ok(MessageResponse::FileDescriptorResponse(answer)) = ask(request).await else {
            panic!("the file is found")
        };
        for file in answer.file_descriptor_proto {
            let file = prost_types::FileDescriptorProto::decode(&file[..]).unwrap();
            let imports = file.dependency.iter().filter(|name| !found.contains_key(*name)).cloned();
            files.extend(imports.map(MessageRequest::FileByFilename));
            found.insert(file.name().to_owned(), file);
        }
    }
    let methods: Vec<&str> = found["google/bigtable/v2/bigtable.proto"].service[0]
        .method
        .iter()
        .map(prost_types::MethodDescriptorProto::name)
        .collect();
    assert!(methods.contains(&"ReadRows") && methods.contains(&"MutateRow"), "{methods:?}");
    assert!(
        found.contains_key("google/bigtable/v2/data.proto")
            && found.contains_key("google/protobuf/descriptor.proto")
    );
    let unknown = ask(MessageRequest::FileContainingSymbol("google.bigtable.v2.Bigtables".into())).await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
    drop(requests);
    server.stop().await;
}
