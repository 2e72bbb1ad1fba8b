"""Reads through the data client."""

from datetime import datetime, timezone

from google.cloud.bigtable.data import DeleteAllFromRow, ReadRowsQuery, RowMutationEntry, RowRange, SetCell
from google.cloud.bigtable.data import row_filters as f
from google.cloud.bigtable_v2.types import ReadRowsRequest, RowFilter
from kit import INSTANCE, INSTANCE_NAME, cells, contains, equal, refused, short


def stored(clients, **table):
    """Creates a table with the rows a to e, with three versions and two families, and a row of bytes above all text."""
    table_id, name = clients.table(**table)
    table = clients.data.get_table(INSTANCE, table_id)
    entries = []
    for at, key in enumerate("abcde"):
        versions = [SetCell("f", "q", f"{key}{version}", version * 1000) for version in (1, 2, 3)]
        entries.append(RowMutationEntry(key, versions + [SetCell("f", "x", str(at), 1000), SetCell("g", "y", b"z", 5000)]))
    entries.append(RowMutationEntry(b"\xff\x00", SetCell("g", b"\xff", b"end", 1000)))
    table.bulk_mutate_rows(entries)
    return table, name


def keys(table, **query):
    return [row.row_key for row in table.read_rows(ReadRowsQuery(**query))]


def through(table, filter_, key="b"):
    row = table.read_row(key, row_filter=filter_)
    return short(row) if row else []


def through_bytes(table, filter_, key):
    row = table.read_row(key, row_filter=filter_)
    return cells(row) if row else []


ALL = ["f:q=b3", "f:q=b2", "f:q=b1", "f:x=1", "g:y=z"]


def test_rows_and_ranges(clients):
    table, name = stored(clients)
    equal(keys(table), [b"a", b"b", b"c", b"d", b"e", b"\xff\x00"])
    equal(keys(table, row_keys=["d", "a", "d", "nope"]), [b"a", b"d"])
    equal(keys(table, row_ranges=RowRange("b", "d")), [b"b", b"c"])
    equal(keys(table, row_ranges=RowRange("b", "d", False, True)), [b"c", b"d"])
    equal(keys(table, row_ranges=[RowRange("d"), RowRange(end_key="b"), RowRange("a", "c")], row_keys="c"),
          [b"a", b"b", b"c", b"d", b"e", b"\xff\x00"])
    equal(keys(table, limit=2), [b"a", b"b"])
    equal(keys(table, row_ranges=RowRange("b"), limit=1), [b"b"])
    equal(keys(table, row_filter=f.ValueRegexFilter("[24]"), limit=1), [b"c"], "rows that are filtered out do not count")
    refused("NotFound", clients.data.get_table(INSTANCE, "nope").read_row, "a")
    read = lambda **request: list(clients.raw.read_rows(request=ReadRowsRequest(table_name=name, **request)))
    refused("InvalidArgument", read, rows={"row_keys": [b""]})
    refused("InvalidArgument", read, rows={"row_ranges": [{"start_key_closed": b"c", "end_key_open": b"b"}]})
    refused("InvalidArgument", read, rows_limit=-1)


def test_reversed(clients):
    table, name = stored(clients)
    found = []
    request = ReadRowsRequest(table_name=name, reversed=True, rows_limit=3, rows={"row_ranges": [{"end_key_closed": b"d"}]})
    for answer in clients.raw.read_rows(request=request):
        found += [(chunk.row_key, chunk.value) for chunk in answer.chunks]
    equal([key for key, _ in found if key], [b"d", b"c", b"b"])
    equal([value for _, value in found][:5], [b"d3", b"d2", b"d1", b"3", b"z"], "cells within a row stay as they are")


def test_request_stats(clients):
    table, name = stored(clients)
    request = ReadRowsRequest(table_name=name, request_stats_view="REQUEST_STATS_FULL", rows={"row_keys": [b"a", b"c"]},
                              filter=RowFilter(cells_per_column_limit_filter=1))
    stats = [answer.request_stats for answer in clients.raw.read_rows(request=request) if answer.request_stats]
    equal(len(stats), 1, "stats of one read")
    counts = stats[0].full_read_stats_view.read_iteration_stats
    equal((counts.rows_seen_count, counts.rows_returned_count, counts.cells_seen_count, counts.cells_returned_count), (2, 2, 10, 6))


def test_last_scanned_row(clients):
    """The server may send the last scanned row of a read whose rows are all filtered out, and the client returns no row."""
    table, name = stored(clients)
    request = ReadRowsRequest(table_name=name, filter=RowFilter(block_all_filter=True))
    answers = list(clients.raw.read_rows(request=request))
    equal([chunk for answer in answers for chunk in answer.chunks], [])
    equal(keys(table, row_filter=f.BlockAllFilter(True)), [])


