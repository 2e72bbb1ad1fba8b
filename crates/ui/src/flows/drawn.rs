//! What the page draws, as HTML that tests read.

use tl::queryselector::Selector;
use tl::{Node, NodeHandle, ParserOptions, VDom};
use tokio::runtime::Builder;
use tokio::task::LocalSet;
use yew::{Html, LocalServerRenderer, Properties, function_component};

/// The elements that are part of a line of text.
const INLINE: [&str; 7] = ["b", "code", "em", "i", "small", "span", "strong"];
/// The codes of letters in HTML, the one of the ampersand last.
const CODES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2F;", "/"), ("&amp;", "&")];

/// A drawing, as HTML.
pub struct Drawn(String);

/// Properties of [`Whole`].
#[derive(Properties, PartialEq)]
struct WholeProps {
    html: Html,
}

/// Draws what it is given.
#[function_component]
fn Whole(props: &WholeProps) -> Html {
    props.html.clone()
}

impl Drawn {
    /// Renders with all components, as Yew does on a server.
    pub fn new(html: Html) -> Drawn {
        let rendering = LocalServerRenderer::<Whole>::with_props(WholeProps { html }).hydratable(false);
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        Drawn(LocalSet::new().block_on(&runtime, rendering.render()))
    }

    /// Returns the text of the drawing, with single spaces.
    pub fn text(&self) -> String {
        let dom = self.dom();
        let mut text = String::new();
        dom.children().iter().for_each(|node| add_text(&dom, *node, &mut text));
        spaced(&text)
    }

    /// Returns whether the drawing has a text.
    pub fn says(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Returns the text of each element that a selector finds, in their order.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        self.each(selector, |dom, node| Some(text_of(dom, node)))
    }

    /// Returns the texts of the cells of each line that a selector finds.
    pub fn rows(&self, selector: &str) -> Vec<Vec<String>> {
        self.each(selector, |dom, line| {
            let cells = line.get(dom.parser())?.children()?;
            Some(cells.top().iter().map(|cell| text_of(dom, *cell)).collect())
        })
    }

    /// Returns an attribute of each element that a selector finds, if it has one.
    pub fn attributes(&self, selector: &str, name: &str) -> Vec<String> {
        self.each(selector, |dom, node| {
            let value = node.get(dom.parser())?.as_tag()?.attributes().get(name)?;
            Some(value.map(|value| decoded(&value.as_utf8_str())).unwrap_or_default())
        })
    }

    /// Reads each element that a selector finds: names, classes and attributes, with spaces between
    /// an element and one inside of it.
    fn each<T>(&self, selector: &str, read: impl Fn(&VDom<'_>, NodeHandle) -> Option<T>) -> Vec<T> {
        let dom = self.dom();
        let parts = selector.split(' ').map(|part| tl::parse_query_selector(part).expect("a selector"));
        let (parts, mut found) = (parts.collect::<Vec<_>>(), Vec::new());
        dom.children().iter().for_each(|node| find(&dom, *node, &parts, &mut found));
        found.into_iter().filter_map(|node| read(&dom, node)).collect()
    }

    fn dom(&self) -> VDom<'_> {
        tl::parse(&self.0, ParserOptions::default()).expect("HTML that is not too long")
    }
}

fn find(dom: &VDom<'_>, handle: NodeHandle, parts: &[Selector<'_>], found: &mut Vec<NodeHandle>) {
    let (Some(node), [first, rest @ ..]) = (handle.get(dom.parser()), parts) else { return };
    let matches = first.matches(node);
    if matches && rest.is_empty() {
        found.push(handle);
    }
    let parts = if matches && !rest.is_empty() { rest } else { parts };
    let children = node.children();
    children.iter().flat_map(|of| of.top().iter()).for_each(|child| find(dom, *child, parts, found));
}

fn text_of(dom: &VDom<'_>, node: NodeHandle) -> String {
    let mut text = String::new();
    add_text(dom, node, &mut text);
    spaced(&text)
}

fn add_text(dom: &VDom<'_>, node: NodeHandle, text: &mut String) {
    match node.get(dom.parser()) {
        Some(Node::Raw(raw)) => text.push_str(&decoded(&raw.as_utf8_str())),
        Some(Node::Tag(tag)) => {
            let space = if INLINE.contains(&&*tag.name().as_utf8_str()) { "" } else { " " };
            text.push_str(space);
            tag.children().top().iter().for_each(|child| add_text(dom, *child, text));
            text.push_str(space);
        }
        _ => {}
    }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn decoded(text: &str) -> String {
    CODES.iter().fold(text.to_owned(), |text, (code, letter)| text.replace(code, letter))
}
