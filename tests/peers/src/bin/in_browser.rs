//! What `tabletop_peers` exports to the pages in `tests/peers/browser`, as a program for wasm. Elsewhere it does nothing.

use tabletop_peers as _;

fn main() {}