def test_filters(clients):
    table, name = stored(clients)
    equal(through(table, None), ALL)
    equal(through(table, f.PassAllFilter(True)), ALL)
    equal(through(table, f.BlockAllFilter(True)), [])
    equal(through(table, f.FamilyNameRegexFilter("g|h")), ["g:y=z"])
    equal(through(table, f.ColumnQualifierRegexFilter("[xy]")), ["f:x=1", "g:y=z"])
    equal(through(table, f.ColumnQualifierRegexFilter("")), [])
    equal(through(table, f.ValueRegexFilter("b[12]")), ["f:q=b2", "f:q=b1"])
    equal(through(table, f.LiteralValueFilter("b2")), ["f:q=b2"])
    for value in [b"a b", bytes(range(128)), 1, "\x7f"]:
        table.mutate_row("literal", SetCell("f", "q", value, 1000))
        equal(len(through_bytes(table, f.LiteralValueFilter(value), "literal")), 1, f"the cell of {value!r}")
    table.mutate_row("literal", DeleteAllFromRow())
    equal(through(table, f.ValueBitmaskFilter(b"\x00\x02")), ["f:q=b3", "f:q=b2"])
    equal(through(table, f.ColumnRangeFilter("f", b"q", b"x", inclusive_end=False)), ["f:q=b3", "f:q=b2", "f:q=b1"])
    equal(through(table, f.ColumnRangeFilter("f", b"q", b"x", inclusive_start=False)), ["f:x=1"])
    equal(through(table, f.ValueRangeFilter(b"b2", b"z", inclusive_end=False)), ["f:q=b3", "f:q=b2"])
    moment = lambda micros: datetime.fromtimestamp(micros / 1e6, timezone.utc)
    equal(through(table, f.TimestampRangeFilter(moment(2000), moment(5000))), ["f:q=b3", "f:q=b2"])
    equal(through(table, f.CellsRowOffsetFilter(3)), ["f:x=1", "g:y=z"])
    equal(through(table, f.CellsRowLimitFilter(2)), ["f:q=b3", "f:q=b2"])
    equal(through(table, f.CellsColumnLimitFilter(1)), ["f:q=b3", "f:x=1", "g:y=z"])
    equal(through(table, f.StripValueTransformerFilter(True)), ["f:q=", "f:q=", "f:q=", "f:x=", "g:y="])
    equal(keys(table, row_filter=f.RowKeyRegexFilter("[ace]|\\xff\\C")), [b"a", b"c", b"e", b"\xff\x00"])
    equal([keys(table, row_filter=f.RowSampleFilter(p)) for p in (1e-9, 1 - 1e-9)], [[], keys(table)])
    labelled = table.read_row("a", row_filter=f.RowFilterChain([f.CellsRowLimitFilter(1), f.ApplyLabelFilter("one-1")]))
    equal(cells(labelled), [("f", b"q", 3000, b"a3", ["one-1"])])


def test_combined_filters(clients):
    table, name = stored(clients)
    newest, x = f.CellsColumnLimitFilter(1), f.ColumnQualifierRegexFilter("x")
    equal(through(table, f.RowFilterChain([newest, f.FamilyNameRegexFilter("f")])), ["f:q=b3", "f:x=1"])
    both = f.RowFilterUnion([x, f.RowFilterChain([newest, f.FamilyNameRegexFilter("f")])])
    equal(through(table, both), ["f:q=b3", "f:x=1", "f:x=1"], "duplicates stay, in the order of cells")
    one = f.ConditionalRowFilter(f.ValueRegexFilter("1"), x, f.FamilyNameRegexFilter("g"))
    equal([through(table, one, key) for key in "bc"], [["f:x=1"], ["g:y=z"]])
    equal(through(table, f.ConditionalRowFilter(f.BlockAllFilter(True), x)), [], "a branch that is missing yields nothing")
    sink = f.RowFilterChain([f.RowFilterUnion([f.RowFilterChain([x, f.ApplyLabelFilter("sunk"), f.SinkFilter(True)]), newest]), f.FamilyNameRegexFilter("g")])
    equal([(cell.family, cell.qualifier, cell.labels) for cell in table.read_row("b", row_filter=sink)],
          [("f", b"x", ["sunk"]), ("g", b"y", [])], "sunk cells leave the chain")


