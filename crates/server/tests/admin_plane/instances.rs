//! Instances, clusters, app profiles, operations.

use googleapis_tonic_google_iam_v1::google::iam::v1::{
    Binding, GetIamPolicyRequest, Policy, SetIamPolicyRequest, TestIamPermissionsRequest,
};
use googleapis_tonic_google_longrunning::google::longrunning::{
    GetOperationRequest, ListOperationsRequest, WaitOperationRequest,
};
use proto::app_profile::{
    Isolation, MultiClusterRoutingUseAny, RoutingPolicy, SingleClusterRouting, StandardIsolation,
};
use proto::cluster::{ClusterAutoscalingConfig, ClusterConfig, Config};

use super::*;

const OTHER: &str = "projects/p/instances/other";

fn cluster(nodes: i32) -> proto::Cluster {
    proto::Cluster {
        location: "projects/p/locations/europe-west1-b".into(),
        serve_nodes: nodes,
        ..Default::default()
    }
}

fn autoscaling(min: i32, max: i32) -> Option<Config> {
    let config = ClusterAutoscalingConfig {
        autoscaling_limits: Some(proto::AutoscalingLimits { min_serve_nodes: min, max_serve_nodes: max }),
        autoscaling_targets: Some(proto::AutoscalingTargets {
            cpu_utilization_percent: 60,
            storage_utilization_gib_per_node: 0,
        }),
    };
    Some(Config::ClusterConfig(ClusterConfig { cluster_autoscaling_config: Some(config) }))
}

