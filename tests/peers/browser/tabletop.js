// This engine. It measures itself by the clock of the worker, in the same way as natively.

import init, { Engine } from "./engine.js";

export async function measure(layout, events) {
  await init();
  const engine = new Engine(layout, events);
  const figures = [["load", engine.load(), "0"]];
  const reads = engine.reads();
  for (let i = 0; i < reads.length; i += 3) figures.push([reads[i], Number(reads[i + 1]), reads[i + 2]]);
  return figures;
}
