//! The client in a browser, and natively the TypeScript types of its API.

#[cfg(target_arch = "wasm32")]
mod client;
#[cfg(target_arch = "wasm32")]
mod server;
#[cfg(not(target_arch = "wasm32"))]
mod types;
