// Uses the server at BIGTABLE_EMULATOR_HOST through Google's client for Go. It needs no newer version than 0.56.
//
// This client reads no row that continues in the next message.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
)

const (
	project  = "clients"
	instance = "go"
	table    = "table"
	mib      = 1 << 20
)

var ctx = context.Background()

// fail ends the program.
func fail(format string, arguments ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}

// done ends the program if a call has failed.
func done(what string, err error) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func equal(what string, found, expected interface{}) {
	if !reflect.DeepEqual(found, expected) {
		fail("%s\n    is   %v\n    not  %v", what, found, expected)
	}
}

// value returns bytes that change, so that a piece in the wrong place is noticed.
func value(length int) []byte {
	made := make([]byte, length+4)
	for at := 0; at < length; at += 4 {
		binary.LittleEndian.PutUint32(made[at:], uint32(at)*2654435761)
	}
	return made[:length]
}

func set(family, column string, value []byte) *bigtable.Mutation {
	mutation := bigtable.NewMutation()
	mutation.Set(family, column, 1000, value)
	return mutation
}

// keys returns the keys of all rows, in the order in which they come.
func keys(rows *bigtable.Table, set bigtable.RowSet, options ...bigtable.ReadOption) []string {
	found := []string{}
	done("ReadRows", rows.ReadRows(ctx, set, func(row bigtable.Row) bool {
		found = append(found, row.Key())
		return true
	}, options...))
	return found
}

func columns(rows *bigtable.Table, filter bigtable.Filter) []string {
	found := []string{}
	row, err := rows.ReadRow(ctx, "r", bigtable.RowFilter(filter))
	done("ReadRow", err)
	for _, items := range row {
		for _, item := range items {
			found = append(found, item.Column)
		}
	}
	sort.Strings(found)
	return found
}

func tables(admin *bigtable.AdminClient) {
	families := map[string]bigtable.GCPolicy{
		"f":        bigtable.NoGcPolicy(),
		"g":        bigtable.NoGcPolicy(),
		"versions": bigtable.MaxVersionsPolicy(2),
		"age":      bigtable.MaxAgePolicy(time.Hour),
		"either":   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(time.Hour)),
		"both":     bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(time.Hour)),
	}
	conf := &bigtable.TableConf{TableID: table, SplitKeys: []string{"m"}, Families: families}
	done("CreateTableFromConf", admin.CreateTableFromConf(ctx, conf))
	done("CreateColumnFamily", admin.CreateColumnFamily(ctx, table, "later"))
	done("SetGCPolicy", admin.SetGCPolicy(ctx, table, "later", bigtable.MaxVersionsPolicy(7)))
	info, err := admin.TableInfo(ctx, table)
	done("TableInfo", err)
	policies := []string{}
	for _, family := range info.FamilyInfos {
		policies = append(policies, family.Name+"="+family.GCPolicy)
	}
	sort.Strings(policies)
	equal("families", policies, []string{
		"age=age() > 1h", "both=(versions() > 2 && age() > 1h)", "either=(versions() > 2 || age() > 1h)", "f=<never>",
		"g=<never>", "later=versions() > 7", "versions=versions() > 2",
	})
	done("DeleteColumnFamily", admin.DeleteColumnFamily(ctx, table, "later"))
	found, err := admin.Tables(ctx)
	done("Tables", err)
	equal("tables", found, []string{table})
}

func largeRows(rows *bigtable.Table) {
	for _, length := range []int{1, 1000, mib - 1000, mib - 1, mib, mib + 1, 4 * mib, 32 * mib} {
		large := value(length)
		done("Apply", rows.Apply(ctx, "large", set("f", "q", large)))
		row, err := rows.ReadRow(ctx, "large")
		done(fmt.Sprintf("ReadRow of %d bytes", length), err)
		if !bytes.Equal(row["f"][0].Value, large) {
			fail("a value of %d bytes is not as it was written", length)
		}
	}
	wide := bigtable.NewMutation()
	for at := 0; at < 40; at++ {
		wide.Set("f", fmt.Sprintf("q%02d", at), 1000, value(50_000))
	}
	done("Apply", rows.Apply(ctx, "wide", wide))
	many := bigtable.NewMutation()
	for at := 0; at < 50_000; at++ {
		many.Set("g", fmt.Sprintf("q%05d", at), 1000, value(30))
	}
	done("Apply", rows.Apply(ctx, "many", many))
	done("Apply", rows.Apply(ctx, "small", set("f", "q", []byte("x"))))
	cells := map[string]int{}
	err := rows.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, items := range row {
			cells[row.Key()] += len(items)
		}
		return true
	})
	done("ReadRows", err)
	equal("cells", cells, map[string]int{"large": 1, "wide": 40, "many": 50_000, "small": 1})
	// As much as this client takes in one message.
	huge := value(80 * mib)
	for _, column := range []string{"a", "b", "c"} {
		done("Apply", rows.Apply(ctx, "huge", set("f", column, huge)))
	}
	row, err := rows.ReadRow(ctx, "huge")
	done("ReadRow of 240 MiB", err)
	for _, item := range row["f"] {
		if !bytes.Equal(item.Value, huge) {
			fail("%s of the row of 240 MiB is not as it was written", item.Column)
		}
	}
}

