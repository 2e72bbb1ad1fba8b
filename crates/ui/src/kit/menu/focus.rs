//! The focus within a menu.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node, NodeList};

use crate::browser;

/// Moves the focus to an item.
pub fn focus_item(root: Option<&HtmlElement>, at: usize) {
    focus(items(root).and_then(|items| items.get(at as u32)));
}

/// Moves the focus back to the button.
pub fn focus_button(root: Option<&HtmlElement>) {
    focus(root.and_then(|root| root.query_selector("button").ok().flatten()).map(Node::from));
}

/// Returns the item that has the focus.
pub fn focused_item(root: Option<&HtmlElement>) -> Option<usize> {
    let active = browser::document().active_element()?;
    let items = items(root)?;
    (0..items.length())
        .find(|&at| items.get(at).is_some_and(|item| item.is_same_node(Some(&active))))
        .map(|at| at as usize)
}

fn items(root: Option<&HtmlElement>) -> Option<NodeList> {
    root?.query_selector_all("[role=menuitem]").ok()
}

fn focus(node: Option<Node>) {
    if let Some(element) = node.and_then(|node| node.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is no longer shown.
        let _ = element.focus();
    }
}
