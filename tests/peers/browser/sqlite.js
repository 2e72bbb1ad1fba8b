// sqlite-wasm on OPFS, with its pool of sync access handles, which its authors recommend as the fastest. The table and the
// settings are the same as in src/peers/sqlite.rs. Its functions are called without the wrappers that convert arguments.

import sqlite3InitModule from "./node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs";
import { Profiles, measureProfiles, measure as work } from "./work.js";

const USER_BYTES = 41;
const KEY_BYTES = 65;
const FILE = "/cells.sqlite";
const ROW = 100;
const COMMA = 44;

export async function measure(layout, events) {
  const sqlite3 = await sqlite3InitModule({ print() {}, printErr() {} });
  const pool = await sqlite3.installOpfsSAHPoolVfs({ clearOnInit: true });
  const memory = { env: { memory: sqlite3.wasm.memory } };
  const { instance } = await WebAssembly.instantiateStreaming(fetch("fold.wasm"), memory);
  const open = async (synced) => {
    await pool.wipeFiles();
    return new Store(sqlite3, pool, instance.exports.fold, synced);
  };
  return work(open, layout, events, { users: 2_000, rows: 20_000 });
}

// The batch of profiles in SQL, with the same settings.
export async function profiles(events) {
  const sqlite3 = await sqlite3InitModule({ print() {}, printErr() {} });
  const pool = await sqlite3.installOpfsSAHPoolVfs({ clearOnInit: true });
  return measureProfiles((job) => new ProfileStore(new pool.OpfsSAHPoolDb("/profiles.sqlite"), job), events);
}

