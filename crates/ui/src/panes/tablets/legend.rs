//! The legend of the strip's colours.

use tabletop_texts::messages;
use yew::{Html, html};

/// Draws one swatch for each level of [`tabletop_advice::Verdict::level`] that `is_shown` accepts. An
/// even share is computed over the tablets that can take writes at the same time: one per salt of a
/// growing key.
pub fn legend(is_shown: impl Fn(usize) -> bool) -> Html {
    html! {
        <ul class="legend soft small" aria-label={messages().tablets.legend}>
            { for messages().tablets.levels.iter().enumerate().filter(|(level, _)| is_shown(*level)).map(|(level, name)| html! {
                <li>
                    <svg width="12" height="12" aria-hidden="true">
                        <rect class={format!("load-{level}")} x="0.5" y="0.5" width="11" height="11" rx="2" />
                    </svg>
                    {*name}
                </li>
            }) }
        </ul>
    }
}
