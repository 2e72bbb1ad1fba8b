//! Tests of the server through sockets.

mod admin_plane;
mod collection;
mod data_plane;
mod limits;
mod page;
mod production;
mod reads;
mod support;
