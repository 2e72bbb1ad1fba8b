//! A button that opens a list of things to do.

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};
use yew::{
    AttrValue, Callback, Html, KeyboardEvent, MouseEvent, Properties, classes, function_component, html, use_effect_with,
    use_node_ref, use_state,
};

use super::{Icon, icon};

/// Properties of [`MenuButton`].
#[derive(Properties, PartialEq)]
pub struct MenuButtonProps {
    /// Its name and text.
    pub label: AttrValue,
    /// Before the text.
    #[prop_or_default]
    pub icon: Option<Icon>,
    /// Value and text of each item.
    pub items: Vec<(AttrValue, AttrValue)>,
    /// Shows no text and no arrow; the label is its name and its tooltip.
    #[prop_or_default]
    pub icon_only: bool,
    /// Opens towards the left, for a place near the right edge.
    #[prop_or_default]
    pub end: bool,
    /// One was taken.
    pub on_select: Callback<AttrValue>,
    /// Cannot be opened now.
    #[prop_or_default]
    pub disabled: bool,
}

/// A menu button: arrow keys move, Enter takes, Escape closes and gives the focus back.
#[function_component]
pub fn MenuButton(props: &MenuButtonProps) -> Html {
    let open = use_state(|| false);
    let root = use_node_ref();

    // While it is open, a press anywhere else closes it; and the first item has the focus.
    use_effect_with(*open, {
        let (open, root) = (open.clone(), root.clone());
        move |&is_open| {
            let listener = is_open.then(|| {
                place(&root.cast());
                focus_item(&root.cast(), Some(0));
                let document = web_sys::window().and_then(|window| window.document()).expect("a page has a document");
                EventListener::new(&document, "pointerdown", move |event| {
                    let inside = event.target().and_then(|target| target.dyn_into::<Node>().ok());
                    if !root.get().is_some_and(|root| root.contains(inside.as_ref())) {
                        open.set(false);
                    }
                })
            });
            move || drop(listener)
        }
    });

    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let on_key = {
        let (open, root, count) = (open.clone(), root.clone(), props.items.len());
        Callback::from(move |event: KeyboardEvent| {
            let key = event.key();
            if !*open {
                if key == "ArrowDown" {
                    event.prevent_default();
                    open.set(true);
                }
                return;
            }
            let element: Option<HtmlElement> = root.cast();
            let at = focused_item(&element).unwrap_or(0);
            match key.as_str() {
                "ArrowDown" => focus_item(&element, Some((at + 1) % count)),
                "ArrowUp" => focus_item(&element, Some((at + count - 1) % count)),
                "Home" => focus_item(&element, Some(0)),
                "End" => focus_item(&element, Some(count - 1)),
                "Escape" => {
                    focus_item(&element, None);
                    open.set(false);
                    event.stop_propagation();
                }
                "Tab" => {
                    open.set(false);
                    return;
                }
                _ => return,
            }
            event.prevent_default();
        })
    };
    html! {
        <div class={classes!("menu", props.end.then_some("end"))} ref={root.clone()} onkeydown={on_key}>
            <button
                type="button"
                class={classes!("button", open.then_some("open"), props.icon_only.then_some("icon-only quiet"))}
                aria-label={props.icon_only.then(|| props.label.clone())}
                title={props.icon_only.then(|| props.label.clone())}
                aria-haspopup="menu"
                aria-expanded={open.to_string()}
                disabled={props.disabled || props.items.is_empty()}
                onclick={toggle}
            >
                { for props.icon.map(icon) }
                if !props.icon_only {
                    {props.label.clone()}
                    {icon(Icon::Down)}
                }
            </button>
            if *open {
                <div class="menu-items" role="menu" aria-label={props.label.clone()}>
                    { for props.items.iter().map(|(value, text)| {
                        let onclick = {
                            let (open, root, value, on_select) = (open.clone(), root.clone(), value.clone(), props.on_select.clone());
                            Callback::from(move |_: MouseEvent| {
                                focus_item(&root.cast(), None);
                                open.set(false);
                                on_select.emit(value.clone());
                            })
                        };
                        html! {
                            <button key={value.to_string()} type="button" role="menuitem" tabindex="-1" {onclick}>{text.clone()}</button>
                        }
                    }) }
                </div>
            }
        </div>
    }
}

/// Puts the list where there is room: below the button or above it, within what is seen of the pane.
fn place(root: &Option<HtmlElement>) -> Option<()> {
    const GAP: f64 = 4.0;
    let root = root.as_ref()?;
    let list: HtmlElement = root.query_selector("[role=menu]").ok()??.unchecked_into();
    let window = web_sys::window()?;
    let (mut left, mut top) = (0.0, 0.0);
    let (mut right, mut bottom) = (window.inner_width().ok()?.as_f64()?, window.inner_height().ok()?.as_f64()?);
    if let Some(pane) = root.closest(".side, .single-scroll").ok()? {
        let seen = pane.get_bounding_client_rect();
        // The heading of a pane stays at the top.
        let heading = root.closest(".side .pane").ok()?.and_then(|pane| pane.first_element_child());
        (left, top) = (seen.left(), seen.top() + heading.map_or(0.0, |heading| f64::from(heading.client_height())));
        (right, bottom) = (left + f64::from(pane.client_width()), seen.bottom());
    }
    let (button, size) = (root.get_bounding_client_rect(), list.get_bounding_client_rect());
    let (below, above) = (bottom - button.bottom() - 2.0 * GAP, button.top() - top - 2.0 * GAP);
    let up = size.height() > below && above > below;
    let x = size.left().min(right - GAP - size.width()).max(left + GAP) - button.left();
    let style = list.style();
    let set = |name: &str, value: &str| style.set_property(name, value).ok();
    set("left", &format!("{x}px"))?;
    set("right", "auto")?;
    set("max-height", &format!("{}px", size.height().min(if up { above } else { below }).max(0.0)))?;
    if up {
        set("top", "auto")?;
        set("bottom", "calc(100% + 4px)")?;
    }
    Some(())
}

/// The items, as the root holds them.
fn items(root: &Option<HtmlElement>) -> Option<web_sys::NodeList> {
    root.as_ref()?.query_selector_all("[role=menuitem]").ok()
}

/// Gives the focus to an item, or back to the button.
fn focus_item(root: &Option<HtmlElement>, at: Option<usize>) {
    let target = match at {
        Some(at) => items(root).and_then(|items| items.get(at as u32)),
        None => root.as_ref().and_then(|root| root.query_selector("button").ok().flatten()).map(Node::from),
    };
    if let Some(element) = target.and_then(|node| node.dyn_into::<HtmlElement>().ok()) {
        // An element that is shown takes the focus; one that has just gone need not.
        let _ = element.focus();
    }
}

/// Which item has the focus.
fn focused_item(root: &Option<HtmlElement>) -> Option<usize> {
    let active = web_sys::window()?.document()?.active_element()?;
    let items = items(root)?;
    (0..items.length()).find(|&at| items.get(at).is_some_and(|item| item.is_same_node(Some(&active)))).map(|at| at as usize)
}
