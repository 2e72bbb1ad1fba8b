// Measures one store and layout, and gives a list of [work, value, checksum]. Workers hold this engine and SQLite, whose
// files can only be reached from there; DuckDB brings a worker of its own.

window.measure = async (store, layout, events) => {
  if (store === "duckdb") return (await import("./duckdb.js")).measure(layout, events);
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
