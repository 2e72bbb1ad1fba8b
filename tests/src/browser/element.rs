//! An element of the page.

use serde_json::{Value, json};

use super::{Browser, Result};

/// The name of the field that holds an element's id, fixed by the standard.
const KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// An element of the page, by its id.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    browser: &'a Browser,
    id: String,
}

impl<'a> Element<'a> {
    pub(super) fn new(browser: &'a Browser, answer: &Value) -> Option<Element<'a>> {
        Some(Element { browser, id: answer[KEY].as_str()?.to_string() })
    }

    /// Another element of the same document by its DevTools number, which is the last part of the
    /// driver's ids.
    pub(super) fn sibling(&self, backend: u64) -> Element<'a> {
        let document = self.id.rsplit_once('.').map_or("", |(document, _)| document);
        Element { browser: self.browser, id: format!("{document}.{backend}") }
    }

    /// Waits for the only element inside it with this role and this accessible name.
    ///
    /// # Errors
    /// If there is none after some time, or if there are several.
    pub fn by_role(&self, role: &str, name: &str) -> Result<Element<'a>> {
        let inside = json!({ "backendNodeId": self.backend()? });
        let only = self.browser.soon(|| {
            let mut found = self.browser.query(inside.clone(), role, name).ok()?;
            if found.len() == 1 { found.pop() } else { None }
        });
        only.ok_or_else(|| format!("not one {role} \"{name}\" inside of this"))
    }

    /// Returns all elements with this role that are currently inside it.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn all_by_role(&self, role: &str) -> Result<Vec<Element<'a>>> {
        self.browser.query(json!({ "backendNodeId": self.backend()? }), role, "")
    }

    /// The DevTools number.
    fn backend(&self) -> Result<u64> {
        self.id
            .rsplit('.')
            .next()
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| "an id without a number".into())
    }

    /// Scrolls the element into view and clicks its middle. Fails if another element covers it.
    ///
    /// # Errors
    /// If it cannot be clicked.
    pub fn click(&self) -> Result<()> {
        // Scrolls by the page's own rules, because the driver does not notice that a sticky heading
        // covers the element.
        self.browser.run("arguments[0].scrollIntoView({ block: 'nearest' })", json!([self.as_argument()]))?;
        self.post("/click", &json!({})).map(drop)
    }

    /// Focuses the element and types at its end.
    ///
    /// # Errors
    /// If it does not accept text.
    pub fn write(&self, text: &str) -> Result<()> {
        self.post("/value", &json!({ "text": text })).map(drop)
    }

    /// Replaces the value of a field like a user who selects all and pastes: the page sees a single
    /// change.
    ///
    /// # Errors
    /// If it does not accept text.
    pub fn fill(&self, text: &str) -> Result<()> {
        let mark =
            "arguments[0].scrollIntoView({ block: 'nearest' }); arguments[0].focus(); arguments[0].select();";
        self.browser.run(mark, json!([self.as_argument()]))?;
        match text {
            "" => self.browser.press(&["Delete"]),
            text => self.browser.devtools("Input.insertText", &json!({ "text": text })).map(drop),
        }
    }

    /// Selects the option with this text in a select element.
    ///
    /// # Errors
    /// If there is none.
    pub fn choose(&self, option: &str) -> Result<()> {
        let pick = "const option = [...arguments[0].options].find(option => option.text === arguments[1]);
            if (!option) return [...arguments[0].options].map(option => option.text).join(', ');
            arguments[0].focus();
            arguments[0].value = option.value;
            arguments[0].dispatchEvent(new Event('input', { bubbles: true }));
            arguments[0].dispatchEvent(new Event('change', { bubbles: true }));";
        match self.browser.run(pick, json!([self.as_argument(), option]))?.as_str() {
            Some(others) => Err(format!("no choice {option}; there are: {others}")),
            None => Ok(()),
        }
    }

    /// Returns the value of a field.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn value(&self) -> Result<String> {
        self.property("value").map(string)
    }

    /// Returns its displayed text.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn text(&self) -> Result<String> {
        self.get("/text").map(string)
    }

    /// Returns its accessible name.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn name(&self) -> Result<String> {
        self.get("/computedlabel").map(string)
    }

    /// Returns its role.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn role(&self) -> Result<String> {
        self.get("/computedrole").map(string)
    }

    /// Returns a property, such as `value` or `checked`.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn property(&self, name: &str) -> Result<Value> {
        self.get(&format!("/property/{name}"))
    }

    /// Returns an attribute, such as `aria-pressed`; empty if the element does not have it.
    ///
    /// # Errors
    /// If the element no longer exists.
    pub fn attribute(&self, name: &str) -> Result<String> {
        self.get(&format!("/attribute/{name}")).map(string)
    }

    /// The element as an argument of [`Browser::run`].
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
