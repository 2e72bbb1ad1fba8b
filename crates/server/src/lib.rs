//! The native host: the engine's storage in the files of a folder, instances that threads share, gRPC, and a client of the API.

mod access;
pub mod client;
mod data_folder;
mod files;
pub mod grpc;
mod host;
mod lock;
pub mod process;
mod serve;

pub use access::{Access, Token};
pub use client::Client;
pub use data_folder::DataFolder;
pub use files::{FileStorage, OpenError};
pub use host::{AnyStorage, Clock, DEFAULT_GC_DELAY, Host, InstanceName, Overlay, Served, system_clock, table_settings};
pub use serve::{DEFAULT_ADDRESS, ServeOptions, TlsFiles, serve};
