//! Tests of the server through sockets.

mod admin_plane;
mod data_plane;
mod limits;
mod production;
mod support;
