//! Every sentence that a user reads, in one table for each language: labels, titles, names for
//! screen readers, status lines, errors that the page itself reports. The page, the report, the
//! Markdown and the command line render their judgements through it.
//!
//! ```text
//! messages().query.run                                  a text
//! (messages().results.rows_so_far)(stats.rows_returned)  a text with numbers: a function that knows plurals and separators
//! ```
//!
//! [`Messages`] has one table per view, in a file of its own below [`en`]. The macro `texts!`
//! declares each text once, with its arguments and its English: from that, it makes the struct of the
//! table and the constant `ENGLISH`. A field is a `&'static str`, or a function pointer where values
//! go into the text. Texts take the figures that [`numbers`] writes.
//!
//! What is not here: errors in what a user typed, which their reader writes with places in the
//! text, and the names and warnings of exports, which are code in English.
//!
//! [`messages`] returns the table of the current [`Locale`]. As long as there is one, it is a
//! constant, so the compiler puts each text where it is used, and a text that only later functions
//! name is fetched with them. Where a text is chosen by an index, all texts of its view are fetched
//! with the function that does so: each view has a table of its own, which the table of all refers
//! to.
//!
//! # To add a language
//!
//! Write its folder, such as `zh`, with one constant per table in an `impl` of the struct
//! (`impl Query { pub const CHINESE: Self = Query { run: …, … }; }`), and a [`Locale`]. If a text is
//! missing, the compiler names it. Then remove the `cfg` of `CURRENT`, `locale` and `set_locale`
//! (`locale.rs`). The list of all actions offers the language, and the page switches to it without a
//! request to the worker.
//!
//! The feature `pseudo-locale` adds a language that the macro makes: English with other letters. The
//! page of an end-to-end test has it (`tests/tests/e2e/language.rs`), which finds texts that are not
//! in the tables.
#![no_std]
extern crate alloc;

#[cfg(feature = "pseudo-locale")]
#[macro_use]
mod pseudo;
#[macro_use]
mod table;
pub mod en;
mod locale;

// The tables of which other crates name a type.
pub use en::{
    Messages, advice, common, compare, example_texts, filter, heatmap, inside, numbers, query, results,
    tablets, traffic,
};
pub use locale::{Locale, locale, messages, set_locale};
