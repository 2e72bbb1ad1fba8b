//! Synchronizes the engine link with the choice of a tablet, wherever on the page it was made.

use tabletop_model::TabletId;
use yew::{Callback, Html, Properties, function_component, html, use_effect_with};

/// Properties of [`Follow`].
#[derive(Properties, PartialEq)]
pub struct FollowProps {
    /// The chosen tablet.
    pub tablet: Option<TabletId>,
    /// Chooses it, or none.
    pub on_choose: Callback<Option<TabletId>>,
}

/// Draws nothing.
#[function_component]
pub fn Follow(props: &FollowProps) -> Html {
    let on_choose = props.on_choose.clone();
    use_effect_with(props.tablet, move |tablet| on_choose.emit(*tablet));
    html! {}
}
