//! A slider below a picture of marks.

use web_sys::HtmlInputElement;
use yew::{Callback, Html, InputEvent, KeyboardEvent, TargetCast, html};

/// A slider from 0 on, and the marks above it.
pub struct Scrubber {
    /// The classes of the marks with their paths, in a box of 1,000 by 12.
    pub marks: Vec<(&'static str, String)>,
    /// The last position.
    pub max: u32,
    /// The position.
    pub at: u32,
    /// The name for screen readers.
    pub label: &'static str,
    /// The position in words.
    pub text: String,
    /// The id of an element with more about it.
    pub described_by: Option<&'static str>,
    /// Goes to a position.
    pub on_go: Callback<u32>,
    /// Handles keys in place of the browser.
    pub on_key: Option<Callback<KeyboardEvent>>,
}

/// Draws a slider with marks.
pub fn scrubber(scrubber: Scrubber) -> Html {
    let Scrubber { marks, max, at, label, text, described_by, on_go, on_key } = scrubber;
    let oninput = on_go.reform(|event: InputEvent| {
        let slider: HtmlInputElement = event.target_unchecked_into();
        slider.value_as_number() as u32
    });
    html! {
        <div class="scrubber">
            <svg class="moments" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
                { for marks.into_iter().map(|(class, path)| html! { <path {class} d={path} /> }) }
            </svg>
            <input type="range" min="0" max={max.to_string()} step="1" value={at.to_string()} aria-label={label}
                aria-valuetext={text} aria-describedby={described_by} {oninput} onkeydown={on_key} />
        </div>
    }
}
