//! Replication as stories, and as a deterministic simulation with checkers.

mod checkers;
mod failures;
mod reads;
mod reference;
mod simulation;
mod stage;
mod writes;
