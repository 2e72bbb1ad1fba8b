//! What is shown while there is no connection, or no data.

use tabletop_model::Error;
use tabletop_protocol::LiveServer;
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, html};

use crate::browser;
use crate::kit::{ButtonKind, Icon, icon, push, tool};

/// The connection to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The view was not visible yet, so the page has not connected.
    New,
    /// The server has not answered yet.
    Connecting,
    /// The server answers.
    Open,
    /// The server rejects the token, for this reason. The page does not retry.
    Refused(Error),
    /// It does not answer, for this reason. The page retries after this many seconds.
    Broken {
        /// The reason.
        error: Error,
        /// Seconds until the page retries.
        retry_in: u32,
    },
}

impl Phase {
    /// Whether the last attempt to connect has failed, or the connection has ended.
    pub fn is_broken(&self) -> bool {
        matches!(self, Phase::Refused(_) | Phase::Broken { .. })
    }
}

/// The maximum number of seconds between two attempts.
const RETRY_SECONDS_MAX: u32 = 15;

/// Returns the seconds until the next attempt, after this many failures: 1, 2, 4, 8, and then
/// always the maximum.
pub fn back_off(attempts: u32) -> u32 {
    1u32.checked_shl(attempts).map_or(RETRY_SECONDS_MAX, |seconds| seconds.min(RETRY_SECONDS_MAX))
}

/// Draws the report of a broken connection. `has_seen` means that data of the server are shown.
pub fn broken(phase: &Phase, has_seen: bool, on_retry: Callback<()>) -> Html {
    let says = &messages().server;
    let (error, what, next, can_retry) = match phase {
        Phase::Broken { error, retry_in } => (error, says.broken, (says.retries)(*retry_in), true),
        Phase::Refused(error) => (error, says.wrong_token, says.wrong_token_advice.to_owned(), false),
        Phase::New | Phase::Connecting | Phase::Open => return html! {},
    };
    html! {
        <div class="server-broken alert">
            {icon(Icon::Error)}
            // The countdown is not announced every second.
            <p><strong role="alert">{what}</strong>{" "}if has_seen { {says.broken_keeps}{" "} }<span class="num">{next}</span></p>
            if can_retry { { push(says.retry, Some(Icon::Restart), ButtonKind::Plain, on_retry) } }
            <details class="small"><summary>{says.details}</summary>{&error.message}</details>
        </div>
    }
}

/// Draws what is shown before the server has answered for the first time.
pub fn connecting() -> Html {
    let says = &messages().server;
    html! {
        <div class="inside-empty">
            <p class="headline" role="status">{says.connecting}</p>
            <p>{says.connecting_about}</p>
        </div>
    }
}

/// Draws what is shown while the server has no tables.
pub fn empty(server: &LiveServer, on_said: &Callback<&'static str>) -> Html {
    let says = &messages().server;
    let is_socket = server.address.contains('/');
    let line = if is_socket { server.address.clone() } else { (says.export)(&server.address) };
    let on_copy = {
        let (line, on_said) = (line.clone(), on_said.clone());
        Callback::from(move |()| {
            let (line, on_said) = (line.clone(), on_said.clone());
            spawn_local(async move {
                let done = browser::copy(&line).await;
                on_said.emit(if done { messages().server.copied } else { messages().common.copy_forbidden });
            });
        })
    };
    html! {
        <div class="inside-empty server-empty">
            <p class="headline">{says.empty}</p>
            <p>{if is_socket { says.empty_socket } else { says.empty_about }}</p>
            <p class="server-line"><code class="mono">{line}</code>{ tool(says.copy, Icon::Copy, on_copy) }</p>
            <p class="soft" role="status">{says.waits}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_become_rarer() {
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(back_off), [1, 2, 4, 8, 15, 15, 15]);
    }
}
