//! A button that opens a list of actions. The closed list exposes their texts to the list of all
//! actions (`data-items`).

mod focus;
mod place;

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};
use yew::{
    AttrValue, Callback, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, UseStateHandle, classes,
    function_component, html, use_effect_with, use_node_ref, use_state,
};

use super::{Icon, callback, icon};
use crate::browser;
use focus::{focus_button, focus_item, focused_item};
use place::place;

/// Properties of [`MenuButton`].
#[derive(Properties, PartialEq)]
pub struct MenuButtonProps {
    /// The text, or the accessible name.
    pub label: AttrValue,
    /// The icon before the text.
    #[prop_or_default]
    pub icon: Option<Icon>,
    /// The value and the text of each item.
    pub items: Vec<(AttrValue, AttrValue)>,
    /// Whether text and arrow are left out: the label is the accessible name and the tooltip.
    #[prop_or_default]
    pub icon_only: bool,
    /// Whether the list opens to the left, for a position near the right edge.
    #[prop_or_default]
    pub end: bool,
    /// The item with this value was chosen.
    pub on_select: Callback<AttrValue>,
    /// Whether the list cannot be opened.
    #[prop_or_default]
    pub disabled: bool,
}

/// Draws a menu button: arrow keys move, Enter chooses, Escape closes and moves the focus back.
#[function_component]
pub fn MenuButton(props: &MenuButtonProps) -> Html {
    let menu = Menu { open: use_state(|| false), root: use_node_ref() };
    use_effect_with(*menu.open, {
        let menu = menu.clone();
        move |&is_open| {
            let listener = is_open.then(|| menu.on_shown());
            move || drop(listener)
        }
    });
    let open = menu.open.clone();
    let toggle = callback(&open, move |open, _: MouseEvent| open.set(!**open));
    #[cfg(test)]
    for (value, text) in &props.items {
        let value = value.clone();
        crate::browser::used::note_button(text, &props.on_select.reform(move |()| value.clone()));
    }
    let texts: Vec<&str> = props.items.iter().map(|(_, text)| text.as_str()).collect();
    html! {
        <div class={classes!("menu", props.end.then_some("end"))} data-items={texts.join("\n")} ref={menu.root.clone()} onkeydown={menu.on_key(props.items.len())}>
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
                    { for props.items.iter().map(|(value, text)| menu.item(value, text, &props.on_select)) }
                </div>
            }
        </div>
    }
}

/// The state that the listeners of a menu button share.
#[derive(Clone)]
struct Menu {
    open: UseStateHandle<bool>,
    root: NodeRef,
}

impl Menu {
    fn element(&self) -> Option<HtmlElement> {
        self.root.cast()
    }

    /// Places the open list and moves the focus to its first item. A press anywhere else closes the
    /// list, until the listener is dropped.
    fn on_shown(&self) -> EventListener {
        let element = self.element();
        place(element.as_ref());
        focus_item(element.as_ref(), 0);
        let Menu { open, root } = self.clone();
        EventListener::new(&browser::document(), "pointerdown", move |event| {
            let pressed = event.target().and_then(|target| target.dyn_into::<Node>().ok());
            if !root.get().is_some_and(|root| root.contains(pressed.as_ref())) {
                open.set(false);
            }
        })
    }

    /// Returns a callback that moves among `count` items, and opens and closes the list.
    fn on_key(&self, count: usize) -> Callback<KeyboardEvent> {
        let menu = self.clone();
        Callback::from(move |event: KeyboardEvent| {
            let (key, element) = (event.key(), menu.element());
            let element = element.as_ref();
            let at = focused_item(element).unwrap_or(0);
            match (key.as_str(), *menu.open) {
                ("ArrowDown", false) => menu.open.set(true),
                (_, false) => return,
                ("ArrowDown", true) => focus_item(element, (at + 1) % count),
                ("ArrowUp", true) => focus_item(element, (at + count - 1) % count),
                ("Home", true) => focus_item(element, 0),
                ("End", true) => focus_item(element, count - 1),
                ("Escape", true) => {
                    focus_button(element);
                    menu.open.set(false);
                    event.stop_propagation();
                }
                ("Tab", true) => return menu.open.set(false),
                _ => return,
            }
            event.prevent_default();
        })
    }

    /// Draws an item. Choosing it closes the list.
    fn item(&self, value: &AttrValue, text: &AttrValue, on_select: &Callback<AttrValue>) -> Html {
        let onclick = {
            let (menu, value, on_select) = (self.clone(), value.clone(), on_select.clone());
            Callback::from(move |_: MouseEvent| {
                focus_button(menu.element().as_ref());
                menu.open.set(false);
                on_select.emit(value.clone());
            })
        };
        html! { <button key={value.to_string()} type="button" role="menuitem" tabindex="-1" {onclick}>{text.clone()}</button> }
    }
}
