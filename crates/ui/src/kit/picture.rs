//! Pictures on the page.

use tabletop_views::scene::{Element, PAGE, Scene, Shape};
use yew::Html;
use yew::virtual_dom::{VTag, VText};

/// Draws a picture. Its title is its name for screen readers.
pub fn picture(scene: &Scene) -> Html {
    node(scene.on_page())
}

/// Draws one shape of a picture, inside of an `svg`.
pub fn shape(shape: &Shape) -> Html {
    node(shape.element(&PAGE))
}

fn node(element: Element) -> Html {
    let mut tag = VTag::new(element.tag);
    for (name, value) in element.attributes {
        tag.add_attribute(name, value);
    }
    if !element.text.is_empty() {
        tag.add_child(VText::new(element.text).into());
    }
    tag.add_children(element.children.into_iter().map(node));
    tag.into()
}
