//! The id of the example that a workspace is.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// The id of an example: the name of its file. It never changes and is not shown, so an example
/// keeps it under another title and in another language. A workspace may have an id that this build
/// does not know: then it is not an example here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExampleId(pub String);
