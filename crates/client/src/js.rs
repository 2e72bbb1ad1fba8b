//! The JavaScript API: `window.tabletop`.
use crate::Client;

/// Offers `client` to scripts as `window.tabletop`.
pub fn install(client: &Client) {
    client.changed();
}