func batches(rows *bigtable.Table) {
	names, mutations := []string{}, []*bigtable.Mutation{}
	for at := 0; at < 5000; at++ {
		names = append(names, fmt.Sprintf("b%05d", at))
		mutations = append(mutations, set("f", "q", []byte(names[at])))
	}
	failures, err := rows.ApplyBulk(ctx, names, mutations)
	done("ApplyBulk", err)
	equal("failures", len(failures), 0)
	equal("rows", keys(rows, bigtable.PrefixRange("b")), names)
	equal("rows", keys(rows, bigtable.NewRange(names[10], names[20]), bigtable.LimitRows(5)), names[10:15])
	none, x := set("none", "q", []byte("x")), set("f", "q", []byte("x"))
	failures, err = rows.ApplyBulk(ctx, []string{"c0", "c1", "c2"}, []*bigtable.Mutation{x, none, x})
	done("ApplyBulk", err)
	if len(failures) != 3 || failures[0] != nil || failures[2] != nil || !strings.Contains(fmt.Sprint(failures[1]), "NotFound") {
		fail("the failures of a batch are %v", failures)
	}
	equal("rows", keys(rows, bigtable.PrefixRange("c")), []string{"c0", "c2"})
	samples, err := rows.SampleRowKeys(ctx)
	done("SampleRowKeys", err)
	// The client leaves out the end of the table. The large rows may have split tablets.
	equal("the last sample", samples[len(samples)-1], "m")
}

func filters(rows *bigtable.Table) {
	mutation := bigtable.NewMutation()
	mutation.Set("f", "a", 1000, []byte("one two"))
	mutation.Set("f", "b", 2000, []byte("\x01\x7f"))
	mutation.Set("g", "c", 3000, []byte("x"))
	done("Apply", rows.Apply(ctx, "r", mutation))
	for _, each := range []struct {
		filter   bigtable.Filter
		expected []string
	}{
		{bigtable.FamilyFilter("g"), []string{"g:c"}},
		{bigtable.ColumnFilter("[ab]"), []string{"f:a", "f:b"}},
		{bigtable.ValueFilter("one\\ two"), []string{"f:a"}},
		{bigtable.ValueFilter("\\\x01\\\x7f"), []string{"f:b"}},
		{bigtable.ColumnRangeFilter("f", "b", ""), []string{"f:b"}},
		{bigtable.TimestampRangeFilterMicros(2000, 4000), []string{"f:b", "g:c"}},
		{bigtable.ValueRangeFilter([]byte("o"), []byte("p")), []string{"f:a"}},
		{bigtable.CellsPerRowLimitFilter(1), []string{"f:a"}},
		{bigtable.CellsPerRowOffsetFilter(2), []string{"g:c"}},
		{bigtable.BlockAllFilter(), []string{}},
		{bigtable.InterleaveFilters(bigtable.FamilyFilter("g"), bigtable.ColumnFilter("a")), []string{"f:a", "g:c"}},
		{bigtable.ChainFilters(bigtable.FamilyFilter("f"), bigtable.LatestNFilter(1), bigtable.ColumnFilter("a")), []string{"f:a"}},
		{bigtable.ConditionFilter(bigtable.ValueFilter("x"), bigtable.FamilyFilter("f"), nil), []string{"f:a", "f:b"}},
	} {
		equal(each.filter.String(), columns(rows, each.filter), each.expected)
	}
	_, err := rows.ReadRow(ctx, "r", bigtable.RowFilter(bigtable.ValueFilter("(")))
	if !strings.Contains(fmt.Sprint(err), "InvalidArgument") {
		fail("a wrong pattern: %v", err)
	}
}

func conditions(rows *bigtable.Table) {
	modify := bigtable.NewReadModifyWrite()
	modify.Increment("f", "n", 5)
	modify.Increment("f", "n", -2)
	modify.AppendValue("g", "s", []byte("abc"))
	row, err := rows.ApplyReadModifyWrite(ctx, "n", modify)
	done("ApplyReadModifyWrite", err)
	equal("sum", binary.BigEndian.Uint64(row["f"][0].Value), uint64(3))
	var matched bool
	condition := bigtable.NewCondMutation(bigtable.ValueFilter("abc"), set("f", "seen", []byte("yes")), nil)
	done("Apply", rows.Apply(ctx, "n", condition, bigtable.GetCondMutationResult(&matched)))
	equal("matched", matched, true)
	mutation := bigtable.NewMutation()
	mutation.DeleteCellsInFamily("f")
	done("Apply", rows.Apply(ctx, "n", mutation))
	row, err = rows.ReadRow(ctx, "n")
	done("ReadRow", err)
	equal("families", []int{len(row), len(row["g"])}, []int{1, 1})
	mutation = bigtable.NewMutation()
	mutation.DeleteRow()
	done("Apply", rows.Apply(ctx, "n", mutation))
	equal("rows", keys(rows, bigtable.RowList{"n"}), []string{})
}

func main() {
	admin, err := bigtable.NewAdminClient(ctx, project, instance)
	done("NewAdminClient", err)
	// With an emulator, the client takes messages of at most 4 MiB. This connection takes those that it takes from production.
	limit := grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(256*mib), grpc.MaxCallSendMsgSize(256*mib))
	connection, err := grpc.Dial(os.Getenv("BIGTABLE_EMULATOR_HOST"), grpc.WithInsecure(), limit)
	done("Dial", err)
	client, err := bigtable.NewClient(ctx, project, instance, option.WithGRPCConn(connection))
	done("NewClient", err)
	rows := client.Open(table)
	tables(admin)
	largeRows(rows)
	done("DropAllRows", admin.DropAllRows(ctx, table))
	batches(rows)
	filters(rows)
	conditions(rows)
	done("DropRowRange", admin.DropRowRange(ctx, table, "b"))
	equal("rows", keys(rows, bigtable.PrefixRange("b")), []string{})
	done("DeleteTable", admin.DeleteTable(ctx, table))
}