class ProfileStore {
  constructor(db, job) {
    this.db = db;
    db.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -262144;`);
    db.exec(job.sql("SQLite's tables"));
    const [event, facet] = ["an event", "a facet"].map((name) => db.prepare(job.sql(name)));
    for (let lines = job.lines(1_000); lines; lines = job.lines(1_000)) {
      db.exec("BEGIN");
      for (const line of lines.trimEnd().split("\n")) {
        const [id, user, micros, type, name, facets] = line.split(",");
        event.bind([Number(id), user, Number(micros), type, name]).stepReset();
        for (const pair of facets.split("|")) facet.bind([Number(id), ...pair.split(":")]).stepReset();
      }
      db.exec("COMMIT");
    }
    event.finalize();
    facet.finalize();
    // The planner needs to know which tables are large.
    db.exec("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)");
  }

  run(sql) {
    this.db.exec(sql);
  }

  lines(sql, each) {
    const statement = this.db.prepare(sql);
    while (statement.step()) each(statement.get(0));
    statement.finalize();
  }

  close() {
    this.db.close();
  }
}

class Store {
  constructor(sqlite3, pool, fold, synced) {
    Object.assign(this, { sqlite3, fold, c: sqlite3.wasm.exports, wasm: sqlite3.wasm });
    this.db = new pool.OpfsSAHPoolDb(FILE);
    this.db.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${synced ? "FULL" : "OFF"};
      PRAGMA cache_size = -262144;
      CREATE TABLE cells (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;`);
    this.insert = this.db.prepare("INSERT OR REPLACE INTO cells (key, value) VALUES (?1, ?2)");
    this.all = this.db.prepare("SELECT key, value FROM cells ORDER BY key");
    this.range = this.db.prepare("SELECT key, value FROM cells WHERE key >= ?1 AND key < ?2 ORDER BY key");
    this.room = 0;
  }

  batch(cells) {
    const entries = cells.entries();
    if (entries.length > this.room) {
      if (this.room) this.wasm.dealloc(this.at);
      this.room = 2 * entries.length;
      this.at = this.wasm.alloc(this.room);
    }
    this.wasm.heap8u().set(entries, this.at);
    return new DataView(entries.buffer, entries.byteOffset, entries.length);
  }

  write(entries) {
    const { c, at } = this;
    const statement = this.insert.pointer;
    this.db.exec("BEGIN");
    for (let i = 0; i < entries.byteLength; ) {
      const keyLength = entries.getUint32(i, true);
      const key = i + 4;
      const valueLength = entries.getUint32(key + keyLength, true);
      const value = key + keyLength + 4;
      i = value + valueLength;
      // The bytes stay valid: 0 is SQLITE_STATIC.
      c.sqlite3_bind_blob(statement, 1, at + key, keyLength, 0);
      c.sqlite3_bind_blob(statement, 2, at + value, valueLength, 0);
      c.sqlite3_step(statement);
      if (c.sqlite3_reset(statement) !== 0) throw new Error("an insert failed");
    }
    this.db.exec("COMMIT");
  }

  settle() {
    this.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  scan() {
    return this.read(this.all.pointer);
  }

  filter(facets) {
    return this.read(this.all.pointer, encoded(facets));
  }

  // Reads all rows of a statement, or the cells of some facets. The three zero bytes and the timestamp of a key are not counted.
  read(statement, wanted) {
    const { c, fold } = this;
    let [cells, bytes, sum] = [0, 0, 0];
    while (c.sqlite3_step(statement) === ROW) {
      const key = c.sqlite3_column_blob(statement, 0);
      const keyLength = c.sqlite3_column_bytes(statement, 0);
      if (wanted && facetOf(this.wasm.heap8u(), key + keyLength, wanted) === undefined) continue;
      const value = c.sqlite3_column_blob(statement, 1);
      const valueLength = c.sqlite3_column_bytes(statement, 1);
      sum = (sum + fold(key, keyLength) + fold(value, valueLength)) | 0;
      cells += 1;
      bytes += keyLength + valueLength - 11;
    }
    c.sqlite3_reset(statement);
    return { cells, bytes, sum };
  }

  users(prefixes) {
    return this.lookUp(prefixes, 0);
  }

  rows(keys) {
    return this.lookUp(keys, 1);
  }

  // Reads all entries whose keys have this prefix, followed by this number of zero bytes.
  lookUp(texts, zeros) {
    const { c } = this;
    const statement = this.range.pointer;
    const encoder = new TextEncoder();
    const start = this.wasm.alloc(512);
    const total = { cells: 0 };
    for (const text of texts) {
      const heap = this.wasm.heap8u();
      const { written } = encoder.encodeInto(text, heap.subarray(start, start + 128));
      const length = written + zeros;
      if (zeros) heap[start + written] = 0;
      const end = start + 256;
      heap.copyWithin(end, start, start + length);
      heap[end + length - 1] += 1;
      c.sqlite3_bind_blob(statement, 1, start, length, 0);
      c.sqlite3_bind_blob(statement, 2, end, length, 0);
      total.cells += this.read(statement).cells;
    }
    this.wasm.dealloc(start);
    return total;
  }

  job(layout, facets) {
    const { c, fold } = this;
    const profiles = new Profiles(facets);
    const wanted = encoded(facets);
    const decoder = new TextDecoder();
    const statement = this.all.pointer;
    let user = 0;
    while (c.sqlite3_step(statement) === ROW) {
      const key = c.sqlite3_column_blob(statement, 0);
      const heap = this.wasm.heap8u();
      let facet = "";
      if (layout === "wide") {
        facet = facetOf(heap, key + c.sqlite3_column_bytes(statement, 0), wanted);
        if (facet === undefined) continue;
      }
      const id = fold(key, USER_BYTES);
      if (id !== user) {
        user = id;
        profiles.user();
      }
      // Wide: after "e" and its zero byte. The types are click, conversion and view.
      const type = key + KEY_BYTES + (layout === "wide" ? 3 : 1);
      const score = heap[type] === 118 ? 1 : heap[type + 1] === 108 ? 3 : 10;
      const value = c.sqlite3_column_blob(statement, 1);
      const json = decoder.decode(heap.subarray(value, value + c.sqlite3_column_bytes(statement, 1)));
      if (layout === "wide") profiles.wide(score, facet, json);
      else profiles.narrow(score, json);
    }
    c.sqlite3_reset(statement);
    return profiles.total;
  }

  bytes() {
    const pages = this.db.selectValue("PRAGMA page_count");
    return pages * this.db.selectValue("PRAGMA page_size");
  }

  close() {
    if (this.room) this.wasm.dealloc(this.at);
    for (const statement of [this.insert, this.all, this.range]) statement.finalize();
    this.db.close();
  }
}

function encoded(facets) {
  return facets.map((facet) => [facet, new TextEncoder().encode(facet)]);
}

// Returns the facet of a wide key that ends there (before a zero byte and a timestamp), if it is wanted.
function facetOf(heap, keyEnd, wanted) {
  const end = keyEnd - 9;
  let start = end;
  while (heap[start - 1] !== COMMA) start -= 1;
  const length = end - start;
  for (const [text, bytes] of wanted) {
    if (bytes.length !== length) continue;
    let i = 0;
    while (i < length && heap[start + i] === bytes[i]) i += 1;
    if (i === length) return text;
  }
  return undefined;
}
