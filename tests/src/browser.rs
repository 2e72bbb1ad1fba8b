//! Remote control of Chromium through its driver, by the WebDriver standard. Calls wait for their
//! answer, so that a test reads from top to bottom. Searches wait until the element exists.

mod element;
mod wire;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
pub use element::Element;
use minreq::Method;
use serde_json::{Value, json};

use wire::Driver;

/// Time to wait for an expected state. It is long, because a loaded machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// Part of the driver's message when it has lost the result of a script, which happens rarely.
/// Scripts of tests may run twice because of this.
const LOST_RESULT: &str = "call function result missing";

/// Errors are messages for the developer who reads the log of a test.
pub type Result<T> = std::result::Result<T, String>;

/// One window with its own profile. Closed on drop.
#[derive(Debug)]
pub struct Browser {
    driver: Driver,
    session: String,
    /// Process id of the browser itself.
    process: Option<u64>,
}

impl Browser {
    /// Starts the browser that `cargo xtask` names in the environment, headless, 1280 by 800.
    ///
    /// # Errors
    /// If the environment does not name one, or if it does not start.
    pub fn start() -> Result<Browser> {
        Browser::start_with(&[])
    }

    /// Like [`Browser::start`], with a profile folder that outlives the browser: it holds the data
    /// that pages store.
    ///
    /// # Errors
    /// The errors of [`Browser::start`].
    pub fn start_in(profile: &Path) -> Result<Browser> {
        Browser::start_with(&[format!("--user-data-dir={}", profile.display())])
    }

