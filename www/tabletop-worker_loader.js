// Starts the worker's program. Trunk could write this file, but calls the program in a way that it warns about, and a
// failure to load it would be lost: thrown outside of the promise it reaches the page as the worker's error.
importScripts("./tabletop-worker.js");
wasm_bindgen({ module_or_path: "./tabletop-worker_bg.wasm" }).catch((error) => setTimeout(() => { throw error; }));
