//! The result grid and its stats line.
