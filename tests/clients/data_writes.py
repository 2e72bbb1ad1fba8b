"""Writes through the data client."""

import time

from google.cloud.bigtable.data import AddToCell, ReadRowsQuery, RowMutationEntry, SetCell
from google.cloud.bigtable.data import DeleteAllFromFamily, DeleteAllFromRow, DeleteRangeFromColumn
from google.cloud.bigtable.data import read_modify_write_rules as rules
from google.cloud.bigtable.data import row_filters as filters
from google.cloud.bigtable_v2.types import Mutation
from kit import INSTANCE, INSTANCE_NAME, cells, contains, equal, refused, short


def open_table(clients, **table):
    table_id, name = clients.table(**table)
    return clients.data.get_table(INSTANCE, table_id), name


def test_ping_and_warm(clients):
    clients.table()
    clients.raw.ping_and_warm(name=INSTANCE_NAME)
    refused("InvalidArgument", clients.raw.ping_and_warm, name="nonsense")


def test_set_cell(clients):
    table, _ = open_table(clients)
    table.mutate_row("r", [SetCell("g", "b", b"2", 2000), SetCell("f", "a", b"old", 1000), SetCell("f", "a", b"new", 3000)])
    # Families in the order of their creation, versions newest first.
    row = table.read_row("r")
    equal(cells(row), [("f", b"a", 3000, b"new", []), ("f", b"a", 1000, b"old", []), ("g", b"b", 2000, b"2", [])])
    table.mutate_row("r", SetCell("f", "a", b"replaced", 3000))
    equal(short(table.read_row("r")), ["f:a=replaced", "f:a=old", "g:b=2"])
    table.mutate_row("n", SetCell("f", "n", -2, 1000))
    equal(int(table.read_row("n")[0]), -2)
    table.mutate_row(b"\x00\xff", SetCell("f", b"\xff\n", b"\x00", 1000))
    equal(cells(table.read_row(b"\x00\xff")), [("f", b"\xff\n", 1000, b"\x00", [])])


