//! gRPC: Google's protos on the outside, the words of `model` on the inside. Nothing else of this crate knows protobuf.

pub(crate) mod admin;
pub(crate) mod authorized_view;
mod connection;
mod convert;
pub(crate) mod data;
mod fields;
pub(crate) mod names;
pub(crate) mod rpc;
pub(crate) mod status;
mod wire;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tabletop_model::Result;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::admin::{Admin, InstanceAdmin, OperationsMethods, TableAdmin};
use self::data::Data;
use self::rpc::Methods;
pub use self::rpc::{Answer, Call};
use crate::host::Host;

/// How long calls may take that are under way when the server is to stop.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait when no connection can be taken, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers clients until `shutdown` is ready and what is under way has been answered, or had its time.
///
/// # Errors
/// When the data folder has something that this release cannot read, what it is.
pub async fn serve(listener: TcpListener, host: Arc<Host>, shutdown: impl Future<Output = ()>) -> Result<()> {
    let api = Api::open(host)?;
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            // Those that have ended are forgotten.
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection::serve(stream, api.clone(), stopping.clone()))),
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    drop((listener, stop));
    // Clients that keep their connection open without asking anything do not count as under way.
    let _ = tokio::time::timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await;
    Ok(())
}

/// All services, to be asked with or without a connection.
#[derive(Clone)]
pub struct Api {
    data: Data,
    admin: Arc<Admin>,
}

impl Api {
    /// Of the instances of a host.
    ///
    /// # Errors
    /// When the data folder has something that this release cannot read, what it is.
    pub fn open(host: Arc<Host>) -> Result<Api> {
        let admin = Admin::open(host.clone())?;
        Ok(Api { data: Data::new(host, admin.clone()), admin })
    }

    /// Answers one call, to be polled by a task of a runtime.
    pub fn answer(&self, call: Call) -> impl Future<Output = Answer> + Send + use<> {
        let path = call.uri().path().to_owned();
        let (service, method) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
        match service {
            Data::NAME => self.data.clone().call(method, call),
            TableAdmin::NAME => TableAdmin(self.admin.clone()).call(method, call),
            InstanceAdmin::NAME => InstanceAdmin(self.admin.clone()).call(method, call),
            OperationsMethods::NAME => OperationsMethods(self.admin.clone()).call(method, call),
            _ => rpc::unimplemented(&path, "this server has google.bigtable.v2, google.bigtable.admin.v2 and google.longrunning"),
        }
    }
}
