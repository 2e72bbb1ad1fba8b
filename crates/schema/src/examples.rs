//! Examples: workspaces that each show one thing, from the articles and documents that Tabletop is based on.
//!
//! A workspace is a file that `tabletop run` reads, too. What its text says is measured by a test (`cli/tests/program/examples.rs`).

use alloc::vec::Vec;

use crate::texts::{ExampleText, texts};

/// A workspace to open, and what to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its title, which is the name of its workspace.
    pub title: &'static str,
    /// What to look at, in two sentences.
    pub about: &'static str,
    /// Its workspace as JSON.
    pub workspace: &'static str,
}

/// Returns all examples, in the order in which they are offered.
pub fn examples() -> Vec<Example> {
    let says = &texts().examples;
    let example = |text: &ExampleText, workspace| Example { title: text.title, about: text.about, workspace };
    alloc::vec![
        example(&says.algolia_narrow, include_str!("examples/algolia_narrow.json")),
        example(&says.algolia_wide, include_str!("examples/algolia_wide.json")),
        example(&says.twitter, include_str!("examples/twitter.json")),
        example(&says.zorder, include_str!("examples/zorder.json")),
        example(&says.salt_whole_key, include_str!("examples/salt_whole_key.json")),
        example(&says.salt_part, include_str!("examples/salt_part.json")),
        example(&says.java_salt, include_str!("examples/java_salt.json")),
        example(&says.time_buckets, include_str!("examples/time_buckets.json")),
        example(&says.row_per_user, include_str!("examples/row_per_user.json")),
        example(&says.newest_first, include_str!("examples/newest_first.json")),
        example(&says.iot, include_str!("examples/iot.json")),
    ]
}

/// Returns the example whose workspace has this name.
pub fn example(name: &str) -> Option<Example> {
    examples().into_iter().find(|example| example.title == name)
}
