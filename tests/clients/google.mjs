// Uses the server at BIGTABLE_EMULATOR_HOST through Google's client for Node.js: node google.mjs
//
// No project is set, so the client sends its placeholder for one.

import assert from 'node:assert/strict';

import { Bigtable } from '@google-cloud/bigtable';

delete process.env.GCLOUD_PROJECT;
delete process.env.GOOGLE_CLOUD_PROJECT;
const bigtable = new Bigtable();
const instance = bigtable.instance(`node${process.pid}`);
const id = 'table';

const MIB = 1 << 20;
/** A value of bytes that change, so that a piece in the wrong place is noticed. */
const bytes = (length) => Buffer.from(Uint32Array.from({ length: Math.ceil(length / 4) }, (_, i) => i * 2654435761).buffer, 0, length);
/** Returns the cells of a row: [column, value as text]. */
const cells = (row) =>
  Object.entries(row.data).flatMap(([family, columns]) =>
    Object.entries(columns).flatMap(([qualifier, found]) => found.map(({ value }) => [`${family}:${qualifier}`, `${value}`])),
  );

const tests = {
  async 'tables and families of every kind'() {
    const age = { seconds: 3600, nanos: 0 };
    const rules = {
      versions: { versions: 2 },
      age: { age },
      either: { versions: 2, age, union: true },
      both: { versions: 2, age },
    };
    const families = ['f', 'g', ...Object.entries(rules).map(([name, rule]) => ({ name, rule }))];
    const [table, created] = await instance.createTable(id, { families, splits: [Buffer.from('m')] });
    const names = ['age', 'both', 'either', 'f', 'g', 'versions'];
    assert.deepEqual(Object.keys(created.columnFamilies).sort(), names);
    const [family] = await table.createFamily('later');
    assert.deepEqual((await table.getFamilies())[0].map((family) => family.id).sort(), [...names, 'later'].sort());
    await family.setMetadata({ rule: { versions: 3 } });
    assert.equal((await family.getMetadata())[0].gcRule.maxNumVersions, 3);
    await family.delete();
    const [metadata] = await table.getMetadata({ view: 'full' });
    assert.equal(metadata.columnFamilies.f.gcRule, null, 'no rule');
    assert.equal(metadata.columnFamilies.versions.gcRule.maxNumVersions, 2);
    assert.equal(metadata.columnFamilies.age.gcRule.maxAge.seconds, '3600');
    assert.equal(metadata.columnFamilies.either.gcRule.union.rules.length, 2);
    assert.equal(metadata.columnFamilies.both.gcRule.intersection.rules.length, 2);
    assert.equal(Object.values(metadata.clusterStates)[0].replicationState, 'READY');
    for (const view of ['name', 'schema', 'full']) {
      const [tables] = await instance.getTables({ view });
      assert.deepEqual(tables.map((table) => table.id), [id]);
    }
    const int64Type = { encoding: { bigEndianBytes: {} } };
    const sum = { valueType: { aggregateType: { inputType: { int64Type }, sum: {} } } };
    const admin = bigtable.api.BigtableTableAdminClient;
    const [aggregates] = await admin.createTable({ parent: instance.name, tableId: `${id}s`, table: { columnFamilies: { sum } } });
    assert.equal(aggregates.columnFamilies.sum.valueType.aggregateType.aggregator, 'sum');
    await instance.table(`${id}s`).delete();
    assert.deepEqual(await instance.table(`${id}s`).exists(), [false]);
  },

  async 'rows of 1 byte to 32 MiB'() {
    const table = instance.table(id);
    for (const length of [1, 1000, MIB - 1000, MIB, MIB + 1, 4 * MIB, 32 * MIB]) {
      const value = bytes(length);
      await table.insert({ key: 'large', data: { f: { q: { value, timestamp: 1000 }, r: { value: 'end', timestamp: 1000 } } } });
      const [row] = await table.row('large').get([], { decode: false });
      assert.equal(Buffer.compare(row.data.f.q[0].value, value), 0, `${length} bytes`);
      assert.equal(`${row.data.f.r[0].value}`, 'end');
    }
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`q${i}`, { value: bytes(50_000), timestamp: 1000 }]));
    await table.insert({ key: 'wide', data: { f: wide } });
    const [row] = await table.row('wide').get([], { decode: false });
    assert.deepEqual(Object.values(row.data.f).map(([{ value }]) => value.length), Array(40).fill(50_000));
    const [rows] = await table.getRows({ keys: ['wide', 'large'], decode: false });
    assert.deepEqual(rows.map((row) => [`${row.id}`, Object.keys(row.data.f).length]), [['large', 2], ['wide', 40]]);
    await table.deleteRows('large');
    await table.row('wide').delete();
    assert.deepEqual(await table.getRows(), [[]]);
  },

  async 'batches and streams'() {
    const table = instance.table(id);
    const key = (i) => `b${String(i).padStart(5, '0')}`;
    const rows = Array.from({ length: 5000 }, (_, i) => ({ key: key(i), data: { f: { q: { value: `v${i}`, timestamp: 1000 } } } }));
    await table.insert(rows);
    let count = 0;
    for await (const row of table.createReadStream({ prefix: 'b' })) {
      assert.deepEqual([row.id, cells(row)], [key(count), [['f:q', `v${count}`]]]);
      count += 1;
    }
    assert.equal(count, 5000);
    const [some] = await table.getRows({ start: key(10), end: { value: key(20), inclusive: false }, limit: 5 });
    assert.deepEqual(some.map((row) => row.id), [10, 11, 12, 13, 14].map(key));
    const entry = (key, family) => ({ key, method: 'insert', data: { [family]: { q: { value: 'x', timestamp: 1000 } } } });
    await assert.rejects(table.mutate([entry('c0', 'f'), entry('c1', 'none'), entry('c2', 'g')]), (error) => {
      assert.deepEqual(error.errors.map((failed) => [failed.code, failed.entry.key]), [[5, 'c1']]);
      return true;
    });
    assert.deepEqual((await table.getRows({ prefix: 'c' }))[0].map((row) => row.id), ['c0', 'c2']);
    const [samples] = await table.sampleRowKeys();
    assert.deepEqual(samples.map(({ key }) => `${key}`), ['m', '']);
    await table.truncate();
  },

  async 'filters'() {
    const table = instance.table(id);
    const data = { f: { a: { value: 'one two', timestamp: 1000 }, b: { value: '\x01\x7f', timestamp: 2000 } }, g: { c: { value: 'x', timestamp: 3000 } } };
    await table.insert({ key: 'r', data });
    const found = async (filter) => (await table.getRows({ filter }))[0].flatMap(cells).map(([column]) => column);
    assert.deepEqual(await found([{ family: 'g' }]), ['g:c']);
    assert.deepEqual(await found([{ column: /[ab]/ }]), ['f:a', 'f:b']);
    assert.deepEqual(await found([{ value: 'one two' }]), ['f:a']);
    assert.deepEqual(await found([{ value: /one\ two/ }]), ['f:a']);
    assert.deepEqual(await found([{ value: '\\\x01\\\x7f' }]), ['f:b']);
    assert.deepEqual(await found([{ column: { family: 'f', start: 'b' } }]), ['f:b']);
    assert.deepEqual(await found([{ time: { start: new Date(2), end: new Date(4) } }]), ['f:b', 'g:c']);
    assert.deepEqual(await found([{ row: { cellLimit: 1 } }]), ['f:a']);
    assert.deepEqual(await found([{ interleave: [[{ family: 'g' }], [{ column: 'a' }]] }]), ['f:a', 'g:c']);
    const condition = { condition: { test: [{ value: 'x' }], pass: [{ family: 'f' }], fail: [{ all: false }] } };
    assert.deepEqual(await found([condition]), ['f:a', 'f:b']);
    assert.deepEqual(await found([{ all: false }]), []);
    await assert.rejects(found([{ value: '(' }]), { code: 3 });
  },

  async 'rows that are changed by what they hold'() {
    const row = instance.table(id).row('n');
    await row.increment('f:n', 5);
    await row.increment('f:n', -2);
    assert.equal((await row.get(['f:n']))[0].f.n[0].value, 3);
    const rules = [{ column: 'f:s', append: 'ab' }, { column: 'f:s', append: 'c' }];
    await row.createRules(rules);
    const onMatch = [{ method: 'insert', data: { g: { seen: { value: 'yes', timestamp: 1000 } } } }];
    assert.deepEqual((await row.filter([{ value: 'abc' }], { onMatch })).slice(0, 1), [true]);
    assert.deepEqual((await row.filter([{ value: 'none' }], { onMatch })).slice(0, 1), [false]);
    const [whole] = await row.get();
    assert.deepEqual([`${whole.data.f.s[0].value}`, `${whole.data.g.seen[0].value}`], ['abc', 'yes']);
    await instance.table(id).delete();
  },
};

for (const [name, act] of Object.entries(tests)) {
  try {
    await act();
  } catch (error) {
    console.error(`${name}:\n${error.stack}`);
    process.exit(1);
  }
}
await bigtable.close();
