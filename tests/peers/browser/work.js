// The work of the peers and its measurement. See src/work.rs, which does this for our engine.

import init, { Cells, ProfileJob } from "./engine.js";

const RUNS = 2;
export const STRATEGY = ["brand", "color", "size"];
export const FACETS = [
  "brand", "category", "color", "department", "fit", "gender", "material", "price", "rating", "season", "size", "style",
];

// `open(synced)` returns an empty store: batch(cells), write(batch), settle(), scan(), filter(facets), users(prefixes),
// rows(keys), job(layout, facets), bytes(), close(). Each of them may be async. Slow stores read fewer users and rows.
export async function measure(open, layout, events, { users: usersCount, rows: rowsCount }) {
  await init({ module_or_path: new URL("./engine_bg.wasm", import.meta.url) });
  const figures = [];
  const add = (work, value) => figures.push([work, value, "0"]);
  let store, cells;
  for (const synced of [false, true]) {
    if (store) await store.close();
    store = await open(synced);
    cells = new Cells(layout, events);
    let seconds = 0;
    while (cells.next()) {
      const batch = await store.batch(cells);
      seconds += await timed(() => store.write(batch));
    }
    seconds += await timed(() => store.settle());
    add(synced ? "load, synced" : "load", cells.cells() / seconds);
  }
  const best = async (work, count, run) => {
    let seconds = Infinity;
    for (let i = 0; i < RUNS; i++) seconds = Math.min(seconds, await timed(run));
    add(work, count / seconds);
  };
  const same = (what, found, expected) => {
    if (found !== expected) throw new Error(`${what}: found ${found}, expected ${expected}`);
  };
  add("disk", (await store.bytes()) / events);
  await best("scan", cells.cells(), async () => {
    const found = await store.scan();
    same("cells", found.cells, cells.cells());
    same("bytes", found.bytes, cells.bytes());
  });
  if (layout === "wide") {
    await best("filter", cells.cells(), async () => {
      same("cells of facets", (await store.filter(STRATEGY)).cells, (cells.cells() / FACETS.length) * STRATEGY.length);
    });
  }
  const [users, rows] = [cells.some_users(usersCount), cells.some_keys(rowsCount)];
  await best("user", users.length, () => store.users(users));
  await best("row", rows.length, async () => {
    const found = await store.rows(rows);
    same("cells of rows", found.cells, rows.length * (cells.cells() / events));
  });
  const jobs = [["job", STRATEGY], ["job, all", FACETS]];
  for (const [work, facets] of jobs) {
    await best(work, events, async () => {
      same(work, await store.job(layout, facets), cells.scores(facets === FACETS));
    });
  }
  await store.close();
  return figures;
}

async function timed(run) {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1000;
}

// `open(job)` returns a store with all events in its tables: run(sql), lines(sql, each), close(). Each of them may be async.
export async function measureProfiles(open, events) {
  await init({ module_or_path: new URL("./engine_bg.wasm", import.meta.url) });
  const job = new ProfileJob(events);
  const store = await open(job);
  let seconds = 0;
  for (const strategy of [0, 1]) {
    await store.run(job.strategy(strategy));
    seconds = await timed(() => store.run(job.sql("the job")));
  }
  await store.lines(job.sql("the profiles"), (line) => job.add(line));
  await store.close();
  return [["batch", events / seconds, job.sum()]];
}

// The profiles of users, and the sum of all scores in them.
export class Profiles {
  constructor(facets) {
    this.facets = new Map(facets.map((facet, i) => [facet, i + 1]));
    this.total = 0;
    this.scores = new Map();
  }

  user() {
    this.scores.clear();
  }

  narrow(score, json) {
    for (const [facet, , value] of JSON.parse(json)) this.add(facet, value, score);
  }

  wide(score, facet, json) {
    for (const [, value] of JSON.parse(json)) this.add(facet, value, score);
  }

  add(facet, value, score) {
    const weight = this.facets.get(facet);
    if (weight === undefined) return;
    let values = this.scores.get(facet);
    if (!values) this.scores.set(facet, (values = new Map()));
    values.set(value, (values.get(value) ?? 0) + score * weight);
    this.total += score * weight;
  }
}