def test_server_time(clients):
    table, _ = open_table(clients)
    before = time.time_ns() // 1000
    table.mutate_row("r", SetCell("f", "a", b"v", -1))
    at = table.read_row("r")[0].timestamp_micros
    equal((at % 1000, before - 1000 <= at <= time.time_ns() // 1000), (0, True), "whole milliseconds of now")


def test_deletes(clients):
    table, _ = open_table(clients)
    table.mutate_row("r", [SetCell("f", "a", str(at), at * 1000) for at in range(1, 6)] + [SetCell("g", "b", b"x", 1000)])
    table.mutate_row("r", DeleteRangeFromColumn("f", b"a", 2000, 4000))
    equal(short(table.read_row("r")), ["f:a=5", "f:a=4", "f:a=1", "g:b=x"])
    table.mutate_row("r", DeleteRangeFromColumn("f", b"a", 5000))
    equal(short(table.read_row("r")), ["f:a=4", "f:a=1", "g:b=x"])
    table.mutate_row("r", DeleteAllFromFamily("f"))
    equal(short(table.read_row("r")), ["g:b=x"])
    table.mutate_row("r", [DeleteAllFromRow(), SetCell("f", "z", b"after", 1000)])
    equal(short(table.read_row("r")), ["f:z=after"])
    table.mutate_row("r", DeleteAllFromRow())
    equal(table.read_row("r"), None)


def test_refused_writes_change_nothing(clients):
    table, name = open_table(clients)
    table.mutate_row("r", SetCell("f", "a", b"first", 1000))
    unknown = [SetCell("f", "a", b"second", 2000), SetCell("nope", "a", b"x", 1000)]
    contains(refused("NotFound", table.mutate_row, "r", unknown), "nope")
    raw = clients.raw.mutate_row
    set_cell = lambda **cell: [Mutation(set_cell={"family_name": "f", "column_qualifier": b"a", "value": b"x", **cell})]
    refused("InvalidArgument", raw, table_name=name, row_key=b"r", mutations=set_cell(timestamp_micros=1001))
    refused("InvalidArgument", raw, table_name=name, row_key=b"r", mutations=set_cell(timestamp_micros=-2))
    refused("InvalidArgument", raw, table_name=name, row_key=b"r", mutations=[])
    refused("InvalidArgument", raw, table_name=name, row_key=b"r", mutations=[Mutation()])
    refused("InvalidArgument", raw, table_name=name, row_key=b"", mutations=set_cell())
    refused("InvalidArgument", raw, table_name=name, row_key=b"k" * 4097, mutations=set_cell())
    refused("NotFound", raw, table_name=name + "x", row_key=b"r", mutations=set_cell())
    # A missing timestamp is 0.
    raw(table_name=name, row_key=b"zero", mutations=set_cell())
    equal(cells(table.read_row("zero")), [("f", b"a", 0, b"x", [])])
    equal(short(table.read_row("r")), ["f:a=first"])


def test_bulk_each_entry_has_its_own_status(clients):
    table, name = open_table(clients)
    entries = [RowMutationEntry(f"r{at}", SetCell("nope" if at % 3 == 1 else "f", "a", str(at), 1000)) for at in range(6)]
    try:
        table.bulk_mutate_rows(entries)
        raise AssertionError("two entries have an unknown family")
    except Exception as error:
        equal([each.index for each in error.exceptions], [1, 4])
    equal([row.row_key for row in rows(table)], [b"r0", b"r2", b"r3", b"r5"])
    codes = {}
    pb = [entry._to_pb() for entry in entries]
    for answer in clients.raw.mutate_rows(table_name=name, entries=pb):
        codes.update({entry.index: entry.status.code for entry in answer.entries})
    equal(codes, {0: 0, 1: 5, 2: 0, 3: 0, 4: 5, 5: 0})
    refused("InvalidArgument", clients.raw.mutate_rows, table_name=name, entries=[])
    with table.mutations_batcher() as batcher:
        for at in range(2500):
            batcher.append(RowMutationEntry(f"many{at:04}", SetCell("f", "a", str(at), 1000)))
    equal(len([row for row in rows(table) if row.row_key.startswith(b"many")]), 2500)


def rows(table):
    return table.read_rows(ReadRowsQuery())


def test_check_and_mutate(clients):
    table, name = open_table(clients)
    act = table.check_and_mutate_row
    set_ = lambda value: SetCell("f", "a", value, 1000)
    equal(act("r", None, true_case_mutations=set_("was"), false_case_mutations=set_("was not")), False)
    equal(short(table.read_row("r")), ["f:a=was not"])
    equal(act("r", None, true_case_mutations=set_("was")), True)
    equal(act("r", filters.ValueRegexFilter("wa."), false_case_mutations=set_("x")), True)
    equal(act("r", filters.ValueRegexFilter("w"), false_case_mutations=[set_("x"), SetCell("g", "b", b"y", 1000)]), False)
    equal(short(table.read_row("r")), ["f:a=x", "g:b=y"])
    refused("InvalidArgument", clients.raw.check_and_mutate_row, table_name=name, row_key=b"r")
    refused("NotFound", act, "r", None, true_case_mutations=[set_("z"), SetCell("nope", "a", b"", 1000)])
    equal(short(table.read_row("r")), ["f:a=x", "g:b=y"])


def test_read_modify_write(clients):
    table, name = open_table(clients)
    act = table.read_modify_write_row
    row = act("r", [rules.IncrementRule("f", "n", 5), rules.AppendValueRule("g", "s", "ab"), rules.IncrementRule("f", "n", -2)])
    equal((int(row[("f", b"n")][0]), row[("g", b"s")][0].value, len(row)), (3, b"ab", 2))
    row = act("r", rules.AppendValueRule("g", "s", b"c"))
    equal([(cell.qualifier, cell.value) for cell in row], [(b"s", b"abc")])
    equal(table.read_row("r")[("g", b"s")][0].value, b"abc")
    # The newest cell may be in the future.
    table.mutate_row("late", SetCell("f", "n", 1, 9_000_000_000_000_000))
    equal(act("late", rules.IncrementRule("f", "n", 1))[0].timestamp_micros, 9_000_000_000_000_000)
    table.mutate_row("wrap", SetCell("f", "n", 2**63 - 1, 1000))
    equal(int(act("wrap", rules.IncrementRule("f", "n", 1))[0]), -(2**63))
    table.mutate_row("text", SetCell("f", "n", b"abc", 1000))
    refused("FailedPrecondition", act, "text", [rules.AppendValueRule("f", "m", "x"), rules.IncrementRule("f", "n", 1)])
    equal(short(table.read_row("text")), ["f:n=abc"])
    refused("NotFound", act, "r", rules.AppendValueRule("nope", "s", b"c"))
    refused("InvalidArgument", clients.raw.read_modify_write_row, table_name=name, row_key=b"r", rules=[])


def test_aggregates(clients):
    integer = {"int64_type": {"encoding": {"big_endian_bytes": {}}}}
    aggregate = lambda how: {"value_type": {"aggregate_type": {"input_type": integer, how: {}}}}
    families = {"sum": aggregate("sum"), "min": aggregate("min"), "max": aggregate("max")}
    table, _ = open_table(clients, families=families)
    for value in [5, -7, 4]:
        table.mutate_row("r", [AddToCell(family, "n", value, 1000) for family in families])
    row = table.read_row("r")
    equal({cell.family: int(cell) for cell in row}, {"sum": 2, "min": -7, "max": 5})
    refused("InvalidArgument", table.mutate_row, "r", SetCell("sum", "n", 1, 1000))


def test_distinct_counts_and_merges(clients):
    """Sends messages that the data client cannot express."""
    text = {"bytes_type": {"encoding": {"raw": {}}}}
    count = {"value_type": {"aggregate_type": {"input_type": text, "hllpp_unique_count": {}}}}
    integer = {"int64_type": {"encoding": {"big_endian_bytes": {}}}}
    total = {"value_type": {"aggregate_type": {"input_type": integer, "sum": {}}}}
    table, name = open_table(clients, families={"count": count, "total": total})

    def change(key, family, kind, value):
        cell = {"family_name": family, "column_qualifier": {"raw_value": b"q"}, "timestamp": {"raw_timestamp_micros": 1000}}
        clients.raw.mutate_row(table_name=name, row_key=key, mutations=[Mutation({kind: {**cell, "input": value}})])
        return table.read_row(key)[(family, b"q")][0].value

    one = change(b"a", "count", "add_to_cell", {"bytes_value": b"x"})
    equal(change(b"a", "count", "add_to_cell", {"bytes_value": b"x"}), one, "the sketch of one input, twice")
    two = change(b"a", "count", "add_to_cell", {"bytes_value": b"y"})
    equal(two != one, True)
    change(b"b", "count", "add_to_cell", {"bytes_value": b"y"})
    equal(change(b"b", "count", "merge_to_cell", {"raw_value": one}), two, "the sketch of the same inputs")
    change(b"a", "total", "add_to_cell", {"int_value": 5})
    equal(change(b"a", "total", "merge_to_cell", {"raw_value": (7).to_bytes(8, "big")}), (12).to_bytes(8, "big"))
    refused("InvalidArgument", change, b"a", "count", "merge_to_cell", {"raw_value": b"no sketch"})
