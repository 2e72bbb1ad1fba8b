//! The properties of an instance that no request has set.

use proto::app_profile::{
    Isolation, MultiClusterRoutingUseAny, Priority, RoutingPolicy, SingleClusterRouting, StandardIsolation,
};
use tabletop_model::Timestamp;

use super::instance_messages::{Instance, State, Type};
use super::proto;
use super::state::{InstanceState, Stored};
use super::times::time;
use crate::host::InstanceName;

/// The location of a cluster that was not created by a request.
const IMPLICIT_LOCATION: &str = "local";

/// Returns the state of an instance that exists because a table was created in it.
pub(super) fn implicit(name: &InstanceName, now: Timestamp) -> InstanceState {
    let cluster = proto::Cluster {
        location: format!("projects/{}/locations/{IMPLICIT_LOCATION}", name.project),
        state: proto::cluster::State::Ready.into(),
        serve_nodes: 1,
        default_storage_type: proto::StorageType::Ssd.into(),
        ..Default::default()
    };
    let about = Instance {
        display_name: name.instance.clone(),
        r#type: Type::Production.into(),
        ..Default::default()
    };
    let mut known = InstanceState { about: Stored(created(about, now)), ..InstanceState::default() };
    known.clusters.insert(format!("{}-c1", name.instance), Stored(cluster));
    insert_default_profile(&mut known);
    known
}

/// Returns a new instance with its type, its state and the time of its creation.
pub(super) fn created(about: Instance, now: Timestamp) -> Instance {
    let r#type = kind(about.r#type, Type::Production.into());
    Instance { name: String::new(), r#type, state: State::Ready.into(), create_time: time(now), ..about }
}

/// Returns the given type, or the previous one if it is not set.
pub(super) fn kind(given: i32, before: i32) -> i32 {
    match Type::try_from(given) {
        Ok(Type::Unspecified) | Err(_) => before,
        Ok(kind) => kind.into(),
    }
}

/// The profile of requests that do not name one.
pub(super) const DEFAULT_PROFILE: &str = "default";

/// Adds the profile that every new instance has.
pub(super) fn insert_default_profile(known: &mut InstanceState) {
    let policy = match known.clusters.keys().next() {
        Some(cluster_id) if known.clusters.len() == 1 => {
            RoutingPolicy::SingleClusterRouting(SingleClusterRouting {
                cluster_id: cluster_id.clone(),
                allow_transactional_writes: true,
            })
        }
        _ => RoutingPolicy::MultiClusterRoutingUseAny(MultiClusterRoutingUseAny::default()),
    };
    let profile =
        proto::AppProfile { routing_policy: Some(policy), isolation: Some(standard()), ..Default::default() };
    known.app_profiles.insert(DEFAULT_PROFILE.into(), Stored(profile));
}

/// Returns the isolation of a profile that does not set one.
pub(super) fn standard() -> Isolation {
    Isolation::StandardIsolation(StandardIsolation { priority: Priority::High.into() })
}
