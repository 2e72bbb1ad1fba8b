// This engine. Between two batches, its host creates and deletes files, which is measured, too. The reads measure themselves in
// the same way as natively.

import init, { Engine, staleness, streamed } from "./engine.js";

export async function measure(layout, events) {
  await init({ module_or_path: new URL("./engine_bg.wasm", import.meta.url) });
  const figures = [];
  let engine;
  for (const synced of [false, true]) {
    if (engine) await engine.leave();
    engine = await Engine.open(layout, events, synced);
    let millis = 0;
    for (let more = engine.next(); more; more = engine.next()) {
      const start = performance.now();
      engine.write();
      await engine.prepare_files();
      millis += performance.now() - start;
    }
    const start = performance.now();
    engine.settle();
    millis += performance.now() - start;
    figures.push([synced ? "load, synced" : "load", engine.cells() / (millis / 1000), "0"]);
  }
  figures.push(["disk", engine.bytes() / events, "0"]);
  const reads = engine.reads();
  for (let i = 0; i < reads.length; i += 3) figures.push([reads[i], Number(reads[i + 1]), reads[i + 2]]);
  await engine.leave();
  return figures;
}

// The pipelines of profiles: the batch with one strategy and then another, and events that stream in after it.
export async function profiles(events) {
  await init({ module_or_path: new URL("./engine_bg.wasm", import.meta.url) });
  const engine = await Engine.open("wide", events, false);
  while (engine.next()) {
    engine.write();
    await engine.prepare_files();
  }
  engine.settle();
  await engine.prepare_files();
  engine.prepare_profiles();
  let seconds = 0;
  for (const strategy of [0, 1]) {
    const start = performance.now();
    engine.begin_batch(strategy);
    while (engine.step_batch()) await engine.prepare_files();
    seconds = (performance.now() - start) / 1000;
  }
  const figures = [["batch", events / seconds, engine.profiles_sum()]];
  const times = [];
  for (let number = 0; number < streamed(); number++) {
    times.push(engine.stream(number));
    await engine.prepare_files();
  }
  figures.push(["stream", times.length / times.reduce((sum, time) => sum + time), "0"]);
  figures.push(["staleness", staleness(new Float64Array(times)) * 1000, "0"]);
  await engine.leave();
  return figures;
}