    fn start_with(more: &[String]) -> Result<Browser> {
        let chromium = path_from("TABLETOP_CHROMIUM")?;
        let driver = Driver::start(&path_from("TABLETOP_CHROMEDRIVER")?)?;
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,800",
            "--lang=en",
            // Requests to other hosts fail, and are reported on the console.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ];
        let flags: Vec<&str> = flags.into_iter().chain(more.iter().map(String::as_str)).collect();
        let options = json!({ "binary": chromium, "args": flags });
        let capabilities = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": 300_000, "pageLoad": 120_000 },
        });
        let answer = driver.call(
            Method::Post,
            "/session",
            &json!({ "capabilities": { "alwaysMatch": capabilities } }),
        )?;
        let session =
            answer["sessionId"].as_str().ok_or_else(|| format!("no session in {answer}"))?.to_string();
        Ok(Browser { driver, session, process: answer["capabilities"]["goog:processID"].as_u64() })
    }

    /// Kills the browser without warning (SIGKILL), like a power failure.
    ///
    /// # Errors
    /// If the driver did not report the process id, or the process cannot be killed.
    pub fn kill(self) -> Result<()> {
        let process = self.process.ok_or("the driver did not report the browser's process")?.to_string();
        let killed = Command::new("kill")
            .args(["-KILL", &process])
            .status()
            .map_err(|error| format!("kill: {error}"))?;
        if killed.success() { Ok(()) } else { Err(format!("process {process} cannot be ended")) }
    }

    /// Returns the process id of the browser itself, if the driver has reported it.
    pub fn process(&self) -> Option<u64> {
        self.process
    }

    /// Opens another tab and switches to it. Returns the handles of the earlier tab and the new
    /// one.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn new_tab(&self) -> Result<(String, String)> {
        let handle =
            |value: &Value| value.as_str().map(str::to_string).ok_or_else(|| format!("no window in {value}"));
        let before = handle(&self.get("/window")?)?;
        let new = handle(&self.post("/window/new", &json!({ "type": "tab" }))?["handle"])?;
        self.turn_to(&new)?;
        Ok((before, new))
    }

    /// Switches to a tab and brings it to the front: a hidden tab is not painted.
    ///
    /// # Errors
    /// If there is no tab with this handle.
    pub fn turn_to(&self, tab: &str) -> Result<()> {
        self.post("/window", &json!({ "handle": tab }))?;
        self.devtools("Page.bringToFront", &json!({})).map(drop)
    }

    /// Closes the current tab.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn close_tab(&self) -> Result<()> {
        self.driver.call(Method::Delete, &format!("/session/{}/window", self.session), &Value::Null).map(drop)
    }

    /// Goes to an address and waits for the page's load event.
    ///
    /// # Errors
    /// If the address cannot be loaded.
    pub fn open(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": url })).map(drop)
    }

    /// Runs the body of an async function in the page, with `arguments` as its `arguments`, and
    /// waits for what it returns.
    ///
    /// # Errors
    /// The exception of the script.
    pub fn run(&self, body: &str, arguments: Value) -> Result<Value> {
        let script = json!({ "script": format!("return (async function () {{ {body}\n}}).apply(null, arguments)"), "args": arguments });
        let run = || self.post("/execute/sync", &script);
        run().or_else(|error| if error.contains(LOST_RESULT) { run() } else { Err(error) })
    }

    /// Waits for the only element with this role and this accessible name, as a screen reader would
    /// find it.
    ///
    /// # Errors
    /// If there is none after some time, or if there are several.
    pub fn by_role(&self, role: &str, name: &str) -> Result<Element<'_>> {
        let mut found = 0;
        let only = self.soon(|| {
            let mut all = self.all_by_role(role, name).ok()?;
            found = all.len();
            if found == 1 { all.pop() } else { None }
        });
        only.ok_or_else(|| match found {
            0 => format!("no {role} \"{name}\" on the page; there are: {}", self.names(role)),
            _ => format!("{found} elements are {role} \"{name}\""),
        })
    }

    /// Returns all elements that currently have this role and this accessible name. An empty name
    /// means any name.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn all_by_role(&self, role: &str, name: &str) -> Result<Vec<Element<'_>>> {
        self.query(self.document()?, role, name)
    }

    /// The first element with this role whose accessible name contains `part`, and that name. Roles
    /// and names are queried in one call, because elements of a changing page may have disappeared
    /// before a second call.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn first_named(&self, role: &str, part: &str) -> Result<Option<(Element<'_>, String)>> {
        for node in self.nodes(self.document()?, role, "")? {
            if let Some(name) = node["name"]["value"].as_str().filter(|name| name.contains(part)) {
                return Ok(self.elements([&node])?.pop().map(|element| (element, name.into())));
            }
        }
        Ok(None)
    }

    fn document(&self) -> Result<Value> {
        let document = self.devtools("DOM.getDocument", &json!({ "depth": 0 }))?;
        Ok(json!({ "nodeId": document["root"]["nodeId"] }))
    }

    /// Like [`Browser::all_by_role`], below a node with a DevTools number.
    fn query(&self, below: Value, role: &str, name: &str) -> Result<Vec<Element<'_>>> {
        self.elements(&self.nodes(below, role, name)?)
    }

    /// The nodes of the accessibility tree with this role and name.
    fn nodes(&self, mut query: Value, role: &str, name: &str) -> Result<Vec<Value>> {
        query["role"] = role.into();
        if !name.is_empty() {
            query["accessibleName"] = name.into();
        }
        let answer = self.devtools("Accessibility.queryAXTree", &query)?;
        let nodes = answer["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(nodes.iter().filter(|node| node["ignored"] != json!(true)).cloned().collect())
    }

    fn elements<'a>(&self, nodes: impl IntoIterator<Item = &'a Value>) -> Result<Vec<Element<'_>>> {
        let root = self.by_css("html")?;
        Ok(nodes
            .into_iter()
            .filter_map(|node| Some(root.sibling(node["backendDOMNodeId"].as_u64()?)))
            .collect())
    }

    /// Waits for the first element that a CSS selector finds.
    ///
    /// # Errors
    /// If there is none after some time.
    pub fn by_css(&self, selector: &str) -> Result<Element<'_>> {
        let query = json!({ "using": "css selector", "value": selector });
        self.soon(|| self.post("/element", &query).ok().and_then(|answer| Element::new(self, &answer)))
            .ok_or_else(|| format!("nothing on the page matches {selector}"))
    }

    /// The element that has the focus.
    ///
    /// # Errors
    /// If there is none.
    pub fn focused(&self) -> Result<Element<'_>> {
        let answer = self.get("/element/active")?;
        Element::new(self, &answer).ok_or_else(|| "nothing has the focus".into())
    }

    /// Presses keys one after the other, for the focused element: characters as they are, other
    /// keys by their names. `Shift+` and `Control+` before a key hold it down.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn press(&self, keys: &[&str]) -> Result<()> {
        let mut actions = Vec::new();
        for chord in keys {
            let names: Vec<&str> = if *chord == "+" { vec!["+"] } else { chord.split('+').collect() };
            let down = names.iter().map(|name| json!({ "type": "keyDown", "value": key(name) }));
            let up = names.iter().rev().map(|name| json!({ "type": "keyUp", "value": key(name) }));
            actions.extend(down.chain(up));
        }
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }))
            .map(drop)
    }

    /// Sets the size of the page's viewport in CSS pixels, also smaller than a window can be.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &size).map(drop)
    }

    /// A screenshot of the page, as a PNG in base64.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn screenshot(&self) -> Result<String> {
        let answer = self.get("/screenshot")?;
        answer.as_str().map(str::to_string).ok_or_else(|| "no picture".into())
    }

    /// A screenshot of the page as the bytes of a PNG file.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn picture(&self) -> Result<Vec<u8>> {
        BASE64_STANDARD.decode(self.screenshot()?).map_err(|error| format!("the picture: {error}"))
    }

    /// Emulates media features of the user's system, such as `[("prefers-color-scheme", "dark")]`.
    /// They stay until they are set again.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn media(&self, features: &[(&str, &str)]) -> Result<()> {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.devtools("Emulation.setEmulatedMedia", &json!({ "media": "", "features": features })).map(drop)
    }

    /// Warnings and errors of the console since the last call, including violated policies and
    /// failed requests.
    ///
    /// # Errors
    /// If the browser does not answer.
    pub fn complaints(&self) -> Result<Vec<String>> {
        let log = self.post("/se/log", &json!({ "type": "browser" }))?;
        let entries = log.as_array().map(Vec::as_slice).unwrap_or_default();
        let entries =
            entries.iter().filter(|entry| entry["level"] == "WARNING" || entry["level"] == "SEVERE");
        Ok(entries.filter_map(|entry| entry["message"].as_str().map(str::to_string)).collect())
    }

    /// Sends a command of the DevTools protocol, for functions that WebDriver does not have.
    ///
    /// # Errors
    /// The browser's refusal.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Result<Value> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Repeats `ask` until it returns a value or the time is over.
    pub fn soon<T>(&self, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
        let start = Instant::now();
        loop {
            let answer = ask();
            if answer.is_some() || start.elapsed() > PATIENCE {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The accessible names of all elements with a role, for an error message.
    fn names(&self, role: &str) -> String {
        let names = self.all_by_role(role, "").unwrap_or_default();
        let names: Vec<String> = names.iter().filter_map(|element| element.name().ok()).collect();
        format!("{names:?}")
    }

    fn get(&self, path: &str) -> Result<Value> {
        self.driver.call(Method::Get, &format!("/session/{}{path}", self.session), &Value::Null)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.driver.call(Method::Post, &format!("/session/{}{path}", self.session), body)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the driver ends the browser too. This request first lets it remove its profile.
        self.driver.call(Method::Delete, &format!("/session/{}", self.session), &Value::Null).ok();
    }
}

/// Returns the character that WebDriver sends for a named key.
fn key(name: &str) -> &str {
    match name {
        "Tab" => "\u{e004}",
        "Enter" => "\u{e007}",
        "Shift" => "\u{e008}",
        "Control" => "\u{e009}",
        "Alt" => "\u{e00a}",
        "Escape" => "\u{e00c}",
        "Space" => " ",
        "PageUp" => "\u{e00e}",
        "PageDown" => "\u{e00f}",
        "End" => "\u{e010}",
        "Home" => "\u{e011}",
        "ArrowLeft" => "\u{e012}",
        "ArrowUp" => "\u{e013}",
        "ArrowRight" => "\u{e014}",
        "ArrowDown" => "\u{e015}",
        "Delete" => "\u{e017}",
        "Backspace" => "\u{e003}",
        other => other,
    }
}

/// A file that `cargo xtask` names in the environment.
///
/// # Errors
/// If the variable is not set: these tests need a built page and a browser, which xtask provides.
pub fn path_from(variable: &str) -> Result<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    let path =
        path.ok_or_else(|| format!("{variable} is not set: run these tests by `cargo xtask test e2e`"))?;
    if Path::new(&path).exists() {
        Ok(path)
    } else {
        Err(format!("{variable} names {}, which does not exist", path.display()))
    }
}
