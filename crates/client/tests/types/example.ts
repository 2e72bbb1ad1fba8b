// Valid uses of the API, and uses that the compiler must reject. `cargo xtask test wasm` compiles it.
import type { DesignPatch, ReadResult, StorageView, TabletopError, Workspace } from "../../../../www/tabletop";

/** Loads a sample, salts its key, and counts what a filter lets through. */
async function demo(): Promise<bigint> {
  const samples = await tabletop.ready;
  await window.tabletop.sample(samples[0].name, {
    template: "{user_token},{timestamp:iso}",
    on_progress: ({ events, bytes }) => console.log(events, bytes + 1n),
  });
  const patch: DesignPatch = { layout: { kind: "wide", family_field: null, columns: [], encoding: "json" } };
  const view = await tabletop.design(0, patch);
  view.table.tablets.forEach((tablet) => console.log(tablet.start, tablet.bytes, tablet.writes_per_second.toFixed(1)));
  view.warnings.forEach(({ message, cause, fixes }) => console.log(message.length, cause, fixes.map((fix) => fix.label.length)));
  console.log(view.verdict.advice?.length, view.chips[0].cost.length, (await tabletop.simulate(0)).diagnoses[0].text.length);
  const result: ReadResult = await tabletop.read(0, { rows: { prefix: "a" }, filter: "cells_per_row_limit(1)", rows_limit: 10 });
  await tabletop.read(0, { filter: { chain: [{ family_name_regex: "e" }, { strip_value: true }] } });
  await tabletop.read(0, { filter: { column_range: { family: "e", start: { Included: "a" }, end: "Unbounded" } } });
  const bytes: Uint8Array = result.rows[0].cells[0].value_bytes;
  const workspace: Workspace = await tabletop.workspace();
  if (typeof workspace.source === "object" && "generated" in workspace.source) workspace.source.generated.seed += 1n;
  try {
    await tabletop.open(workspace);
  } catch (error) {
    console.log((error as TabletopError).code === "invalid_argument", bytes.length);
  }
  const kept: StorageView = await tabletop.storage();
  const file: Blob = await tabletop.export_set(kept.sets[0].set);
  console.log(typeof kept.keeping === "string" ? kept.keeping : Object.keys(kept.keeping), file.size, kept.sets[0].events);
  return result.stats.rows_seen;
}

// @ts-expect-error: 64-bit integers are BigInts.
async () => { const count: number = (await tabletop.read(0)).stats.cells_seen; return count; };
// @ts-expect-error: a layout has a kind.
async () => tabletop.design(0, { layout: { family_field: null } });
demo();
