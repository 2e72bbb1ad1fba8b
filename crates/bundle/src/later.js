
// The later part of the program. It is fetched when the page is interactive, or as soon as the early part needs it.
// Milliseconds after which the part is fetched again if it could not be fetched.
const RETRY = 5_000;
const laterUrl = new URL("LATER", import.meta.url).href;
const workers = [];
let later;

// Instantiates the later part in the running program.
function join() {
  const slots = {};
  for (const { module, name } of WebAssembly.Module.imports(later)) {
    if (module === "slots") slots[name] = wasm.split_table.get(+name);
  }
  new WebAssembly.Instance(later, { ...bound_imports(), early: wasm, slots });
}

function arrived(module) {
  later ??= module;
  if (!wasm.split_loaded.value) join();
  for (const worker of workers.splice(0)) worker.postMessage({ later });
}

// A later function was called before its part arrived: waits for the part.
function load() {
  if (later) return join();
  const request = new XMLHttpRequest();
  request.open("GET", laterUrl, false);
  // A page can fetch only text synchronously. With this character set, each byte is a character.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error("a part of the program could not be fetched: reload the page");
  arrived(new WebAssembly.Module(Uint8Array.from(request.responseText, (character) => character.charCodeAt(0))));
}

if (globalThis.document) {
  // The client calls this with each worker that it starts (crates/client/src/early_worker.rs). The part is sent after the
  // worker's first message: before that, its program does not run and would miss the part.
  globalThis.tabletopShareLater = (worker) => {
    const share = () => later ? worker.postMessage({ later }) : workers.push(worker);
    worker.addEventListener("message", share, { once: true });
  };
  const prefetch = () => {
    const complete = (module) => {
      arrived(module);
      // The page then draws what it has left out of the first view (crates/ui/src/app/listen.rs).
      dispatchEvent(new Event("tabletop-later"));
    };
    // A failure is reported only if the part is needed before it has arrived. Until then, the page lacks what it draws later.
    WebAssembly.compileStreaming(fetch(laterUrl)).then(complete, () => setTimeout(prefetch, RETRY));
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