def test_refused_filters(clients):
    table, name = stored(clients)
    read = lambda **filter_: list(clients.raw.read_rows(
        request=ReadRowsRequest(table_name=name, filter=RowFilter(**filter_))))
    for bad in [
        {"chain": {"filters": [RowFilter(pass_all_filter=True)]}},
        {"interleave": {"filters": [RowFilter(pass_all_filter=True)]}},
        {"chain": {}},
        {"pass_all_filter": False},
        {"block_all_filter": False},
        {"cells_per_row_limit_filter": 0},
        {"cells_per_column_limit_filter": 0},
        {"cells_per_row_offset_filter": -1},
        {"row_sample_filter": 0.0},
        {"row_sample_filter": 1.0},
        {"row_key_regex_filter": b""},
        {"value_regex_filter": b"("},
        {"family_name_regex_filter": "a:b"},
        {"apply_label_transformer": "Not_A_Label"},
        {"timestamp_range_filter": {"start_timestamp_micros": 1}},
        {"condition": {"predicate_filter": {"sink": True}}},
    ]:
        try:
            refused("InvalidArgument", read, **bad)
        except AssertionError as error:
            raise AssertionError(f"{bad}: {error}") from None
    # An empty filter passes all cells.
    equal(sum(len(answer.chunks) for answer in read()) > 0, True)


def test_large_values_and_rows(clients):
    """Messages end with rows, except for a row of more than 4 MiB: this client takes no larger message from an emulator."""
    table, name = stored(clients)
    value = bytes(range(256)) * (20 * 4096)
    request = {"table_name": name, "row_key": b"large"}
    set_cell = lambda at: {"set_cell": {"family_name": "f", "column_qualifier": b"%d" % at, "timestamp_micros": 1000, "value": value}}
    for at in range(3):
        clients.raw.mutate_row(request={**request, "mutations": [set_cell(at)]})
    row = table.read_row("large")
    equal([(cell.qualifier, len(cell.value), cell.value == value) for cell in row], [(b"%d" % at, len(value), True) for at in range(3)])
    equal(short(table.read_row("large", row_filter=f.StripValueTransformerFilter(True))), ["f:0=", "f:1=", "f:2="])
    keys_of = lambda answer: [chunk.row_key for chunk in answer.chunks if chunk.row_key]
    answers = list(clients.raw.read_rows(table_name=name))
    equal(list(filter(None, map(keys_of, answers))), [[b"a", b"b", b"c", b"d", b"e"], [b"large"], [b"\xff\x00"]])
    equal(max(answer._pb.ByteSize() for answer in answers) <= 4 << 20, True, "the size of the messages")
    table.mutate_row("large", DeleteAllFromRow())
    for length in [1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 4_000_000, 4 << 20]:
        table.mutate_row("large", SetCell("f", "q", value[:length], 1000))
        equal(table.read_row("large")[0].value == value[:length], True, f"a value of {length} bytes")
        answers = [answer for answer in clients.raw.read_rows(table_name=name) if b"large" in keys_of(answer)]
        equal(len(answers) == 1 and answers[0].chunks[-1].commit_row, length < 4 << 20, f"one message for {length} bytes")


def test_many_rows(clients):
    table, name = stored(clients)
    with table.mutations_batcher() as batcher:
        for at in range(20_000):
            batcher.append(RowMutationEntry(f"m{at:05}", SetCell("f", "q", b"v" * 100, 1000)))
    found = [row.row_key for row in table.read_rows_stream(ReadRowsQuery(row_ranges=RowRange("m", "n")))]
    equal((len(found), found == sorted(found), found[0], found[-1]), (20_000, True, b"m00000", b"m19999"))
    equal(table.row_exists("m00007"), True)
    equal(table.row_exists("m20000"), False)


def test_sample_row_keys(clients):
    table, name = stored(clients)
    splits = [{"key": key} for key in (b"b", b"d")]
    request = {"parent": INSTANCE_NAME, "table_id": "sampled", "initial_splits": splits, "table": {"column_families": {"f": {}}}}
    clients.tables.create_table(request=request)
    samples = clients.data.get_table(INSTANCE, "sampled").sample_row_keys()
    equal([key for key, _ in samples], [b"b", b"d", b""])
    equal([offset for _, offset in samples], sorted(offset for _, offset in samples))
    sharded = ReadRowsQuery().shard(samples)
    equal(len(sharded), 3)
    equal(clients.data.get_table(INSTANCE, "sampled").read_rows_sharded(sharded), [])
    equal([key for key, _ in table.sample_row_keys()][-1], b"")


def test_unsupported_say_so(clients):
    table, name = stored(clients)
    contains(refused("MethodNotImplemented", clients.raw.generate_initial_change_stream_partitions, table_name=name), "support")
    contains(refused("MethodNotImplemented", clients.raw.read_change_stream, table_name=name), "support")
    contains(refused("MethodNotImplemented", clients.raw.execute_query, instance_name=INSTANCE_NAME, query="SELECT 1"), "support")
