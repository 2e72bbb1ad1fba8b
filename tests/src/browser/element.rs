//! Something on the page.

use serde_json::{Value, json};

use super::{Browser, Result};

/// The name of the field that holds an element's id, fixed by the standard.
const KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// An element of the page as it was found.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    browser: &'a Browser,
    id: String,
}

impl<'a> Element<'a> {
    pub(super) fn new(browser: &'a Browser, answer: &Value) -> Option<Element<'a>> {
        Some(Element { browser, id: answer[KEY].as_str()?.to_string() })
    }

    /// Another element of the same document by its DevTools number, in which the driver's ids end.
    pub(super) fn sibling(&self, backend: u64) -> Element<'a> {
        let document = self.id.rsplit_once('.').map_or("", |(document, _)| document);
        Element { browser: self.browser, id: format!("{document}.{backend}") }
    }

    /// Scrolls it into view and clicks its middle; refuses when something else lies over it.
    ///
    /// # Errors
    /// When it cannot be clicked.
    pub fn click(&self) -> Result<()> {
        self.post("/click", &json!({})).map(drop)
    }

    /// Focuses it and types at its end.
    ///
    /// # Errors
    /// When it takes no text.
    pub fn write(&self, text: &str) -> Result<()> {
        self.post("/value", &json!({ "text": text })).map(drop)
    }

    /// Empties a field and types.
    ///
    /// # Errors
    /// When it takes no text.
    pub fn fill(&self, text: &str) -> Result<()> {
        self.post("/clear", &json!({}))?;
        self.write(text)
    }

    /// Its text as shown.
    ///
    /// # Errors
    /// When it is gone.
    pub fn text(&self) -> Result<String> {
        self.get("/text").map(string)
    }

    /// Its accessible name.
    ///
    /// # Errors
    /// When it is gone.
    pub fn name(&self) -> Result<String> {
        self.get("/computedlabel").map(string)
    }

    /// A property, such as `value` or `checked`.
    ///
    /// # Errors
    /// When it is gone.
    pub fn property(&self, name: &str) -> Result<Value> {
        self.get(&format!("/property/{name}"))
    }

    /// An attribute, such as `aria-pressed`; empty when it has none.
    ///
    /// # Errors
    /// When it is gone.
    pub fn attribute(&self, name: &str) -> Result<String> {
        self.get(&format!("/attribute/{name}")).map(string)
    }

    /// As an argument of [`Browser::run`].
    pub fn as_argument(&self) -> Value {
        json!({ KEY: self.id })
    }

    fn get(&self, path: &str) -> Result<Value> {
        self.browser.get(&format!("/element/{}{path}", self.id))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.browser.post(&format!("/element/{}{path}", self.id), body)
    }
}

fn string(value: Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}
