//! A design for other programs: commands that create its table, and code that makes its row keys
//! and reads it.
//!
//! This crate only produces text: the page offers it as downloads, the command line writes files.
#![no_std]
extern crate alloc;

mod cbt;
mod code;
mod gc;
mod gcloud;
mod hbase;
mod input;
mod quote;
mod splits;
mod terraform;
#[cfg(test)]
mod tests;

use alloc::string::String;

pub use code::Lang;
pub use input::{ExportInput, ExportTable};

/// A file that can be written for a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Export {
    /// A script of Google's `cbt`.
    Cbt,
    /// A script of `gcloud`.
    Gcloud,
    /// A configuration of Terraform.
    Terraform,
    /// Commands for the HBase shell.
    HBase,
    /// A function that makes the row key of an event. It needs only the language itself.
    Key(Lang),
    /// A function for each query, for the official client of the language (of Rust, which has none,
    /// for `bigtable_rs`).
    Queries(Lang),
}

impl Export {
    /// All exports.
    pub const ALL: [Export; 14] = [
        Export::Cbt,
        Export::Gcloud,
        Export::Terraform,
        Export::HBase,
        Export::Key(Lang::Java),
        Export::Queries(Lang::Java),
        Export::Key(Lang::Go),
        Export::Queries(Lang::Go),
        Export::Key(Lang::Python),
        Export::Queries(Lang::Python),
        Export::Key(Lang::Node),
        Export::Queries(Lang::Node),
        Export::Key(Lang::Rust),
        Export::Queries(Lang::Rust),
    ];

    /// Returns the name for display.
    pub fn label(self) -> &'static str {
        match self {
            Export::Cbt => "cbt",
            Export::Gcloud => "gcloud",
            Export::Terraform => "Terraform",
            Export::HBase => "HBase shell",
            Export::Key(Lang::Java) => "Row key in Java",
            Export::Key(Lang::Go) => "Row key in Go",
            Export::Key(Lang::Python) => "Row key in Python",
            Export::Key(Lang::Node) => "Row key in Node.js",
            Export::Key(Lang::Rust) => "Row key in Rust",
            Export::Queries(Lang::Java) => "Queries in Java",
            Export::Queries(Lang::Go) => "Queries in Go",
            Export::Queries(Lang::Python) => "Queries in Python",
            Export::Queries(Lang::Node) => "Queries in Node.js",
            Export::Queries(Lang::Rust) => "Queries in Rust",
        }
    }

    /// Returns the name of its file.
    pub fn file_name(self) -> &'static str {
        match self {
            Export::Cbt => "table.cbt.sh",
            Export::Gcloud => "table.gcloud.sh",
            Export::Terraform => "table.tf",
            Export::HBase => "table.hbase",
            // Java requires the file to have the name of the class.
            Export::Key(Lang::Java) => "RowKey.java",
            Export::Key(Lang::Go) => "row_key.go",
            Export::Key(Lang::Python) => "row_key.py",
            Export::Key(Lang::Node) => "row_key.mjs",
            Export::Key(Lang::Rust) => "row_key.rs",
            Export::Queries(Lang::Java) => "Queries.java",
            Export::Queries(Lang::Go) => "queries.go",
            Export::Queries(Lang::Python) => "queries.py",
            Export::Queries(Lang::Node) => "queries.mjs",
            Export::Queries(Lang::Rust) => "queries.rs",
        }
    }

    /// Writes the text of the export.
    pub fn write(self, input: &ExportInput) -> String {
        match self {
            Export::Cbt => cbt::write(input),
            Export::Gcloud => gcloud::write(input),
            Export::Terraform => terraform::write(input),
            Export::HBase => hbase::write(input),
            Export::Key(lang) => code::key(lang, input),
            Export::Queries(lang) => code::queries(lang, input),
        }
    }
}
