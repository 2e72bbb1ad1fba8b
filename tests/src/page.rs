//! The page under test: actions of a user, and what the page shows. Errors are messages for the
//! developer who reads the log of a test.

use crate::browser::{Browser, Element, Result};
use serde_json::{Value, json};

/// One page in one browser.
pub struct Page<'a> {
    /// The browser, for actions that only one test needs.
    pub browser: &'a Browser,
    url: String,
    axe: String,
}

/// A part of the page.
#[derive(Clone, Copy, Debug)]
pub enum Pane {
    /// The source of the events.
    Data,
    /// Row key and layout.
    Design,
    /// Tablets and keys.
    Tablets,
    /// The query.
    Query,
    /// The rows of the query.
    Results,
    /// The command line.
    Shell,
}

impl Pane {
    /// All panes in the order of the tabs.
    pub const ALL: [Pane; 6] =
        [Pane::Data, Pane::Design, Pane::Tablets, Pane::Query, Pane::Results, Pane::Shell];
}

/// Width and height of a desktop.
pub const WIDE: (u32, u32) = (1440, 900);
/// Width and height of a phone.
pub const PHONE: (u32, u32) = (390, 844);

impl<'a> Page<'a> {
    /// A page at `url`, not yet opened. `axe` is the source of axe-core.
    pub fn new(browser: &'a Browser, url: String, axe: String) -> Result<Self> {
        // Gives the tests access to the page's worker, so that they can end it as a browser might.
        let keep = "window.engines = [];
            window.Worker = class extends Worker { constructor(...all) { super(...all); engines.push(this); } };";
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": keep }))?;
        Ok(Page::in_prepared(browser, url, axe))
    }

    /// A page in a browser that [`Page::new`] has prepared.
    pub fn in_prepared(browser: &'a Browser, url: String, axe: String) -> Self {
        Page { browser, url, axe }
    }

