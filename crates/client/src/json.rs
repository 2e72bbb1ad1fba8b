//! A workspace as JSON, with the browser's own parser and serializer: another pair in the program
//! would make it a tenth larger.
//!
//! The text has the same meaning as the text of `Workspace::to_json`. Integers that a JavaScript
//! number cannot hold exactly are passed as BigInts.

use js_sys::{BigInt, JSON, Number, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tabletop_model::{Error, Result};
use tabletop_protocol::KeptWrites;
use tabletop_workspace::{ResultColumns, Workspace, check_is_object, example_of_earlier_build};
use wasm_bindgen::prelude::*;

use crate::js::to_js;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = JSON, js_name = parse, catch)]
    fn parse(text: &str, revive: &Closure<Revive>) -> std::result::Result<JsValue, js_sys::Error>;
}

type Replace = dyn FnMut(JsValue, JsValue) -> JsValue;
type Revive = dyn FnMut(JsValue, JsValue, JsValue) -> JsValue;

/// The maximum nesting depth of values, as in serde_json: each level needs room on the stack.
const NESTING_MAX: usize = 128;

/// Reads and checks the workspace in `text`. An example of an earlier build gets its id. Without a
/// browser, as in tests of the page, serde reads the text.
///
/// # Errors
/// The errors of `Workspace::from_json`, with the browser's messages.
pub fn read(text: &str) -> Result<Workspace> {
    if !cfg!(target_arch = "wasm32") {
        return Workspace::from_json(text);
    }
    if nesting(text) > NESTING_MAX {
        return Err(Error::invalid(format!(
            "Not a Tabletop workspace: values are nested more than {NESTING_MAX} deep."
        )));
    }
    check_is_object(text)?;
    let value = value_of(text);
    let mut workspace = Workspace::read(from_js(&value), || from_js(&value))?;
    // Most workspaces do not have a name, and examples always do, so most need no comparison.
    if workspace.example.is_none() && workspace.name != Workspace::UNNAMED {
        workspace.example = example_of_earlier_build(&workspace, |json| read(json).ok());
    }
    Ok(workspace)
}

/// Reads manual writes; `None` for any other text.
pub fn read_writes(text: &str) -> Option<KeptWrites> {
    if nesting(text) > NESTING_MAX { None } else { from_js(&value_of(text)).ok() }
}

/// Reads how results are shown; `None` for any other text.
pub fn read_results(text: &str) -> Option<ResultColumns> {
    if nesting(text) > NESTING_MAX { None } else { from_js(&value_of(text)).ok() }
}

fn value_of(text: &str) -> std::result::Result<JsValue, String> {
    let revive = Closure::<Revive>::new(|_, value, context| exact(&value, &context).unwrap_or(value));
    parse(text, &revive).map_err(|error| String::from(error.message()))
}

/// Writes the text that [`read`] reads, on one line. Without a browser, as in tests of the page,
/// serde writes the same text.
pub fn write(workspace: &Workspace) -> String {
    if cfg!(target_arch = "wasm32") { text_of(workspace) } else { workspace.to_json() }
}

/// Writes the text that [`read_writes`] reads, on one line.
pub fn write_writes(kept: &KeptWrites) -> String {
    text_of(kept)
}

/// Writes the text that [`read_results`] reads, on one line.
pub fn write_results(results: &ResultColumns) -> String {
    text_of(results)
}

fn text_of<T: Serialize>(data: &T) -> String {
    let value = to_js(data).expect("this is plain data with texts as keys");
    let replace = Closure::<Replace>::new(|_, value| plain(value));
    let text = JSON::stringify_with_replacer(&value, replace.as_ref()).expect("plain data has a text");
    text.into()
}

fn from_js<T: DeserializeOwned>(
    value: &std::result::Result<JsValue, String>,
) -> std::result::Result<T, String> {
    serde_wasm_bindgen::from_value(value.clone()?).map_err(|error| {
        let message = error.to_string();
        // The text of a JavaScript error begins with its type.
        message.strip_prefix("Error: ").map_or(message.clone(), String::from)
    })
}

/// Returns how deep arrays and objects are nested in a text of JSON. Brackets within strings do not
/// count.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Returns the integer as written in the text, if the parsed number may differ from it.
fn exact(value: &JsValue, context: &JsValue) -> Option<JsValue> {
    if value.as_f64()?.abs() <= Number::MAX_SAFE_INTEGER {
        return None;
    }
    // Browsers before 2025 do not pass the source text. A number with a decimal point cannot become
    // a BigInt.
    BigInt::new(&Reflect::get(context, &"source".into()).ok()?).ok().map(JsValue::from)
}

/// Replaces a BigInt, which JSON does not support, with its digits.
fn plain(value: JsValue) -> JsValue {
    let Some(digits) =
        value.dyn_ref::<BigInt>().and_then(|number| number.to_string(10).ok()).map(String::from)
    else {
        return value;
    };
    // A browser before 2025 rounds integers that a JavaScript number cannot hold.
    JSON::raw_json(&digits).map_or_else(|_| Number::parse_float(&digits).into(), JsValue::from)
}
