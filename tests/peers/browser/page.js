// Measures one store and layout, or the pipelines of profiles, and returns a list of [work, value, checksum]. This engine and SQLite run in workers, because
// their files can only be opened there. DuckDB has its own worker.

window.measure = async (store, layout, events) => {
  if (store === "duckdb") {
    const { measure, profiles } = await import("./duckdb.js");
    return layout === "profiles" ? profiles(events) : measure(layout, events);
  }
  const worker = new Worker("worker.js", { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.figures));
      worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
      worker.postMessage({ store, layout, events });
    });
  } finally {
    worker.terminate();
  }
};
