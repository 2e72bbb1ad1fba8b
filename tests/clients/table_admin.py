"""google.bigtable.admin.v2.BigtableTableAdmin: every call."""

from datetime import datetime, timedelta, timezone

from google.cloud.bigtable.data import ReadRowsQuery, RowMutationEntry, SetCell
from google.cloud.bigtable.data.exceptions import MutationsExceptionGroup
from google.cloud.bigtable_admin_v2 import types
from google.protobuf import field_mask_pb2
from kit import CLUSTER, INSTANCE, INSTANCE_NAME, contains, equal, refused, short


def filled(clients, **table):
    table_id, name = clients.table(**table)
    rows = clients.data.get_table(INSTANCE, table_id)
    for key in ("a#1", "a#2", "b#1"):
        rows.mutate_row(key, [SetCell("f", "q", key, 1000), SetCell("f", "q", key + "!", 2000)])
    return rows, name


def keys(table):
    return [row.row_key.decode() for row in table.read_rows(ReadRowsQuery())]


def mask(*paths):
    return field_mask_pb2.FieldMask(paths=paths)


def in_days(days):
    return datetime.now(timezone.utc) + timedelta(days=days)


def test_create_get_list_delete(clients):
    rule = {"max_num_versions": 3}
    age = {"max_age": timedelta(days=7)}
    families = {
        "plain": {},
        "few": {"gc_rule": rule},
        "nested": {"gc_rule": {"union": {"rules": [rule, {"intersection": {"rules": [age, {"max_num_versions": 9}]}}]}}},
    }
    table_id, name = clients.table(families=families)
    table = clients.tables.get_table(name=name)
    equal((table.name, sorted(table.column_families)), (name, ["few", "nested", "plain"]))
    equal(table.granularity, types.Table.TimestampGranularity.MILLIS)
    equal(table.column_families["few"].gc_rule.max_num_versions, 3)
    nested = table.column_families["nested"].gc_rule.union.rules
    equal([nested[0].max_num_versions, nested[1].intersection.rules[0].max_age], [3, timedelta(days=7)])
    views = types.Table.View
    equal(dict(clients.tables.get_table(request={"name": name, "view": views.NAME_ONLY}).column_families), {})
    full = clients.tables.get_table(request={"name": name, "view": views.FULL})
    equal([state.replication_state.name for state in full.cluster_states.values()], ["READY"])
    create = lambda **request: clients.tables.create_table(request={"parent": INSTANCE_NAME, "table": {}, **request})
    refused("AlreadyExists", create, table_id=table_id)
    for bad in ["", "no/slash", "-first", "x" * 51]:
        refused("InvalidArgument", create, table_id=bad)
    refused("InvalidArgument", create, table_id="bad", table={"column_families": {"b:d": {}}})
    refused("InvalidArgument", create, table_id="bad", table={"column_families": {"f": {"gc_rule": {"max_num_versions": -1}}}})
    refused("InvalidArgument", create, table_id="bad", initial_splits=[{"key": b"b"}, {"key": b"b"}, {"key": b""}])
    clients.tables.delete_table(name=name)
    refused("NotFound", clients.tables.get_table, name=name)
    refused("NotFound", clients.tables.delete_table, name=name)


def test_list_tables_in_pages(clients):
    made = {clients.table()[1] for _ in range(5)}
    names = [table.name for table in clients.tables.list_tables(request={"parent": INSTANCE_NAME, "page_size": 2})]
    equal((made <= set(names), len(names), names), (True, len(set(names)), sorted(names)))
    page = next(clients.tables.list_tables(request={"parent": INSTANCE_NAME, "page_size": 2}).pages)
    equal((len(page.tables), bool(page.next_page_token)), (2, True))
    refused("InvalidArgument", clients.tables.list_tables, request={"parent": INSTANCE_NAME, "page_size": -1})


def test_update_table(clients):
    _, name = clients.table()
    update = lambda table, *paths: clients.tables.update_table(table={"name": name, **table}, update_mask=mask(*paths)).result()
    equal(update({"deletion_protection": True}, "deletion_protection").deletion_protection, True)
    refused("FailedPrecondition", clients.tables.delete_table, name=name)
    update({"deletion_protection": False}, "deletion_protection")
    clients.tables.delete_table(name=name)
    refused("NotFound", update, {"deletion_protection": True}, "deletion_protection")


def test_delete_and_undelete(clients):
    table, name = filled(clients)
    clients.tables.delete_table(name=name)
    refused("NotFound", table.read_row, "a#1")
    equal(clients.tables.undelete_table(name=name).result().name, name)
    equal((keys(table), short(table.read_row("a#1"))), (["a#1", "a#2", "b#1"], ["f:q=a#1!", "f:q=a#1"]))
    refused("AlreadyExists", clients.tables.undelete_table, name=name)
    refused("NotFound", clients.tables.undelete_table, name=name + "x")


