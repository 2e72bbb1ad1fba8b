//! The native host: the engine's storage in the files of a folder, instances that threads share,
//! gRPC, and a client of the API.
//!
//! The engine on a folder, without a server:
//!
//! ```
//! use tabletop_engine::Instance;
//! use tabletop_model::{ColumnFamily, Mutation, ReadRows, RowMutation, SERVER_TIME, TableSpec};
//! use tabletop_server::{FileStorage, system_clock};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().join("data");
//! let now = system_clock();
//! let (mut instance, _) = Instance::open(FileStorage::open(&folder)?, now)?;
//! instance.create_table(now, "events", TableSpec { families: vec![ColumnFamily::new("stats")], ..TableSpec::default() })?;
//! let clicks = Mutation::SetCell {
//!     family: "stats".into(),
//!     qualifier: "clicks".into(),
//!     timestamp: SERVER_TIME,
//!     value: "3".into(),
//! };
//! instance.table("events")?.mutate_row(now, &RowMutation { key: "user#1".into(), mutations: vec![clicks] })?;
//! drop(instance);
//!
//! let (mut instance, report) = Instance::open(FileStorage::open(&folder)?, now)?;
//! assert_eq!(report.damage, []);
//! let rows = instance.table("events")?.read(now, &ReadRows::default())?.rows;
//! assert_eq!(rows[0].cells[0].value, "3".into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
pub mod client;
mod data_folder;
mod files;
mod folders;
pub mod grpc;
mod host;
mod live;
mod lock;
pub mod process;
mod reserve;
mod serve;
mod stats;

pub use access::{Access, Token};
pub use client::Client;
pub use data_folder::DataFolder;
pub use files::{FileStorage, OpenError};
pub use host::{
    AnyStorage, Clock, DEFAULT_GC_DELAY, Host, InstanceName, Overlay, Served, system_clock, table_settings,
};
pub use live::{Live, Page, PageFiles, PageToken, serve_page};
pub use serve::{DEFAULT_ADDRESS, DEFAULT_PAGE_ADDRESS, PageOptions, ServeOptions, TlsFiles, serve};
pub use stats::Stats;
