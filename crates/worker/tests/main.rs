//! Sessions of the worker, natively; and in a worker of a browser what has to be the same there, and its files.

mod cases;
// The same runner of case files as everywhere, by its files: the rest of the test kit is not for browsers.
#[path = "../../../tests/src/database.rs"]
#[expect(dead_code, reason = "what the other databases of the kit need")]
mod database;
#[cfg(not(target_arch = "wasm32"))]
mod host;
#[cfg(not(target_arch = "wasm32"))]
mod keep;
#[cfg(target_arch = "wasm32")]
mod opfs;
mod same;
#[path = "../../../tests/src/script/mod.rs"]
mod script;
#[cfg(not(target_arch = "wasm32"))]
mod session;
#[cfg(not(target_arch = "wasm32"))]
mod tables;

use database::Database;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
