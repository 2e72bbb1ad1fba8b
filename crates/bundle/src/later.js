
// The later part of the program. It is fetched when the page can be used, or at the moment when the early part needs it.
const laterUrl = new URL("LATER", import.meta.url).href;
const workers = [];
let later;

// Fills the table of the program that runs here.
function join() {
  const slots = {};
  for (const { module, name } of WebAssembly.Module.imports(later)) {
    if (module === "slots") slots[name] = wasm.split_table.get(+name);
  }
  new WebAssembly.Instance(later, { early: wasm, slots });
}

function arrived(module) {
  later ??= module;
  if (!wasm.split_loaded.value) join();
  for (const worker of workers.splice(0)) worker.postMessage({ later });
}

// A later function is called and its part is not there: nothing can go on before it is.
function load() {
  if (later) return join();
  const request = new XMLHttpRequest();
  request.open("GET", laterUrl, false);
  // Only text may be waited for in a page; with this character set each byte is a character.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error("a part of the program could not be fetched: reload the page");
  arrived(new WebAssembly.Module(Uint8Array.from(request.responseText, (character) => character.charCodeAt(0))));
}

if (globalThis.document) {
  // The client calls it with each worker that it starts (crates/client/src/early_worker.rs). Until the worker says something, its program is
  // not there and would not see the part.
  globalThis.tabletopShareLater = (worker) => {
    const share = () => later ? worker.postMessage({ later }) : workers.push(worker);
    worker.addEventListener("message", share, { once: true });
  };
  const prefetch = () => {
    WebAssembly.compileStreaming(fetch(laterUrl)).then(arrived, () => {
      // The moment that needs it fetches it, and says so if that fails too.
    });
  };
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName("tabletop-interactive").length === 0) return;
    observer.disconnect();
    prefetch();
  });
  observer.observe({ type: "mark", buffered: true });
} else {
  addEventListener("message", (event) => {
    if (!event.data?.later) return;
    event.stopImmediatePropagation();
    arrived(event.data.later);
  });
}
