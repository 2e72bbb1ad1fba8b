
// Returns which functions have run, as texts of 0 and 1: one of the page, then one of each worker that the
// client has started.
const recorded = () => new Uint8Array(wasm.memory.buffer, ADDRESS, COUNT).join("");
if (globalThis.document) {
  const workers = [];
  globalThis.tabletopShareLater = (worker) => workers.push(worker);
  globalThis.tabletopRecorded = async () => {
    const answers = workers.map((worker) => new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (event) => resolve(event.data);
      // A worker that has ended does not answer.
      setTimeout(() => resolve(""), 2_000);
      worker.postMessage({ recorded: port2 }, [port2]);
    }));
    return [recorded(), ...await Promise.all(answers)];
  };
} else {
  addEventListener("message", (event) => {
    if (!event.data?.recorded) return;
    event.stopImmediatePropagation();
    event.data.recorded.postMessage(recorded());
  });
}
