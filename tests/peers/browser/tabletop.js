// This engine. Between two batches, its host creates and deletes files, which is measured, too. The reads measure themselves in
// the same way as natively.

import init, { Engine } from "./engine.js";

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
