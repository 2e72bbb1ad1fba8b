//! Tests of designs on real tables.

mod advice;
mod answers;
mod evaluator;
mod stability;
