//! The query panel: which rows, what of them.
