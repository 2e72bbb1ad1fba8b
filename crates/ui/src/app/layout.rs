//! Where each pane stands: a column and two rows with lines between them that can be moved, or one pane at a time.

use web_sys::HtmlElement;
use yew::{Callback, Children, Html, Properties, function_component, html, use_effect_with, use_node_ref, use_state};

use crate::browser;
use crate::chrome::{PANEL_ID, Pane, Tabs};
use crate::widgets::{Direction, Separator};

/// Least, usual and greatest width of the column, px.
const SIDE: (f64, f64, f64) = (280.0, 380.0, 640.0);
/// Least, usual and greatest height of the upper row, px.
const UPPER: (f64, f64, f64) = (160.0, 420.0, 900.0);

/// Properties of [`Wide`].
#[derive(Properties, PartialEq)]
pub struct WideProps {
    /// The column on the left.
    pub side: Html,
    /// Above, on the right.
    pub upper: Html,
    /// Below it.
    pub lower: Html,
}

/// All panes at once.
#[function_component]
pub fn Wide(props: &WideProps) -> Html {
    let root = use_node_ref();
    let side = use_state(|| kept("side", SIDE));
    let upper = use_state(|| kept("upper", UPPER));
    use_effect_with((*side, *upper), {
        let root = root.clone();
        move |(side, upper)| {
            if let Some(root) = root.cast::<HtmlElement>() {
                // The policy of the page forbids style attributes, not this; and both are valid lengths.
                let _ = root.style().set_property("--side", &format!("{side}px"));
                let _ = root.style().set_property("--upper", &format!("{upper}px"));
            }
        }
    });
    let on_side = keep("side", side.clone());
    let on_upper = keep("upper", upper.clone());
    html! {
        <main class="workbench" ref={root}>
            <div class="side">{props.side.clone()}</div>
            <Separator label="Width of the left column" direction={Direction::Vertical} value={*side} min={SIDE.0} max={SIDE.2} on_change={on_side} />
            <div class="centre">
                <div class="upper">{props.upper.clone()}</div>
                <Separator label="Height of the tablets" direction={Direction::Horizontal} value={*upper} min={UPPER.0} max={UPPER.2} on_change={on_upper} />
                {props.lower.clone()}
            </div>
        </main>
    }
}

fn kept(name: &str, (min, usual, max): (f64, f64, f64)) -> f64 {
    let kept = browser::stored(name).and_then(|text| text.parse().ok()).filter(|size: &f64| size.is_finite());
    kept.unwrap_or(usual).clamp(min, max)
}

fn keep(name: &'static str, size: yew::UseStateHandle<f64>) -> Callback<f64> {
    Callback::from(move |value: f64| {
        browser::store(name, &value.to_string());
        size.set(value);
    })
}

/// Properties of [`Narrow`].
#[derive(Properties, PartialEq)]
pub struct NarrowProps {
    /// The one that shows.
    pub pane: Pane,
    /// Another.
    pub on_pane: Callback<Pane>,
    /// Its content.
    pub children: Children,
}

/// One pane at a time.
#[function_component]
pub fn Narrow(props: &NarrowProps) -> Html {
    html! {
        <main class="single">
            <Tabs pane={props.pane} on_select={props.on_pane.clone()} />
            <div class="single-scroll">
                <div id={PANEL_ID} class="single-pane" role="tabpanel" aria-labelledby={props.pane.tab_id()}>
                    { for props.children.iter() }
                </div>
            </div>
        </main>
    }
}
