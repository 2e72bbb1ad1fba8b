//! The page: what a person sees and changes. It talks to the engine through the client only.

mod query;
mod results;
mod widgets;

use yew::{Html, function_component, html};

#[function_component]
fn App() -> Html {
    html! { <main /> }
}

fn main() {
    yew::Renderer::<App>::new().render();
}