def test_modify_column_families(clients):
    table, name = filled(clients)
    modify = lambda *changes: clients.tables.modify_column_families(name=name, modifications=changes)
    changed = modify({"id": "h", "create": {"gc_rule": {"max_num_versions": 1}}}, {"id": "f", "update": {"gc_rule": {"max_num_versions": 2}}})
    equal({name: family.gc_rule.max_num_versions for name, family in changed.column_families.items()}, {"f": 2, "g": 0, "h": 1})
    # All or none.
    refused("AlreadyExists", modify, {"id": "new", "create": {}}, {"id": "h", "create": {}})
    refused("NotFound", modify, {"id": "new", "create": {}}, {"id": "nope", "drop": True})
    refused("NotFound", modify, {"id": "nope", "update": {}})
    equal(sorted(clients.tables.get_table(name=name).column_families), ["f", "g", "h"])
    changed = modify({"id": "f", "drop": True}, {"id": "f", "create": {}})
    equal((sorted(changed.column_families), keys(table)), (["f", "g", "h"], []), "a family that comes back is empty")
    refused("NotFound", clients.tables.modify_column_families, name=name + "x", modifications=[{"id": "f", "create": {}}])


def test_aggregate_families(clients):
    integer = {"int64_type": {"encoding": {"big_endian_bytes": {}}}}
    kinds = {"sum": {}, "min": {}, "max": {}, "hllpp_unique_count": {}}
    families = {kind: {"value_type": {"aggregate_type": {"input_type": integer, kind: {}}}} for kind in kinds}
    _, name = clients.table(families=families)
    found = clients.tables.get_table(name=name).column_families
    for kind in kinds:
        contains(str(found[kind].value_type.aggregate_type), kind)


def test_drop_row_range(clients):
    table, name = filled(clients)
    drop = lambda **request: clients.tables.drop_row_range(request={"name": name, **request})
    drop(row_key_prefix=b"a#")
    equal(keys(table), ["b#1"])
    refused("InvalidArgument", drop, row_key_prefix=b"")
    refused("InvalidArgument", drop)
    drop(delete_all_data_from_table=True)
    equal(keys(table), [])
    refused("NotFound", clients.tables.drop_row_range, request={"name": name + "x", "delete_all_data_from_table": True})


def test_consistency(clients):
    _, name = filled(clients)
    token = clients.tables.generate_consistency_token(name=name).consistency_token
    equal(bool(token), True)
    equal(clients.tables.check_consistency(name=name, consistency_token=token).consistent, True)
    refused("InvalidArgument", clients.tables.check_consistency, name=name, consistency_token="nonsense")
    refused("NotFound", clients.tables.generate_consistency_token, name=name + "x")


def test_backups(clients):
    table, name = filled(clients)
    table_id = name.rsplit("/", 1)[1]
    backup_id = f"backup-of-{table_id}"
    backup_name = f"{CLUSTER}/backups/{backup_id}"
    create = lambda **backup: clients.tables.create_backup(parent=CLUSTER, backup_id=backup_id, backup=backup).result()
    made = create(source_table=name, expire_time=in_days(3))
    equal((made.name, made.source_table, made.state.name), (backup_name, name, "READY"))
    refused("AlreadyExists", create, source_table=name, expire_time=in_days(3))
    refused("NotFound", clients.tables.create_backup, parent=CLUSTER, backup_id="other",
            backup={"source_table": name + "x", "expire_time": in_days(3)})
    table.mutate_row("c", SetCell("f", "q", "later", 1000))
    got = clients.tables.get_backup(name=backup_name)
    equal((got.source_table, got.end_time >= got.start_time), (name, True))
    until = in_days(9).replace(microsecond=0)
    updated = clients.tables.update_backup(backup={"name": backup_name, "expire_time": until}, update_mask=mask("expire_time"))
    equal(updated.expire_time.timestamp(), until.timestamp())
    contains([backup.name for backup in clients.tables.list_backups(parent=CLUSTER)], backup_name)
    contains([backup.name for backup in clients.tables.list_backups(parent=f"{INSTANCE_NAME}/clusters/-")], backup_name)
    restore = lambda id: clients.tables.restore_table(request={"parent": INSTANCE_NAME, "table_id": id, "backup": backup_name})
    restored = restore(table_id + "r").result()
    equal(restored.name, name + "r")
    equal(keys(clients.data.get_table(INSTANCE, table_id + "r")), ["a#1", "a#2", "b#1"])
    refused("AlreadyExists", restore, table_id + "r")
    copied = clients.tables.copy_backup(
        parent=CLUSTER, backup_id=backup_id + "-copy", source_backup=backup_name, expire_time=in_days(4)).result()
    equal((copied.name, copied.source_backup), (backup_name + "-copy", backup_name))
    for each in (backup_name, backup_name + "-copy"):
        clients.tables.delete_backup(name=each)
        refused("NotFound", clients.tables.get_backup, name=each)
    refused("NotFound", clients.tables.delete_backup, name=backup_name)
    equal(keys(clients.data.get_table(INSTANCE, table_id + "r")), ["a#1", "a#2", "b#1"])


