"""The classic client, which many programs still use: the same calls through its own objects."""

from datetime import timedelta

from google.cloud.bigtable import column_family, row_filters, row_set
from kit import equal, refused


def test_table_and_families(clients):
    table = clients.classic.table("classic-admin")
    rule = column_family.GCRuleUnion([column_family.MaxVersionsGCRule(2), column_family.MaxAgeGCRule(timedelta(days=5))])
    table.create(initial_split_keys=[b"m"], column_families={"f": rule})
    equal(table.exists(), True)
    equal(table.list_column_families()["f"].gc_rule, rule)
    table.column_family("g", column_family.MaxVersionsGCRule(1)).create()
    table.column_family("g", column_family.MaxVersionsGCRule(4)).update()
    equal(table.list_column_families()["g"].gc_rule, column_family.MaxVersionsGCRule(4))
    table.column_family("g").delete()
    equal(list(table.list_column_families()), ["f"])
    equal([sample.row_key for sample in table.sample_row_keys()], [b"m", b""])
    equal("classic-admin" in [each.table_id for each in clients.classic.list_tables()], True)
    table.delete()
    equal(table.exists(), False)


def test_rows(clients):
    table = clients.classic.table("classic-rows")
    table.create(column_families={"f": None, "g": None})
    row = table.direct_row("r1")
    row.set_cell("f", "a", b"1")
    row.set_cell("g", "b", 7)
    equal(row.commit().code, 0)
    rows = []
    for at, family in enumerate(["f", "nope", "g"]):
        rows.append(table.direct_row(f"s{at}"))
        rows[-1].set_cell(family, "a", b"x")
    equal([status.code for status in table.mutate_rows(rows)], [0, 5, 0])
    found = table.read_row("r1")
    equal((found.cell_value("f", b"a"), int.from_bytes(found.cell_value("g", b"b"), "big")), (b"1", 7))
    equal([row.row_key for row in table.read_rows()], [b"r1", b"s0", b"s2"])
    rows = row_set.RowSet()
    rows.add_row_range_from_keys(b"r", b"s1")
    equal([row.row_key for row in table.read_rows(row_set=rows, limit=5)], [b"r1", b"s0"])
    equal([row.row_key for row in table.read_rows(filter_=row_filters.FamilyNameRegexFilter("g"))], [b"r1", b"s2"])

    conditional = table.conditional_row("r1", row_filters.ValueRegexFilter("1"))
    conditional.set_cell("f", "found", b"yes", state=True)
    conditional.set_cell("f", "found", b"no", state=False)
    equal(conditional.commit(), True)
    equal(table.read_row("r1").cell_value("f", b"found"), b"yes")
    append = table.append_row("r1")
    append.append_cell_value("f", b"a", b"23")
    append.increment_cell_value("g", b"b", 3)
    answer = append.commit()
    equal((answer["f"][b"a"][0][0], int.from_bytes(answer["g"][b"b"][0][0], "big")), (b"123", 10))

    row = table.direct_row("r1")
    row.delete_cells("f", ["a", "found"])
    row.commit()
    equal(list(table.read_row("r1").cells), ["g"])
    row = table.direct_row("r1")
    row.delete()
    row.commit()
    equal(table.read_row("r1"), None)
    table.drop_by_prefix("s")
    equal(list(table.read_rows()), [])
    table.truncate()
    refused("NotFound", clients.classic.table("classic-none").truncate)
    with table.mutations_batcher() as batcher:
        for at in range(100):
            row = table.direct_row(f"b{at:02}")
            row.set_cell("f", "a", b"x")
            batcher.mutate(row)
    equal(len(list(table.read_rows())), 100)
    table.delete()
