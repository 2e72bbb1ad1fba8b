//! gRPC: Google's protos on the outside, the words of `model` on the inside. Nothing else of the program knows protobuf, but for the
//! client in `push/remote.rs`.

pub(crate) mod admin;
pub(crate) mod authorized_view;
mod convert;
pub(crate) mod data;
pub(crate) mod names;
pub(crate) mod rpc;
pub(crate) mod status;
mod wire;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tabletop_model::{Code, Error};
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::host::Host;

/// Bytes that a client may send before it must wait for the server to read, of one call and of all.
const STREAM_WINDOW_BYTES: u32 = 4 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// Bytes of one HTTP/2 frame at most, in either direction.
const FRAME_BYTES_MAX: u32 = 1 << 20;
/// How long calls may take that are under way when the server is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Answers clients until `shutdown` is ready and what is under way has been answered, or had its time.
///
/// # Errors
/// `Unavailable` when the listener fails; when the data folder has something that this release cannot read, what it is.
pub async fn serve(listener: TcpListener, host: Arc<Host>, shutdown: impl Future<Output = ()>) -> tabletop_model::Result<()> {
    let failed = |error: tonic::transport::Error| Error::new(Code::Unavailable, format!("the listener has failed: {error}"));
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder()
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(FRAME_BYTES_MAX)
        .http2_keepalive_interval(Some(Duration::from_secs(60)))
        .add_routes(routes(host)?);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = server.serve_with_incoming_shutdown(incoming, async {
        let _ = stopped.await;
    });
    tokio::pin!(serving, shutdown);
    tokio::select! {
        done = &mut serving => return done.map_err(failed),
        () = &mut shutdown => {}
    }
    let _ = stop.send(());
    // Clients that keep their connection open without asking anything do not count as under way.
    tokio::time::timeout(GRACE, serving).await.unwrap_or(Ok(())).map_err(failed)
}

/// The services, to be asked without a connection.
///
/// # Errors
/// When the data folder has something that this release cannot read, what it is.
pub fn routes(host: Arc<Host>) -> tabletop_model::Result<Routes> {
    let admin = admin::Admin::open(host.clone())?;
    Ok(Routes::new(rpc::Service(data::Data::new(host, admin.clone())))
        .add_service(rpc::Service(admin::TableAdmin(admin.clone())))
        .add_service(rpc::Service(admin::InstanceAdmin(admin.clone())))
        .add_service(rpc::Service(admin::OperationsMethods(admin))))
}
