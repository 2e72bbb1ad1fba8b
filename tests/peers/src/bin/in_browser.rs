//! A wasm program with the exports of `tabletop_peers` for the pages in `tests/peers/browser`.
//! Natively, it does nothing.

use tabletop_peers as _;

fn main() {}
