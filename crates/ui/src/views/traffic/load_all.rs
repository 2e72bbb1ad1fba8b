//! Loads the events that the view waits for.

use yew::{Callback, Html, Properties, function_component, html, use_effect_with};

/// Properties of [`LoadAll`].
#[derive(Properties, PartialEq)]
pub struct LoadAllProps {
    /// Whether some events have not arrived.
    pub is_waiting: bool,
    /// Loads them.
    pub on_load: Callback<()>,
}

/// Loads all events, because traffic starts where they end. Draws nothing.
#[function_component]
pub fn LoadAll(props: &LoadAllProps) -> Html {
    let on_load = props.on_load.clone();
    use_effect_with(props.is_waiting, move |is_waiting| {
        if *is_waiting {
            on_load.emit(());
        }
    });
    html! {}
}
