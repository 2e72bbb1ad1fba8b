// duckdb-wasm, used as its documentation recommends: batches and results are Arrow streams. Its table has a column for each part
// of a cell, so that it can filter and compress by column. It has no index and finds rows by its zone maps.

import * as arrow from "apache-arrow";
import * as duckdb from "./node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser.mjs";
import { Profiles, measureProfiles, measure as work } from "./work.js";

const FOLDER = new URL("./node_modules/@duckdb/duckdb-wasm/dist/", import.meta.url);
const COLUMNS = ["key", "family", "qualifier", "value"];
const SCORES = { click: 3, conversion: 10, view: 1 };
const USER_CHARS = 41;

export function measure(layout, events) {
  return work(Store.open, layout, events, { users: 20, rows: 20 });
}

// The batch of profiles in SQL.
export function profiles(events) {
  return measureProfiles(ProfileStore.open, events);
}

// Opens a database in a file, and connects to it.
async function connect(store, file) {
  store.file = file;
  store.worker = new Worker(new URL("duckdb-browser-eh.worker.js", FOLDER));
  store.db = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), store.worker);
  await store.db.instantiate(new URL("duckdb-eh.wasm", FOLDER).href);
  await store.db.open({ path: `opfs://${file}`, accessMode: duckdb.DuckDBAccessMode.READ_WRITE });
  store.connection = await store.db.connect();
  return store;
}

class ProfileStore {
  static async open(job) {
    const store = await connect(new ProfileStore(), "profiles.duckdb");
    await store.run(job.sql("DuckDB's table of lines"));
    const copy = "COPY arrived FROM 'events.csv' (FORMAT csv, DELIM ',', HEADER false, AUTO_DETECT false)";
    for (let lines = job.lines(20_000); lines; lines = job.lines(20_000)) {
      await store.db.registerFileText("events.csv", lines);
      await store.run(copy);
      await store.db.dropFile("events.csv");
    }
    await store.run(job.sql("DuckDB's tables"));
    await store.run("CHECKPOINT");
    return store;
  }

  run(sql) {
    return this.connection.query(sql);
  }

  async lines(sql, each) {
    for await (const batch of await this.connection.send(sql)) {
      for (const line of batch.getChildAt(0)) each(line);
    }
  }

  async close() {
    await this.connection.close();
    await this.db.terminate();
    this.worker.terminate();
  }
}

class Store {
  static async open(synced) {
    // Each store has its own file: the file of a closed store stays locked for some time.
    const store = await connect(new Store(), synced ? "synced.duckdb" : "unsynced.duckdb");
    await store.connection.query(
      "CREATE TABLE cells (key VARCHAR, family VARCHAR, qualifier VARCHAR, value VARCHAR, time BIGINT)",
    );
    return store;
  }

  batch(cells) {
    const columns = COLUMNS.map((name, i) => {
      const valueOffsets = cells.ends(i);
      const data = { type: new arrow.Utf8(), length: valueOffsets.length - 1, nullCount: 0, valueOffsets, data: cells.column(i) };
      return [name, new arrow.Vector([arrow.makeData(data)])];
    });
    const times = cells.times();
    const data = { type: new arrow.Int64(), length: times.length, nullCount: 0, data: times };
    columns.push(["time", new arrow.Vector([arrow.makeData(data)])]);
    return arrow.tableToIPC(new arrow.Table(Object.fromEntries(columns)), "stream");
  }

  write(stream) {
    return this.connection.insertArrowFromIPCStream(stream, { name: "cells", create: false });
  }

  settle() {
    return this.connection.query("CHECKPOINT");
  }

  scan() {
    return this.read("");
  }

  filter(facets) {
    return this.read(whereOf(facets));
  }

  async read(where) {
    const total = { cells: 0, bytes: 0, sum: 0 };
    for await (const batch of await this.connection.send(`SELECT key, family, qualifier, value, time FROM cells ${where}`)) {
      look(batch, total);
    }
    return total;
  }

  async users(prefixes) {
    return this.lookUp("starts_with(key, ?)", prefixes);
  }

  async rows(keys) {
    return this.lookUp("key = ?", keys);
  }

  async lookUp(condition, texts) {
    const total = { cells: 0, bytes: 0, sum: 0 };
    const statement = await this.connection.prepare(
      `SELECT key, family, qualifier, value, time FROM cells WHERE ${condition} ORDER BY key, family, qualifier`,
    );
    for (const text of texts) {
      for (const batch of (await statement.query(text)).batches) look(batch, total);
    }
    await statement.close();
    return total;
  }

  async job(layout, facets) {
    const all = new Map();
    const where = layout === "wide" ? whereOf(facets) : "";
    const totals = new Profiles(facets);
    for await (const batch of await this.connection.send(`SELECT key, family, qualifier, value FROM cells ${where}`)) {
      const [keys, families, qualifiers, values] = COLUMNS.map((name) => batch.getChild(name));
      for (let i = 0; i < batch.numRows; i++) {
        // Events are sorted by time, so the profiles of all users grow together.
        const user = keys.get(i).slice(0, USER_CHARS);
        let scores = all.get(user);
        if (!scores) all.set(user, (scores = new Map()));
        totals.scores = scores;
        if (layout === "wide") {
          const [type, , facet] = qualifiers.get(i).split(",");
          totals.wide(SCORES[type], facet, values.get(i));
        } else {
          totals.narrow(SCORES[families.get(i)], values.get(i));
        }
      }
    }
    return totals.total;
  }

  async bytes() {
    const root = await navigator.storage.getDirectory();
    let bytes = 0;
    for (const file of [this.file, `${this.file}.wal`]) {
      const handle = await root.getFileHandle(file).catch(() => undefined);
      if (handle) bytes += (await handle.getFile()).size;
    }
    return bytes;
  }

  async close() {
    await this.connection.close();
    await this.db.terminate();
    this.worker.terminate();
  }
}

function whereOf(facets) {
  return `WHERE ${facets.map((facet) => `suffix(qualifier, ',${facet}')`).join(" OR ")}`;
}

// Reads all bytes of a batch, in whole words of its columns' buffers.
function look(batch, total) {
  for (const column of batch.data.children) {
    const { valueOffsets: ends, length } = column;
    if (ends) total.bytes += ends[length] - ends[0];
    const { buffer, byteOffset, byteLength } = column.values;
    const words = new Int32Array(buffer, (byteOffset + 3) & ~3, Math.max(byteLength - 3, 0) >> 2);
    let sum = 0;
    for (let i = 0; i < words.length; i++) sum = (sum + words[i]) | 0;
    total.sum = (total.sum + sum) | 0;
  }
  total.cells += batch.numRows;
}
