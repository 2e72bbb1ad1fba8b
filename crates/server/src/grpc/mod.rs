//! gRPC: converts between Google's protos and the types of `model`. Nothing else in this crate uses
//! protobuf.

pub(crate) mod admin;
pub(crate) mod authorized_view;
mod connection;
mod convert;
pub(crate) mod data;
mod fields;
mod health;
mod listener;
mod maps;
mod memory;
mod message;
pub(crate) mod names;
mod reflection;
pub(crate) mod rpc;
pub(crate) mod status;
mod stream;
mod timed;
mod wire;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tabletop_model::Result;
use tokio::sync::watch;
use tokio::task::JoinSet;

use self::admin::{Admin, InstanceAdmin, OperationsMethods, TableAdmin};
use self::data::Data;
use self::health::Health;
pub use self::listener::Listener;
use self::memory::Memory;
use self::rpc::Methods;
pub use self::rpc::{Answer, Call};
use crate::access::Access;
use crate::host::Host;
use crate::live::Live;
use crate::stats::Stats;

/// The names of all services.
const SERVICES: &[&str] = &[
    Data::NAME,
    TableAdmin::NAME,
    InstanceAdmin::NAME,
    OperationsMethods::NAME,
    Health::NAME,
    reflection::V1,
    reflection::V1_ALPHA,
];
/// The time that calls in progress have to complete when the server stops.
const GRACE: Duration = Duration::from_secs(10);
/// The maximum number of connections beyond the limit that get an error at a time. Further ones are
/// simply disconnected.
const REFUSALS_MAX: usize = 16;
/// The pause after a connection cannot be accepted, for example because too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves clients until `shutdown` is ready and the calls in progress have been answered or have
/// used up their time.
pub async fn serve(
    listener: impl Into<Listener>,
    api: Api,
    access: Access,
    shutdown: impl Future<Output = ()>,
) {
    let listener = listener.into();
    let (stop, stopping) = watch::channel(());
    let (mut connections, mut refusals) = (JoinSet::new(), JoinSet::new());
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            // Removes connections that have ended.
            Some(_) = connections.join_next() => {}
            Some(_) = refusals.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok(client) => {
                    let connections_max = listener.connections_max(&client, access.connections_max);
                    if connections.len() < connections_max {
                        let connected = api.stats.as_ref().map(Stats::connect);
                        let served = connection::serve(client, api.clone(), access.clone(), stopping.clone());
                        connections.spawn(async move {
                            let _connected = connected;
                            served.await;
                        });
                    } else {
                        api.stats.as_deref().inspect(|stats| stats.refuse());
                        if refusals.len() < REFUSALS_MAX {
                            refusals.spawn(connection::refuse(client, access.clone(), connections_max));
                        }
                    }
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    drop((listener, stop));
    // Idle connections do not delay stopping.
    let _ = tokio::time::timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await;
}

/// All services, callable with or without a connection.
#[derive(Clone)]
pub struct Api {
    host: Arc<Host>,
    data: Data,
    admin: Arc<Admin>,
    memory: Arc<Memory>,
    /// Counts the calls, if the server has statistics.
    stats: Option<Arc<Stats>>,
}

impl Api {
    /// Opens the services for the instances of a host.
    ///
    /// # Errors
    /// An error that names what this release cannot read in the data folder.
    pub fn open(host: Arc<Host>) -> Result<Api> {
        let (admin, memory) = (Admin::open(host.clone())?, Memory::new(memory::BYTES_MAX));
        Ok(Api { data: Data::new(host.clone(), admin.clone()), host, admin, memory, stats: None })
    }

    /// Makes the services count calls and clients.
    pub fn with_stats(mut self, stats: Arc<Stats>) -> Api {
        self.stats = Some(stats);
        self
    }

    /// Makes the services count what clients do to rows.
    pub fn with_live(mut self, live: Arc<Live>) -> Api {
        self.data = self.data.with_live(live);
        self
    }

    /// Returns the host of the instances.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Returns the services for tables and instances.
    pub(crate) fn admin(&self) -> &Arc<Admin> {
        &self.admin
    }

    /// Returns the counts of calls, if calls are counted.
    pub(crate) fn stats(&self) -> Option<&Arc<Stats>> {
        self.stats.as_ref()
    }

    /// Returns the bytes of requests and unread answers.
    pub(crate) fn call_bytes(&self) -> u64 {
        self.memory.held_bytes()
    }

    /// Limits the memory, in bytes, that requests and unread answers of all clients take together.
    pub fn with_memory(mut self, bytes_max: usize) -> Api {
        self.memory = Memory::new(bytes_max);
        self
    }

    /// Describes data that is kept although nothing in the data folder says any longer what it is.
    pub fn orphans(&self) -> Vec<String> {
        self.admin.orphans()
    }

    /// Describes backups and deleted tables whose data is no longer in the data folder.
    pub fn missing(&self) -> Vec<String> {
        self.admin.missing()
    }

    /// Answers one call. The future must run in a tokio runtime.
    pub fn answer(&self, mut call: Call) -> impl Future<Output = Answer> + Send + use<> {
        let path = call.uri().path().to_owned();
        call.extensions_mut().insert(self.memory.clone());
        let (service, method) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
        // Services that clients make up are not counted by their names.
        let known = SERVICES.iter().copied().find(|known| *known == service).unwrap_or("other");
        let timer = self.stats.as_ref().map(|stats| stats.begin(known, method));
        let answering = match service {
            Data::NAME => self.data.clone().call(method, call),
            TableAdmin::NAME => TableAdmin(self.admin.clone()).call(method, call),
            InstanceAdmin::NAME => InstanceAdmin(self.admin.clone()).call(method, call),
            OperationsMethods::NAME => OperationsMethods(self.admin.clone()).call(method, call),
            Health::NAME => Health { services: SERVICES, host: self.host.clone() }.call(method, call),
            reflection::V1 | reflection::V1_ALPHA => reflection::call(service, call),
            _ => rpc::unimplemented(&path, &format!("this server has {}", SERVICES.join(", "))),
        };
        async move {
            let answer = answering.await;
            match timer {
                Some(timer) => timed::time(answer, timer),
                None => answer,
            }
        }
    }
}