    /// Returns the same page at another address, which is not opened yet.
    #[must_use]
    pub fn at(&self, url: String) -> Page<'a> {
        Page { browser: self.browser, url, axe: self.axe.clone() }
    }

    /// The address of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Opens the page as on a first visit, on a desktop, with reduced motion: events do not arrive
    /// by themselves. Lets all of them arrive, and unfolds the query.
    pub fn fresh(&self) -> Result<()> {
        self.forget(&[("prefers-reduced-motion", "reduce")])?;
        self.reopen()?;
        self.click("button", "Load all")?;
        self.open_pane(Pane::Query)?;
        self.until_all_arrived()
    }

    /// Opens the page as on a first visit, with events arriving at their pace.
    pub fn fresh_in_motion(&self) -> Result<()> {
        self.first_visit(WIDE)
    }

    /// Opens the page as on a first visit, in a window of this width and height.
    pub fn first_visit(&self, (width, height): (u32, u32)) -> Result<()> {
        self.forget(&[("prefers-reduced-motion", "no-preference")])?;
        self.browser.resize(width, height)?;
        self.reopen()
    }

    /// Waits until the table has every event.
    pub fn until_all_arrived(&self) -> Result<()> {
        let all = "return /\\b([\\d,]+) of \\1 events/.test(document.body.innerText)";
        self.until("all events are in the table", || Ok(self.browser.run(all, json!([]))? == json!(true)))
    }

    /// Deletes the data of earlier visits, and sets these media features.
    pub fn forget(&self, media: &[(&str, &str)]) -> Result<()> {
        // Leaves the page first, because an open page writes its state when it is left.
        self.browser.open("about:blank")?;
        let origin = self.url.split('/').take(3).collect::<Vec<_>>().join("/");
        self.browser
            .devtools("Storage.clearDataForOrigin", &json!({ "origin": origin, "storageTypes": "all" }))?;
        self.browser.media(media)?;
        self.browser.resize(WIDE.0, WIDE.1)?;
        self.browser.complaints().map(drop)
    }

    /// Opens the page again, with its stored data.
    pub fn reopen(&self) -> Result<()> {
        self.browser.open(&self.url)?;
        self.until("the engine answers and the page is seen", || {
            let ready =
                "return typeof tabletop === 'object' && (await tabletop.ready).length > 0 && !document.querySelector('#still')";
            Ok(self.browser.run(ready, json!([])).is_ok_and(|ready| ready == json!(true)))
        })
    }

    /// Checks that nothing was written to the console, and that nothing was requested from other
    /// hosts.
    pub fn check_quiet(&self) -> Result<()> {
        let complaints = self.browser.complaints()?;
        if !complaints.is_empty() {
            return Err(format!("the console has messages: {}", complaints.join("\n       ")));
        }
        let requests = self
            .browser
            .run("return performance.getEntriesByType('resource').map(entry => entry.name)", json!([]))?;
        let origin = self.url.split('/').take(3).collect::<Vec<_>>().join("/") + "/";
        let leaves = |name: &&Value| {
            !name.as_str().is_some_and(|name| name.starts_with(&origin) || name.starts_with("blob:"))
        };
        match requests.as_array().into_iter().flatten().find(leaves) {
            Some(name) => Err(format!("the page requested {name}")),
            None => Ok(()),
        }
    }

    /// Clicks the only element with this role and name.
    pub fn click(&self, role: &str, name: &str) -> Result<()> {
        let click = || self.browser.by_role(role, name)?.click();
        // The page may have drawn the element again since it was found.
        let done =
            click().or_else(|error| if error.contains("stale element") { click() } else { Err(error) });
        done.map_err(|error| format!("{role} \"{name}\": {error}"))
    }

    /// Replaces the value of a field.
    pub fn fill(&self, name: &str, text: &str) -> Result<()> {
        self.field(name)?.fill(text).map_err(|error| format!("field \"{name}\": {error}"))
    }

    /// Returns the only text field with this name, with or without suggestions.
    pub fn field(&self, name: &str) -> Result<Element<'a>> {
        let mut found = None;
        self.until(&format!("there is a field \"{name}\""), || {
            for role in ["textbox", "combobox", "spinbutton"] {
                found = found.take().or(self.browser.all_by_role(role, name)?.pop());
            }
            Ok(found.is_some())
        })?;
        found.ok_or_else(|| format!("there is no field \"{name}\""))
    }

    /// Returns the only element with this role and name.
    pub fn find(&self, role: &str, name: &str) -> Result<Element<'a>> {
        self.browser.by_role(role, name)
    }

    /// Returns the text of the only element with this role and name.
    pub fn text(&self, role: &str, name: &str) -> Result<String> {
        self.find(role, name)?.text()
    }

    /// Waits until a field has this value.
    pub fn until_value(&self, name: &str, value: &str) -> Result<()> {
        self.until(&format!("{name} is {value}"), || Ok(self.field(name)?.value()? == value))
    }

    /// Shows a pane: expands it, or selects its tab on a narrow page.
    pub fn open_pane(&self, pane: Pane) -> Result<()> {
        let (tab, heading) = match pane {
            Pane::Data => ("Data", "Data"),
            Pane::Design => ("Row key", "Row key & layout"),
            Pane::Tablets => ("Tablets", "Tablets"),
            Pane::Query => ("Query", "Query"),
            Pane::Results => ("Results", "Results"),
            Pane::Shell => ("Shell", "Shell"),
        };
        if let Some(tab) = self.browser.all_by_role("tab", tab)?.first() {
            return tab.click();
        }
        match self.browser.all_by_role("button", heading)?.first() {
            Some(fold) if fold.attribute("aria-expanded")? == "false" => fold.click(),
            _ => Ok(()),
        }
    }

    /// Waits for the only element with this role whose name contains `part`.
    pub fn find_named(&self, role: &str, part: &str) -> Result<Element<'a>> {
        self.first_named(role, part).map(|found| found.0)
    }

    /// Returns the full accessible name of the only element with this role whose name contains
    /// `part`.
    ///
    /// # Errors
    /// If no such element appears in time.
    pub fn name_with(&self, role: &str, part: &str) -> Result<String> {
        self.first_named(role, part).map(|found| found.1)
    }

    fn first_named(&self, role: &str, part: &str) -> Result<(Element<'a>, String)> {
        let mut found = None;
        self.until(&format!("there is a {role} named \"…{part}…\""), || {
            found = self.browser.first_named(role, part)?;
            Ok(found.is_some())
        })?;
        found.ok_or_else(|| format!("no {role} is named \"…{part}…\""))
    }

    /// Runs the query and waits until it has ended, with or without an error. The page runs cheap
    /// queries by itself, so the figures may change again afterwards: wait for the expected ones.
    pub fn ask(&self) -> Result<()> {
        self.open_pane(Pane::Query)?;
        self.browser.run("arguments[0].focus()", json!([self.field("Limit")?.as_argument()]))?;
        self.browser.press(&["Control+Enter"])?;
        let ended = "return document.querySelector('.query-cancel') === null;";
        self.until("the read ends", || Ok(self.browser.run(ended, json!([]))? == json!(true)))
    }

    /// Waits until one of the figures above the rows has this value.
    pub fn until_figure(&self, name: &str, expected: u64) -> Result<()> {
        self.until(&format!("{name} is {expected}"), || {
            same("it", self.figure(name)?, expected).map(|()| true)
        })
    }

    /// Waits until the first row of the result has this key.
    pub fn until_first_key(&self, expected: &str) -> Result<()> {
        self.until(&format!("the first row is {expected}"), || {
            same("it", self.first_key()?.as_str(), expected).map(|()| true)
        })
    }

    /// One of the figures above the rows, such as "Rows returned".
    pub fn figure(&self, name: &str) -> Result<u64> {
        let read = "const list = document.querySelector('[aria-label=\"What the read cost\"]');
            const term = [...(list?.querySelectorAll('dt') ?? [])].find(term => term.textContent === arguments[0]);
            return term?.nextElementSibling.textContent ?? 'not there';";
        let text = self.browser.run(read, json!([name]))?;
        let text = text.as_str().unwrap_or_default();
        text.replace(',', "").parse().map_err(|_| format!("{name} is {text:?}, no number"))
    }

    /// The key of the first row of the result.
    pub fn first_key(&self) -> Result<String> {
        let key = self
            .browser
            .all_by_role("rowheader", "")?
            .first()
            .ok_or("there is no row")?
            .property("textContent")?;
        Ok(key.as_str().unwrap_or_default().into())
    }

    /// Waits until a condition holds.
    pub fn until(&self, what: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
        let mut last = String::new();
        let held = self.browser.soon(|| match holds() {
            Ok(holds) => holds.then_some(()),
            Err(error) => {
                last = format!(": {error}");
                None
            }
        });
        held.ok_or_else(|| format!("timed out before {what}{last}"))
    }

    /// Waits until the text of the page contains `text`.
    pub fn until_text(&self, text: &str) -> Result<()> {
        self.until(&format!("the page shows {text:?}"), || Ok(self.visible_text()?.contains(text)))
    }

    /// The visible text of the page.
    pub fn visible_text(&self) -> Result<String> {
        let text = self.browser.run("return document.body.innerText", json!([]))?;
        Ok(text.as_str().unwrap_or_default().into())
    }

    /// The value of an expression of `window.tabletop`. Big integers become text that ends in `n`,
    /// byte arrays become lists.
    pub fn api(&self, expression: &str) -> Result<Value> {
        let body = "const plain = (_, value) => typeof value === 'bigint' ? value + 'n' : value instanceof Uint8Array ? [...value] : value;
            return JSON.parse(JSON.stringify(await EXPRESSION, plain) ?? 'null');"
            .replace("EXPRESSION", &format!("(async () => ({expression}))()"));
        self.browser.run(&body, json!([]))
    }

    /// Ends the page's worker, and sends the page the event that a browser sends when a worker
    /// dies.
    pub fn stop_the_engine(&self) -> Result<()> {
        let end = "engines.at(-1).terminate();
            const details = { message: 'out of memory', filename: 'tabletop-worker.js', lineno: 1 };
            engines.at(-1).dispatchEvent(new ErrorEvent('error', details));";
        self.browser.run(end, json!([])).map(drop)
    }

    /// Fails with the violations that axe-core finds on the page in its current state.
    pub fn check_accessible(&self, view: &str) -> Result<()> {
        self.check_rules(view, json!({ "resultTypes": ["violations"] }))
    }

    /// Fails like [`Page::check_accessible`] in the light theme, and also checks the contrast of
    /// colours in the dark theme. Other rules do not depend on colours.
    pub fn check_accessible_in_both_themes(&self, view: &str) -> Result<()> {
        self.check_accessible(view)?;
        self.browser.media(&[("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce")])?;
        let contrast = json!({ "resultTypes": ["violations"], "runOnly": ["color-contrast"] });
        self.check_rules(&format!("{view}, dark"), contrast)?;
        self.browser.media(&[("prefers-color-scheme", "light"), ("prefers-reduced-motion", "reduce")])
    }

    fn check_rules(&self, view: &str, options: Value) -> Result<()> {
        // The source of axe-core is long, so each page gets it only once.
        if self.browser.run("return typeof axe", json!([]))? != json!("object") {
            self.browser.run(&self.axe, json!([]))?;
        }
        let body = "const found = await axe.run(document, arguments[0]);
             return found.violations.map(violation =>
                 violation.id + ': ' + violation.nodes.map(node => node.target + ' ' + (node.any[0]?.message ?? '')).join(', '));";
        let violations = self.browser.run(body, json!([options]))?;
        match violations.as_array().map(Vec::as_slice) {
            Some([]) => Ok(()),
            _ => Err(format!("{view}: {violations:#}")),
        }
    }
}

/// Fails if two values differ.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, actual: T, expected: T) -> Result<()> {
    if actual == expected { Ok(()) } else { Err(format!("{what}: {actual:?}, not {expected:?}")) }
}
