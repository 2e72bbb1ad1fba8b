//! The line between two panes, which can be dragged or moved by keys.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{
    AttrValue, Callback, Html, KeyboardEvent, MouseEvent, PointerEvent, Properties, classes,
    function_component, html, use_mut_ref,
};

/// The direction of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Vertical, between left and right.
    Vertical,
    /// Horizontal, between above and below.
    Horizontal,
}

/// Properties of [`Separator`].
#[derive(Properties, PartialEq)]
pub struct SeparatorProps {
    /// The accessible name: what it resizes.
    pub label: AttrValue,
    /// The direction of the line.
    pub direction: Direction,
    /// The size of the pane before it, px.
    pub value: f64,
    /// Whether the separator resizes the pane after it instead.
    #[prop_or_default]
    pub from_end: bool,
    /// The minimum, px.
    pub min: f64,
    /// The maximum, px.
    pub max: f64,
    /// The default size, px, which a double click restores.
    pub usual: f64,
    /// The size has changed, px.
    pub on_change: Callback<f64>,
    /// Restores the default size, if that is not a number of px.
    #[prop_or_default]
    pub on_usual: Option<Callback<()>>,
}

/// Draws a focusable separator. Arrow keys move it by 16 px, Home and End to its bounds; a double
/// click restores the default size.
#[function_component]
pub fn Separator(props: &SeparatorProps) -> Html {
    // The position where the pointer went down, and the size at that time.
    let grip = use_mut_ref(|| None::<(f64, f64)>);
    // The size after the last change: keys can come faster than drawings.
    let size = use_mut_ref(|| props.value);
    *size.borrow_mut() = props.value;
    let direction = props.direction;
    let sign = if props.from_end { -1.0 } else { 1.0 };
    let along = move |event: &PointerEvent| match direction {
        Direction::Vertical => f64::from(event.client_x()),
        Direction::Horizontal => f64::from(event.client_y()),
    };
    let change = {
        let (min, max, on_change, size) = (props.min, props.max, props.on_change.clone(), size.clone());
        move |value: f64| {
            let value = value.clamp(min, max);
            *size.borrow_mut() = value;
            on_change.emit(value);
        }
    };
    let on_down = {
        let (grip, size) = (grip.clone(), size.clone());
        Callback::from(move |event: PointerEvent| {
            *grip.borrow_mut() = Some((along(&event), *size.borrow()));
            if let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) {
                // Without the capture, the drag works while the pointer is on the line.
                let _ = element.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let on_move = {
        let (grip, change) = (grip.clone(), change.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((from, size)) = *grip.borrow() {
                change(size + sign * (along(&event) - from));
            }
        })
    };
    let on_up = Callback::from(move |_: PointerEvent| *grip.borrow_mut() = None);
    let change_usual = change.clone();
    let on_key = {
        let (min, max) = (props.min, props.max);
        Callback::from(move |event: KeyboardEvent| {
            let value = *size.borrow();
            let to = match event.key().as_str() {
                "ArrowLeft" if direction == Direction::Vertical => value - sign * 16.0,
                "ArrowRight" if direction == Direction::Vertical => value + sign * 16.0,
                "ArrowUp" if direction == Direction::Horizontal => value - sign * 16.0,
                "ArrowDown" if direction == Direction::Horizontal => value + sign * 16.0,
                "Home" => min,
                "End" => max,
                _ => return,
            };
            event.prevent_default();
            change(to);
        })
    };
    let on_double = {
        let (change, usual, on_usual) = (change_usual, props.usual, props.on_usual.clone());
        Callback::from(move |_: MouseEvent| match &on_usual {
            Some(on_usual) => on_usual.emit(()),
            None => change(usual),
        })
    };
    let (class, orientation) = match direction {
        Direction::Vertical => ("vertical", "vertical"),
        Direction::Horizontal => ("horizontal", "horizontal"),
    };
    html! {
        <div
            class={classes!("separator", class)}
            role="separator"
            tabindex="0"
            aria-label={props.label.clone()}
            aria-orientation={orientation}
            aria-valuenow={props.value.round().to_string()}
            aria-valuemin={props.min.to_string()}
            aria-valuemax={props.max.to_string()}
            onpointerdown={on_down}
            onpointermove={on_move}
            onpointerup={on_up.clone()}
            onpointercancel={on_up}
            ondblclick={on_double}
            onkeydown={on_key}
        />
    }
}
