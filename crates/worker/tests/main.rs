//! Tests of the worker's sessions, which run natively. In a browser's worker, only the tests of
//! files run, and those whose results must be the same there.

mod cases;
#[cfg(not(target_arch = "wasm32"))]
mod costs;
// The runner of case files is included by path, because the rest of the test kit does not compile
// for browsers.
#[path = "../../../tests/src/database.rs"]
#[expect(dead_code, reason = "needed by the other databases of the kit")]
mod database;
mod determinism;
#[cfg(not(target_arch = "wasm32"))]
mod earlier_builds;
#[cfg(not(target_arch = "wasm32"))]
mod flows;
#[cfg(not(target_arch = "wasm32"))]
mod hand_writes;
#[cfg(not(target_arch = "wasm32"))]
mod host;
#[cfg(not(target_arch = "wasm32"))]
mod jobs;
#[cfg(not(target_arch = "wasm32"))]
mod migration;
#[cfg(target_arch = "wasm32")]
mod opfs;
#[cfg(not(target_arch = "wasm32"))]
mod own_data_store;
#[path = "../../../tests/src/script/mod.rs"]
mod script;
#[cfg(not(target_arch = "wasm32"))]
mod session;
#[cfg(not(target_arch = "wasm32"))]
mod tables;
#[cfg(not(target_arch = "wasm32"))]
mod timeline;

use database::Database;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