def test_authorized_views(clients):
    table, name = filled(clients)
    table.mutate_row("a#3", [SetCell("f", "seen:1", "1", 1000), SetCell("f", "hidden", "2", 1000), SetCell("g", "q", "3", 1000)])
    subset = {"row_prefixes": [b"a#"], "family_subsets": {"f": {"qualifiers": [b"q"], "qualifier_prefixes": [b"seen:"]}}}
    view_name = f"{name}/authorizedViews/v"
    create = lambda view_id="v", view=None: clients.tables.create_authorized_view(
        parent=name, authorized_view_id=view_id, authorized_view=view or {"subset_view": subset, "deletion_protection": True}).result()
    equal(create().name, view_name)
    refused("AlreadyExists", create)
    got = clients.tables.get_authorized_view(name=view_name)
    equal((list(got.subset_view.row_prefixes), bool(got.etag)), ([b"a#"], True), "Java's client takes no view without its rows")
    got = clients.tables.get_authorized_view(request={"name": view_name, "view": types.AuthorizedView.ResponseView.FULL})
    equal((list(got.subset_view.row_prefixes), bool(got.etag)), ([b"a#"], True))
    got = clients.tables.get_authorized_view(request={"name": view_name, "view": types.AuthorizedView.ResponseView.NAME_ONLY})
    equal((got.name, list(got.subset_view.row_prefixes), bool(got.etag)), (view_name, [], False))
    equal([view.name for view in clients.tables.list_authorized_views(parent=name)], [view_name])

    view = clients.data.get_authorized_view(INSTANCE, name.rsplit("/", 1)[1], "v")
    equal(keys(view), ["a#1", "a#2", "a#3"])
    equal(short(view.read_row("a#3")), ["f:seen:1=1"])
    equal(view.read_row("b#1"), None)
    view.mutate_row("a#4", SetCell("f", "seen:2", "new", 1000))
    equal(short(table.read_row("a#4")), ["f:seen:2=new"])
    refused("PermissionDenied", view.mutate_row, "b#1", SetCell("f", "q", "x", 1000))
    refused("PermissionDenied", view.mutate_row, "a#1", SetCell("f", "hidden", "x", 1000))
    refused("NotFound", clients.data.get_authorized_view(INSTANCE, name.rsplit("/", 1)[1], "w").read_row, "a#1")
    try:
        view.bulk_mutate_rows([RowMutationEntry(key, SetCell("f", "q", "bulk", 3000)) for key in ("a#5", "b#5", "a#6")])
        raise AssertionError("one entry is outside the view")
    except MutationsExceptionGroup as error:
        equal([each.index for each in error.exceptions], [1])
    equal((short(table.read_row("a#6")), table.read_row("b#5")), (["f:q=bulk"], None), "each entry has its own status")

    refused("FailedPrecondition", clients.tables.delete_authorized_view, name=view_name)
    update = {"name": view_name, "deletion_protection": False, "subset_view": {**subset, "row_prefixes": [b"b#"]}}
    changed = clients.tables.update_authorized_view(
        authorized_view=update, update_mask=mask("deletion_protection", "subset_view")).result()
    equal((list(changed.subset_view.row_prefixes), changed.deletion_protection), ([b"b#"], False))
    equal(keys(view), ["b#1"])
    clients.tables.delete_authorized_view(name=view_name)
    refused("NotFound", view.read_row, "b#1")


def test_iam(clients):
    _, name = clients.table()
    asked = ["bigtable.tables.readRows", "bigtable.tables.mutateRows"]
    equal(list(clients.tables.test_iam_permissions(resource=name, permissions=asked).permissions), asked)


def test_unsupported_say_so(clients):
    _, name = clients.table()
    contains(refused("MethodNotImplemented", clients.tables.list_schema_bundles, parent=name), "support")
    snapshot = {"name": name, "cluster": CLUSTER, "snapshot_id": "s"}
    contains(refused("MethodNotImplemented", clients.tables.snapshot_table, request=snapshot), "support")
