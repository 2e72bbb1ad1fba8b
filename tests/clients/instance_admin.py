"""google.bigtable.admin.v2.BigtableInstanceAdmin: every call that the server supports."""

import base64

from google.cloud.bigtable_admin_v2 import types
from google.protobuf import field_mask_pb2
from kit import PROJECT, contains, equal, refused

PROJECT_NAME = f"projects/{PROJECT}"


def mask(*paths):
    return field_mask_pb2.FieldMask(paths=paths)


def location(zone):
    return f"{PROJECT_NAME}/locations/{zone}"


def made(clients, instance_id):
    return clients.instances.create_instance(
        parent=PROJECT_NAME,
        instance_id=instance_id,
        instance={"display_name": "An instance", "type_": types.Instance.Type.PRODUCTION, "labels": {"team": "red"}},
        clusters={f"{instance_id}-c1": {"location": location("europe-west1-b"), "serve_nodes": 3}},
    ).result()


def test_instances(clients):
    name = f"{PROJECT_NAME}/instances/inst-a"
    instance = made(clients, "inst-a")
    equal((instance.name, instance.display_name, instance.state.name), (name, "An instance", "READY"))
    refused("AlreadyExists", made, clients, "inst-a")
    refused("InvalidArgument", made, clients, "Not An Id")
    got = clients.instances.get_instance(name=name)
    equal((got.type_.name, dict(got.labels)), ("PRODUCTION", {"team": "red"}))
    listed = clients.instances.list_instances(parent=PROJECT_NAME)
    contains([each.name for each in listed.instances], name)
    changed = clients.instances.partial_update_instance(
        instance={"name": name, "display_name": "Another name"}, update_mask=mask("display_name")).result()
    equal((changed.display_name, dict(changed.labels)), ("Another name", {"team": "red"}))
    whole = clients.instances.update_instance(request={"name": name, "display_name": "All of it", "type_": types.Instance.Type.PRODUCTION})
    equal(whole.display_name, "All of it")
    create = {"parent": name, "table_id": "t", "table": {"column_families": {"f": {}}}}
    equal(clients.tables.create_table(request=create).name, f"{name}/tables/t")
    clients.instances.delete_instance(name=name)
    refused("NotFound", clients.instances.get_instance, name=name)
    refused("NotFound", clients.tables.get_table, name=f"{name}/tables/t")
    refused("NotFound", clients.instances.delete_instance, name=name)


def test_clusters(clients):
    instance = made(clients, "inst-b").name
    first = clients.instances.get_cluster(name=f"{instance}/clusters/inst-b-c1")
    equal((first.serve_nodes, first.location, first.state.name), (3, location("europe-west1-b"), "READY"))
    second = clients.instances.create_cluster(
        parent=instance, cluster_id="inst-b-c2", cluster={"location": location("us-east1-c")}).result()
    equal((second.name, second.serve_nodes), (f"{instance}/clusters/inst-b-c2", 1))
    listed = clients.instances.list_clusters(parent=instance).clusters
    equal([cluster.name for cluster in listed], [first.name, second.name])
    refused("AlreadyExists", clients.instances.create_cluster, parent=instance, cluster_id="inst-b-c2",
            cluster={"location": location("us-east1-d"), "serve_nodes": 1})
    changed = clients.instances.partial_update_cluster(
        cluster={"name": second.name, "serve_nodes": 5}, update_mask=mask("serve_nodes")).result()
    equal(changed.serve_nodes, 5)
    changed = clients.instances.update_cluster(request={"name": second.name, "serve_nodes": 6, "location": second.location}).result()
    equal(changed.serve_nodes, 6)
    clients.instances.delete_cluster(name=second.name)
    refused("NotFound", clients.instances.get_cluster, name=second.name)
    refused("FailedPrecondition", clients.instances.delete_cluster, name=first.name)
    clients.instances.delete_instance(name=instance)


def test_app_profiles(clients):
    instance = made(clients, "inst-c").name
    name = f"{instance}/appProfiles/batch"
    create = lambda **request: clients.instances.create_app_profile(request={"parent": instance, "app_profile_id": "batch", **request})
    single = {"cluster_id": "inst-c-c1", "allow_transactional_writes": True}
    profile = create(app_profile={"description": "Loads", "single_cluster_routing": single})
    equal((profile.name, profile.single_cluster_routing.cluster_id, profile.etag), (name, "inst-c-c1", ""))
    refused("AlreadyExists", create, app_profile={"multi_cluster_routing_use_any": {}})
    got = clients.instances.get_app_profile(name=name)
    equal((got.description, got.single_cluster_routing.allow_transactional_writes), ("Loads", True))
    listed = [each.name for each in clients.instances.list_app_profiles(parent=instance)]
    equal(listed, [name, f"{instance}/appProfiles/default"], "every instance has a profile default")
    changed = clients.instances.update_app_profile(
        app_profile={"name": name, "description": "Loads of it"}, update_mask=mask("description")).result()
    equal(changed.description, "Loads of it")
    clients.instances.delete_app_profile(request={"name": name, "ignore_warnings": True})
    refused("NotFound", clients.instances.get_app_profile, name=name)
    clients.instances.delete_instance(name=instance)


def test_hot_tablets_and_iam(clients):
    instance = made(clients, "inst-d").name
    equal(list(clients.instances.list_hot_tablets(parent=f"{instance}/clusters/inst-d-c1")), [])
    asked = ["bigtable.instances.get"]
    equal(list(clients.instances.test_iam_permissions(resource=instance, permissions=asked).permissions), asked)
    policy = clients.instances.get_iam_policy(resource=instance)
    equal((list(policy.bindings), policy.etag), ([], base64.b64decode("ACAB")))
    policy.bindings.add(role="roles/bigtable.reader", members=["user:a@example.com"])
    changed = clients.instances.set_iam_policy(request={"resource": instance, "policy": policy})
    equal((list(changed.bindings), clients.instances.get_iam_policy(resource=instance)), (list(policy.bindings), changed))
    refused("Aborted", clients.instances.set_iam_policy, request={"resource": instance, "policy": policy})
    clients.instances.delete_instance(name=instance)


def test_unsupported_say_so(clients):
    instance = made(clients, "inst-e").name
    contains(refused("MethodNotImplemented", clients.instances.list_logical_views, parent=instance), "support")
    contains(refused("MethodNotImplemented", clients.instances.list_materialized_views, parent=instance), "support")
    clients.instances.delete_instance(name=instance)