fn create_instance() -> proto::CreateInstanceRequest {
    let instance = proto::Instance {
        display_name: "The other".into(),
        labels: [("team".to_string(), "red".to_string())].into(),
        ..Default::default()
    };
    let scaled = proto::Cluster { config: autoscaling(2, 5), default_storage_type: 2, ..cluster(0) };
    proto::CreateInstanceRequest {
        parent: "projects/p".into(),
        instance_id: "other".into(),
        instance: Some(instance),
        clusters: [("c1".to_string(), cluster(3)), ("c2".to_string(), scaled)].into(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_has_the_requested_settings() {
    let mut plane = Plane::in_folder().await;
    let get = || proto::GetInstanceRequest { name: OTHER.into() };
    refused(plane.instances.get_instance(get()).await, Code::NotFound, OTHER);
    let created: proto::Instance =
        outcome(plane.instances.create_instance(create_instance()).await, "Instance");
    assert_eq!((created.name.as_str(), created.display_name.as_str()), (OTHER, "The other"));
    assert_eq!(
        (created.state(), created.r#type()),
        (proto::instance::State::Ready, proto::instance::Type::Production)
    );
    assert!(created.labels["team"] == "red" && created.create_time.is_some());
    refused(plane.instances.create_instance(create_instance()).await, Code::AlreadyExists, OTHER);
    let mut bare = create_instance();
    bare.clusters.clear();
    refused(plane.instances.create_instance(bare.clone()).await, Code::InvalidArgument, "clusters");
    bare.instance_id = "new".into();
    bare.clusters.insert("c".into(), cluster(-1));
    refused(plane.instances.create_instance(bare.clone()).await, Code::InvalidArgument, "serve_nodes");
    bare.instance_id = "../x".into();
    bare.clusters.insert("c".into(), cluster(1));
    refused(plane.instances.create_instance(bare).await, Code::InvalidArgument, "../x");

    // A table creates its instance.
    plane.create(&["f"]).await;
    let mut plane = plane.restart().await;
    assert_eq!(done(plane.instances.get_instance(get()).await), created);
    let list = proto::ListInstancesRequest { parent: "projects/p".into(), ..Default::default() };
    let listed = done(plane.instances.list_instances(list.clone()).await).instances;
    assert_eq!(listed.iter().map(|instance| instance.name.as_str()).collect::<Vec<_>>(), [INSTANCE, OTHER]);

    let mut update = proto::PartialUpdateInstanceRequest {
        instance: Some(proto::Instance {
            name: OTHER.into(),
            display_name: "New".into(),
            ..Default::default()
        }),
        update_mask: mask(&["display_name"]),
    };
    let updated: proto::Instance =
        outcome(plane.instances.partial_update_instance(update.clone()).await, "Instance");
    assert_eq!((updated.display_name.as_str(), updated.labels.len()), ("New", 1));
    update.update_mask = mask(&["state"]);
    refused(plane.instances.partial_update_instance(update).await, Code::InvalidArgument, "\"state\"");
    let all = proto::Instance { name: OTHER.into(), display_name: "All".into(), ..Default::default() };
    let updated = done(plane.instances.update_instance(all).await);
    assert_eq!((updated.display_name.as_str(), updated.labels.len()), ("All", 0));

    done(plane.instances.delete_instance(proto::DeleteInstanceRequest { name: INSTANCE.into() }).await);
    let mut plane = plane.restart().await;
    assert_eq!(done(plane.instances.list_instances(list).await).instances, [updated]);
    assert_eq!(plane.set("r", "f:q", "v").await.unwrap_err().code(), Code::NotFound);
    plane.end().await;
}

/// The published messages lack the field: 14, a number.
#[tokio::test(flavor = "multi_thread")]
async fn the_edition_of_an_instance_is_kept() {
    const METHODS: &str = "BigtableInstanceAdmin";
    /// Encodes a message, and adds the edition to the instance in it, which begins at an offset.
    fn with_edition(message: impl Message, instance: u8, at: usize, edition: u8) -> Vec<u8> {
        let mut bytes = message.encode_to_vec();
        // The instance is the field `instance` and shorter than 128 bytes.
        assert_eq!(bytes[at], instance << 3 | 2);
        bytes[at + 1] += 2;
        let end = at + 2 + usize::from(bytes[at + 1]) - 2;
        bytes.splice(end..end, [14 << 3, edition]);
        bytes
    }
    let has_edition = |answer: &[u8], edition: u8| answer.windows(2).any(|bytes| bytes == [14 << 3, edition]);
    let mut plane = Plane::in_folder().await;
    let instance = Some(proto::Instance { display_name: "Other".into(), ..Default::default() });
    let create = proto::CreateInstanceRequest {
        parent: "projects/p".into(),
        instance_id: "other".into(),
        instance,
        clusters: [("c".to_string(), cluster(1))].into(),
    };
    let head = 2 + create.parent.len() + 2 + create.instance_id.len();
    let operation = plane.raw(&format!("{METHODS}/CreateInstance"), with_edition(create, 3, head, 2)).await;
    assert!(has_edition(&operation, 2));
    let mut plane = plane.restart().await;
    let get = proto::GetInstanceRequest { name: OTHER.into() }.encode_to_vec();
    assert!(has_edition(&plane.raw(&format!("{METHODS}/GetInstance"), get.clone()).await, 2));
    let list =
        proto::ListInstancesRequest { parent: "projects/p".into(), ..Default::default() }.encode_to_vec();
    assert!(has_edition(&plane.raw(&format!("{METHODS}/ListInstances"), list).await, 2));
    let update = proto::PartialUpdateInstanceRequest {
        instance: Some(proto::Instance { name: OTHER.into(), ..Default::default() }),
        update_mask: mask(&["edition"]),
    };
    plane.raw(&format!("{METHODS}/PartialUpdateInstance"), with_edition(update, 1, 0, 1)).await;
    assert!(has_edition(&plane.raw(&format!("{METHODS}/GetInstance"), get).await, 1));
    plane.end().await;
}

#[tokio::test]
async fn clusters_are_created_and_deleted() {
    let mut plane = Plane::in_memory().await;
    done(plane.instances.create_instance(create_instance()).await);
    let name = |id: &str| format!("{OTHER}/clusters/{id}");
    let list = proto::ListClustersRequest { parent: OTHER.into(), ..Default::default() };
    let clusters = done(plane.instances.list_clusters(list.clone()).await).clusters;
    assert_eq!(
        clusters.iter().map(|cluster| cluster.name.clone()).collect::<Vec<_>>(),
        [name("c1"), name("c2")]
    );
    assert_eq!((clusters[0].serve_nodes, clusters[0].state()), (3, proto::cluster::State::Ready));
    assert_eq!(
        (clusters[0].location.as_str(), clusters[0].config),
        ("projects/p/locations/europe-west1-b", None)
    );
    assert_eq!((clusters[1].serve_nodes, clusters[1].config), (2, autoscaling(2, 5)));
    assert_eq!(clusters[1].default_storage_type(), proto::StorageType::Hdd);
    let any = proto::ListClustersRequest { parent: "projects/p/instances/-".into(), ..Default::default() };
    assert_eq!(done(plane.instances.list_clusters(any).await).clusters, clusters);

    let create = proto::CreateClusterRequest {
        parent: OTHER.into(),
        cluster_id: "c3".into(),
        cluster: Some(cluster(0)),
    };
    let created: proto::Cluster = outcome(plane.instances.create_cluster(create.clone()).await, "Cluster");
    assert_eq!(
        (created.serve_nodes, created.node_scaling_factor),
        (1, 0),
        "one node, and the scaling factor that was sent"
    );
    assert_eq!(
        done(plane.instances.get_cluster(proto::GetClusterRequest { name: name("c3") }).await),
        created
    );
    refused(plane.instances.create_cluster(create).await, Code::AlreadyExists, "c3");

    let update = |cluster: proto::Cluster, paths: &[&str]| proto::PartialUpdateClusterRequest {
        cluster: Some(proto::Cluster { name: name("c2"), ..cluster }),
        update_mask: mask(paths),
    };
    let limits = "cluster_config.cluster_autoscaling_config.autoscaling_limits";
    let raised = update(proto::Cluster { config: autoscaling(3, 5), ..Default::default() }, &[limits]);
    let updated: proto::Cluster = outcome(plane.instances.partial_update_cluster(raised).await, "Cluster");
    assert_eq!((updated.serve_nodes, updated.config), (2, autoscaling(3, 5)), "no node is added at once");
    let lowered = update(proto::Cluster { config: autoscaling(2, 5), ..Default::default() }, &[limits]);
    outcome::<proto::Cluster>(plane.instances.partial_update_cluster(lowered).await, "Cluster");
    let more = update(
        proto::Cluster { config: autoscaling(9, 8), ..Default::default() },
        &[&format!("{limits}.max_serve_nodes")],
    );
    let updated: proto::Cluster = outcome(plane.instances.partial_update_cluster(more).await, "Cluster");
    assert_eq!(updated.config, autoscaling(2, 8));
    let fixed = update(cluster(4), &["serve_nodes", "cluster_config.cluster_autoscaling_config"]);
    let updated: proto::Cluster = outcome(plane.instances.partial_update_cluster(fixed).await, "Cluster");
    assert_eq!((updated.serve_nodes, updated.config), (4, None));
    refused(
        plane.instances.partial_update_cluster(update(cluster(0), &["serve_nodes"])).await,
        Code::InvalidArgument,
        "serve_nodes",
    );
    refused(
        plane.instances.partial_update_cluster(update(cluster(1), &["location"])).await,
        Code::InvalidArgument,
        "location",
    );
    let whole = proto::Cluster { name: name("c2"), ..cluster(7) };
    assert_eq!(
        outcome::<proto::Cluster>(plane.instances.update_cluster(whole).await, "Cluster").serve_nodes,
        7
    );

    let delete = |id: &str| proto::DeleteClusterRequest { name: name(id) };
    done(plane.instances.delete_cluster(delete("c1")).await);
    done(plane.instances.delete_cluster(delete("c2")).await);
    refused(plane.instances.delete_cluster(delete("c2")).await, Code::NotFound, "c2");
    refused(plane.instances.delete_cluster(delete("c3")).await, Code::FailedPrecondition, "last one");
    let hot = proto::ListHotTabletsRequest { parent: name("c3"), ..Default::default() };
    assert_eq!(done(plane.instances.list_hot_tablets(hot).await).hot_tablets, []);
    plane.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn app_profiles_are_returned_as_given() {
    let mut plane = Plane::in_folder().await;
    done(plane.instances.create_instance(create_instance()).await);
    let single = |id: &str| {
        let routing = SingleClusterRouting { cluster_id: id.into(), allow_transactional_writes: true };
        Some(RoutingPolicy::SingleClusterRouting(routing))
    };
    let profile = |routing_policy| proto::AppProfile {
        description: "for batches".into(),
        routing_policy,
        isolation: Some(Isolation::StandardIsolation(StandardIsolation { priority: 1 })),
        ..Default::default()
    };
    let create = |id: &str, policy| proto::CreateAppProfileRequest {
        parent: OTHER.into(),
        app_profile_id: id.into(),
        app_profile: Some(profile(policy)),
        ignore_warnings: true,
    };
    let created = done(plane.instances.create_app_profile(create("batch", single("c1"))).await);
    let name = format!("{OTHER}/appProfiles/batch");
    assert_eq!(created, proto::AppProfile { name: name.clone(), ..profile(single("c1")) }, "no etag");
    refused(
        plane.instances.create_app_profile(create("batch", single("c1"))).await,
        Code::AlreadyExists,
        "batch",
    );
    refused(
        plane.instances.create_app_profile(create("x", single("none"))).await,
        Code::InvalidArgument,
        "none",
    );
    refused(
        plane.instances.create_app_profile(create("x", None)).await,
        Code::InvalidArgument,
        "routing policy",
    );

    let mut plane = plane.restart().await;
    let get = || proto::GetAppProfileRequest { name: name.clone() };
    assert_eq!(done(plane.instances.get_app_profile(get()).await), created);
    let list = |token: &str| proto::ListAppProfilesRequest {
        parent: OTHER.into(),
        page_size: 1,
        page_token: token.into(),
    };
    let first = done(plane.instances.list_app_profiles(list("")).await);
    let second = done(plane.instances.list_app_profiles(list(&first.next_page_token)).await);
    assert_eq!((&first.app_profiles[0], second.next_page_token.as_str()), (&created, ""));
    assert!(second.app_profiles[0].name.ends_with("/default"), "every instance has one");
    let cluster = plane
        .instances
        .delete_cluster(proto::DeleteClusterRequest { name: format!("{OTHER}/clusters/c1") })
        .await;
    refused(cluster, Code::FailedPrecondition, "batch");

    let multi = Some(RoutingPolicy::MultiClusterRoutingUseAny(MultiClusterRoutingUseAny::default()));
    let update = proto::UpdateAppProfileRequest {
        app_profile: Some(proto::AppProfile {
            name: name.clone(),
            routing_policy: multi.clone(),
            ..Default::default()
        }),
        update_mask: mask(&["multi_cluster_routing_use_any"]),
        ignore_warnings: true,
    };
    let updated: proto::AppProfile = outcome(plane.instances.update_app_profile(update).await, "AppProfile");
    assert_eq!((updated.routing_policy, updated.description.as_str()), (multi, "for batches"));
    let delete = || proto::DeleteAppProfileRequest { name: name.clone(), ignore_warnings: true };
    done(plane.instances.delete_app_profile(delete()).await);
    refused(plane.instances.delete_app_profile(delete()).await, Code::NotFound, &name);
    plane.end().await;
}

#[tokio::test]
async fn operations_can_be_read_again() {
    let mut plane = Plane::in_memory().await;
    let made = done(plane.instances.create_instance(create_instance()).await);
    let get = |name: &str| GetOperationRequest { name: name.into() };
    assert_eq!(done(plane.operations.get_operation(get(&made.name)).await), made);
    let wait = WaitOperationRequest { name: made.name.clone(), timeout: None };
    assert_eq!(done(plane.operations.wait_operation(wait).await), made);
    refused(plane.operations.get_operation(get("operations/none")).await, Code::NotFound, "none");
    let list = ListOperationsRequest { name: format!("operations/{OTHER}"), ..Default::default() };
    assert_eq!(done(plane.operations.list_operations(list).await).operations, [made]);
    plane.end().await;
}

#[tokio::test]
async fn every_caller_has_all_permissions() {
    let mut plane = Plane::in_memory().await;
    let permissions = vec!["bigtable.tables.create".to_string()];
    let test = TestIamPermissionsRequest { resource: OTHER.into(), permissions: permissions.clone() };
    assert_eq!(done(plane.instances.test_iam_permissions(test.clone()).await).permissions, permissions);
    assert_eq!(done(plane.tables.test_iam_permissions(test).await).permissions, permissions);
    plane.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_returned_as_it_was_set() {
    let mut plane = Plane::in_folder().await;
    plane.create(&["f"]).await;
    let empty = Policy { etag: b"\x00\x20\x01"[..].into(), ..Default::default() };
    let get = |resource: &str| GetIamPolicyRequest { resource: resource.into(), ..Default::default() };
    let set = |resource: &str, policy: &Policy| SetIamPolicyRequest {
        resource: resource.into(),
        policy: Some(policy.clone()),
        update_mask: None,
    };
    for resource in [INSTANCE, TABLE] {
        assert_eq!(done(plane.tables.get_iam_policy(get(resource)).await), empty, "ACAB in base64");
    }
    assert_eq!(done(plane.instances.set_iam_policy(set(INSTANCE, &empty)).await), empty);
    let binding = Binding {
        role: "roles/bigtable.reader".into(),
        members: vec!["user:a@example.com".into()],
        condition: None,
    };
    let policy = Policy { version: 1, bindings: vec![binding], ..Default::default() };
    let stored = done(plane.tables.set_iam_policy(set(TABLE, &policy)).await);
    assert_eq!(stored, Policy { etag: stored.etag.clone(), ..policy.clone() });
    assert_ne!(stored.etag, empty.etag);

    let mut plane = plane.restart().await;
    assert_eq!(done(plane.tables.get_iam_policy(get(TABLE)).await), stored);
    assert_eq!(done(plane.instances.get_iam_policy(get(INSTANCE)).await), empty);
    refused(plane.tables.set_iam_policy(set(TABLE, &empty)).await, Code::Aborted, "etag");
    let version = SetIamPolicyRequest {
        update_mask: mask(&["version"]),
        ..set(TABLE, &Policy { version: 3, ..stored.clone() })
    };
    let changed = done(plane.tables.set_iam_policy(version).await);
    assert_eq!((changed.version, &changed.bindings), (3, &policy.bindings));
    assert_ne!(changed.etag, stored.etag);
    for unknown in
        [OTHER, "projects/p/instances/i/tables/u", "projects/p/instances/i/tables/t/authorizedViews/v"]
    {
        refused(plane.tables.get_iam_policy(get(unknown)).await, Code::NotFound, unknown);
        refused(plane.tables.set_iam_policy(set(unknown, &policy)).await, Code::NotFound, unknown);
    }
    refused(plane.tables.get_iam_policy(get("projects/p")).await, Code::InvalidArgument, "instance");
    // Another table of the same name has no policy.
    done(plane.tables.delete_table(proto::DeleteTableRequest { name: TABLE.into() }).await);
    plane.create(&["f"]).await;
    assert_eq!(done(plane.tables.get_iam_policy(get(TABLE)).await), empty);
    plane.end().await;
}
