//! Numbers with their names above them.

use yew::{Html, html};

/// Draws the content of a `dl` of the class `stats`.
pub fn figures(list: &[(&'static str, String)]) -> Html {
    list.iter()
        .map(|(name, value)| html! { <div><dt>{*name}</dt><dd class="num">{value.clone()}</dd></div> })
        .collect()
}
