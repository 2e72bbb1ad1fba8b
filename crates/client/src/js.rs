//! The JavaScript API: `window.tabletop`. The page itself uses the same client.
//!
//! Names are the same as in the Rust types. 64-bit integers are BigInts, bytes are `Uint8Array`s
//! together with their text, an absent value is `null`, and an error is an `Error` with a `code`
//! such as `"invalid_argument"`. The TypeScript types in `www/tabletop.d.ts` are generated from
//! this file and from the types it names.

mod names;
mod sentences;
mod types;

use std::pin::Pin;

use js_sys::{Function, JsString, Promise, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tabletop_advice::{SUGGEST_EVENTS, first_traffic};
use tabletop_model::{Code, Error, Result, did_you_mean};
use tabletop_protocol::{
    DataView, DesignView, HeatMetric, JobError, LoadState, Playback, QueryOnDesign, ReadQuery, Simulate,
    SimulateRequest, SimulationChunk, SimulationHave, TouchQuery,
};
use tabletop_workspace::{DesignPatch, Source, Traffic, Workspace};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::feed::blob_of;
use crate::job::{JobHost, OpenRun, closed};
use crate::{Client, sleep};
use names::property_names;
use sentences::{Judged, to_js_with_sentences};
pub use types::{
    FilterChoice, LoadOptions, Progress, Raw, ReadCell, ReadRequest, ReadResult, ReadRow, SampleOptions,
};

/// Milliseconds between two checks of tables that are being built.
const LOOK_MILLIS: i32 = 20;

type JsResult = std::result::Result<JsValue, JsValue>;

#[wasm_bindgen(typescript_custom_section)]
const HAND_WRITTEN_TYPES: &str = r#"
/** An option that every long call takes. */
export interface ProgressOptions {
  /** Called from time to time while events are loaded and tables are built. */
  on_progress?: (progress: Progress) => void;
}

/** A filter, as text in the notation of the page or as an object. */
export type FilterChoice = string | RowFilter;

/** The error that every call throws or rejects with. */
export interface TabletopError extends Error {
  /** The kind of error, by what the caller can do about it. */
  code: Code;
}
"#;

/// Offers `client` to scripts of the page as `window.tabletop`.
pub fn install(client: &Client) {
    let api = JsValue::from(Tabletop { client: client.clone() });
    // The global object of a page accepts any new property.
    Reflect::set(&js_sys::global(), &"tabletop".into(), &api).expect("window takes a new property");
}

/// The Tabletop of this page, with the worker, workspace and tables that the page shows.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Tabletop {
    client: Client,
}

#[wasm_bindgen]
impl Tabletop {
    /// Resolves to the samples that `sample` can load, once the worker is ready.
    #[wasm_bindgen(getter, unchecked_return_type = "Promise<SampleInfo[]>")]
    pub fn ready(&self) -> Promise {
        let client = self.client.clone();
        promised(async move { client.ready().await })
    }

    /// The version, such as `"0.1.0"`.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    /// The current workspace: everything that the user has created.
    #[wasm_bindgen(unchecked_return_type = "Promise<Workspace>")]
    pub fn workspace(&self) -> Promise {
        let client = self.client.clone();
        promised(async move { client.workspace().await })
    }

    /// Replaces the workspace. Resolves when all events are in its tables. A source with the user's
    /// own data waits for `load`, unless its events are stored in this browser or this page has
    /// already read data with that name.
    #[wasm_bindgen(unchecked_return_type = "Promise<Workspace>")]
    pub fn open(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Workspace")] workspace: JsValue,
        #[wasm_bindgen(unchecked_param_type = "ProgressOptions | undefined")] options: Option<js_sys::Object>,
    ) -> Promise {
        let (api, progress) = (self.clone(), on_progress(options.as_ref()));
        promised(async move { api.open_workspace(take("workspace", workspace), progress).await })
    }

    /// Loads a sample that is shipped with the page, by its name. Resolves when its events are in
    /// the table. Only the first design is kept, with the template of the sample or of the options.
    /// The promise rejects if that template does not parse.
    #[wasm_bindgen(unchecked_return_type = "Promise<Workspace>")]
    pub fn sample(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] name: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(SampleOptions & ProgressOptions) | undefined")]
        options: Option<js_sys::Object>,
    ) -> Promise {
        let (api, progress) = (self.clone(), on_progress(options.as_ref()));
        promised(
            async move { api.load_sample(take_text("name", name)?, take_options(options), progress).await },
        )
    }

    /// Loads a text of CSV or JSON lines. Resolves when its events are in the tables. Lines that do
    /// not parse are in `problems`.
    #[wasm_bindgen(unchecked_return_type = "Promise<DataView>")]
    pub fn load(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] text: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(LoadOptions & ProgressOptions) | undefined")] options: Option<
            js_sys::Object,
        >,
    ) -> Promise {
        let (api, progress) = (self.clone(), on_progress(options.as_ref()));
        promised(async move { api.load_own(take_text("text", text)?, take_options(options), progress).await })
    }

    /// Changes a design, or adds one when `index` is the number of designs. Resolves when its table
    /// is built. `problems` lists the errors in a template. In that case the table still uses the
    /// last template without errors.
    #[wasm_bindgen(unchecked_return_type = "Promise<DesignView>")]
    pub fn design(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "DesignPatch")] patch: JsValue,
    ) -> Promise {
        let api = self.clone();
        promised_with_sentences(
            async move { api.change_design(take_index(&index)?, take("patch", patch)).await },
        )
    }

    /// Returns the tablets of a design's table, in key order.
    #[wasm_bindgen(unchecked_return_type = "Promise<TableView>")]
    pub fn tablets(&self, #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue) -> Promise {
        let client = self.client.clone();
        promised(async move { client.view(take_index(&index)?).await.map(|view| view.table) })
    }

    /// Reads rows of a design's table. Returns all rows of the query in one result.
    #[wasm_bindgen(unchecked_return_type = "Promise<ReadResult>")]
    pub fn read(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "ReadRequest | undefined")] request: Option<js_sys::Object>,
    ) -> Promise {
        let api = self.clone();
        promised(async move { api.read_rows(take_index(&index)?, take_options(request)).await })
    }

    /// Returns internals of a design's table: the memtables and SSTables of a tablet, the blocks of
    /// an SSTable, or the bytes of a block.
    #[wasm_bindgen(unchecked_return_type = "Promise<Inspected>")]
    pub fn inspect(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Inspect")] look: JsValue,
    ) -> Promise {
        let client = self.client.clone();
        promised(async move { client.inspect(take_index(&index)?, take("look", look)?).await })
    }

    /// Writes the memtable of a tablet as SSTables. Rows do not change.
    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn flush(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "TabletId")] tablet: JsValue,
    ) -> Promise {
        let client = self.client.clone();
        promised(async move { client.flush(take_index(&index)?, take("tablet", tablet)?).await })
    }

    /// Requests that the SSTables of a tablet are merged into one. Rows do not change. The promise
    /// resolves before the merge is done.
    #[wasm_bindgen(unchecked_return_type = "Promise<null>")]
    pub fn compact(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "TabletId")] tablet: JsValue,
    ) -> Promise {
        let client = self.client.clone();
        promised(async move { client.compact(take_index(&index)?, take("tablet", tablet)?).await })
    }

    /// Returns what a read would touch in the SSTables now: the blocks, and what Bloom filters and
    /// key ranges rule out.
    #[wasm_bindgen(unchecked_return_type = "Promise<Touched>")]
    pub fn touched(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "ReadRequest | undefined")] request: Option<js_sys::Object>,
    ) -> Promise {
        let client = self.client.clone();
        promised(async move {
            let request: ReadRequest = take_options(request)?;
            let query = QueryOnDesign { index: take_index(&index)?, query: request.query()? };
            let mut run = client.run::<TouchQuery>(&query);
            let mut touched = None;
            while let Some(chunk) = run.next(&()).await {
                touched = Some(chunk.map_err(JobError::into_error)?.touched);
            }
            touched.ok_or_else(closed)
        })
    }

    /// Simulates traffic on a design, to its end: a minute of some thousand requests per second
    /// takes about a second. Waits until the tables of the design are built. Without `traffic`,
    /// simulates the traffic of the workspace, or the default traffic of the page. The heatmap of
    /// the result has the columns of `metric`.
    #[wasm_bindgen(unchecked_return_type = "Promise<SimulationChunk>")]
    pub fn simulate(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Traffic | undefined")] traffic: JsValue,
        #[wasm_bindgen(unchecked_param_type = "HeatMetric | undefined")] metric: JsValue,
    ) -> Promise {
        let client = self.client.clone();
        promised_with_sentences(async move {
            let given = if traffic.is_undefined() { None } else { Some(take("traffic", traffic)?) };
            let metric = if metric.is_undefined() { HeatMetric::default() } else { take("metric", metric)? };
            simulate(&client, take_index(&index)?, given, metric).await
        })
    }

    /// Returns what is stored in this browser: the user's own events, set by set, and whether this
    /// tab stores more.
    #[wasm_bindgen(unchecked_return_type = "Promise<StorageView>")]
    pub fn storage(&self) -> Promise {
        let client = self.client.clone();
        promised(async move { client.storage().await })
    }

    /// Stores events in this tab from now on, if the tab that stored them has closed.
    #[wasm_bindgen(unchecked_return_type = "Promise<StorageView>")]
    pub fn keep_here(&self) -> Promise {
        let client = self.client.clone();
        promised(async move { client.keep_here().await })
    }

    /// Deletes a stored set, by the number that `storage` returns. Events on the page stay there
    /// until it is closed.
    #[wasm_bindgen(unchecked_return_type = "Promise<StorageView>")]
    pub fn delete_set(&self, #[wasm_bindgen(unchecked_param_type = "number")] set: JsValue) -> Promise {
        let client = self.client.clone();
        promised(async move { client.delete_set(take_number("set", &set)?).await })
    }

    /// Deletes all stored sets, readable or not.
    #[wasm_bindgen(unchecked_return_type = "Promise<StorageView>")]
    pub fn delete_sets(&self) -> Promise {
        let client = self.client.clone();
        promised(async move { client.delete_sets().await })
    }

    /// Exports a stored set as a file of JSON lines, which `load` and the page can read.
    #[wasm_bindgen(unchecked_return_type = "Promise<Blob>")]
    pub fn export_set(&self, #[wasm_bindgen(unchecked_param_type = "number")] set: JsValue) -> Promise {
        let client = self.client.clone();
        future_to_promise(async move {
            let exported = async { client.export_set(take_number("set", &set)?).await };
            exported.await.map(|(file, _)| file.into()).map_err(|error| thrown(&error))
        })
    }

    /// Exports a design's table as one file, which an instance can import: its families, splits and
    /// all cells. Rejects while the table is being built, and if it changes during the export.
    #[wasm_bindgen(unchecked_return_type = "Promise<Blob>")]
    pub fn export_table(&self, #[wasm_bindgen(unchecked_param_type = "number")] index: JsValue) -> Promise {
        let client = self.client.clone();
        future_to_promise(async move {
            let exported = async { client.export_table(take_index(&index)?).await };
            exported.await.map(JsValue::from).map_err(|error| thrown(&error))
        })
    }
}

/// Simulates a traffic to its end.
async fn simulate(
    client: &Client,
    index: u32,
    given: Option<Traffic>,
    metric: HeatMetric,
) -> Result<SimulationChunk> {
    let traffic = match given {
        Some(traffic) => traffic,
        None => {
            let (workspace, preview) = (client.workspace().await?, client.events(0, SUGGEST_EVENTS).await?);
            let values: Vec<Vec<_>> =
                preview.events.iter().map(|event| event.iter().map(Option::as_deref).collect()).collect();
            match &workspace.traffic {
                Some(traffic) => (**traffic).clone(),
                None => first_traffic(&workspace, &preview.fields, &values),
            }
        }
    };
    let mut run = client.run::<Simulate>(&SimulateRequest { index, traffic });
    let mut all = first_slice(client, &mut run).await?;
    while !all.is_complete() || all.heat.metric != metric {
        let later = run.next(&all.have(metric)).await.unwrap_or(Err(JobError::Gone));
        all.extend(later.map_err(JobError::into_error)?);
    }
    Ok(all)
}

/// Begins a simulation as soon as the tables are built.
async fn first_slice(client: &Client, run: &mut OpenRun<Simulate>) -> Result<SimulationChunk> {
    loop {
        match run.next(&SimulationHave::default()).await.unwrap_or(Err(JobError::Gone)) {
            Err(JobError::NotReady(error)) => match client.data().await?.state {
                LoadState::Failed(failed) => return Err(failed),
                LoadState::Awaited => return Err(error),
                _ => sleep(LOOK_MILLIS).await,
            },
            begun => return begun.map_err(JobError::into_error),
        }
    }
}

impl Tabletop {
    async fn open_workspace(
        &self,
        workspace: Result<Workspace>,
        progress: Option<Function>,
    ) -> Result<Workspace> {
        let (before, workspace) = (self.client.last_workspace(), workspace?);
        let opened = self.client.open(workspace).await?;
        self.client.script_edited(before, opened.clone());
        self.finish(progress).await?;
        Ok(opened)
    }

    async fn load_sample(
        &self,
        name: JsString,
        options: Result<SampleOptions>,
        progress: Option<Function>,
    ) -> Result<Workspace> {
        let (name, options) = (String::from(name), options?);
        let samples = self.client.ready().await?;
        let names: Vec<&str> = samples.iter().map(|sample| sample.name.as_str()).collect();
        let Some(sample) = samples.iter().find(|sample| sample.name == name) else {
            return Err(Error::not_found(format!(
                "there is no sample \"{name}\": choose one of {}",
                names.join(", ")
            )));
        };
        let mut workspace = self.client.workspace().await?;
        workspace.designs.truncate(1);
        for design in &mut workspace.designs {
            design.template = options.template.clone().unwrap_or_else(|| sample.template.clone());
            design.layout = options.layout.clone().unwrap_or_else(|| design.layout.clone());
            // The families of another sample have different names.
            design.families.clear();
        }
        workspace.source = Source::Sample(name);
        let opened = self.open_workspace(Ok(workspace), progress).await?;
        self.check_template(options.template.as_deref()).await?;
        Ok(opened)
    }

    /// Checks a given template after the events are loaded. A table exists only if the template
    /// parses.
    async fn check_template(&self, given: Option<&str>) -> Result<()> {
        let Some(text) = given else { return Ok(()) };
        match self.client.view(0).await?.problems.first() {
            None => Ok(()),
            Some(problem) => {
                let (at, message) = (problem.span.start, &problem.message);
                Err(Error::invalid(format!(
                    "the events are loaded, but the template {text} has an error at byte {at}: {message}"
                )))
            }
        }
    }

    async fn load_own(
        &self,
        text: JsString,
        options: Result<LoadOptions>,
        progress: Option<Function>,
    ) -> Result<DataView> {
        let (before, options) = (self.client.last_workspace(), options?);
        let loaded = self.load_with_template(text, &options, progress.as_ref()).await;
        // This also happens after a failure, because the earlier events have been dropped.
        if let Ok(after) = self.client.workspace().await {
            self.client.script_edited(before, after);
        }
        loaded?;
        let data = self.finish(progress).await?;
        self.check_template(options.template.as_deref()).await?;
        Ok(data)
    }

    async fn load_with_template(
        &self,
        text: JsString,
        options: &LoadOptions,
        progress: Option<&Function>,
    ) -> Result<()> {
        let own = options.own();
        // The text stays in JavaScript: copying a large one into this program and back would block
        // the page for a moment.
        let blob = blob_of(&text, &own)?;
        self.client.load_blob(blob, own, &|data| report(progress, &Progress::new(&data, 0))).await?;
        let template = match &options.template {
            Some(template) => Some(template.clone()),
            None if self.client.view(0).await?.problems.is_empty() => None,
            None => self.client.suggest().await?.look_ups.into_iter().next().map(|best| best.template),
        };
        if template.is_some() || options.layout.is_some() {
            self.client
                .design(0, DesignPatch { template, layout: options.layout.clone(), ..DesignPatch::default() })
                .await?;
        }
        Ok(())
    }

    async fn change_design(&self, index: u32, patch: Result<DesignPatch>) -> Result<DesignView> {
        let (before, after) = self.client.patch_design(index, &patch?).await?;
        self.client.script_edited(Some(before), after);
        let mut view = self.client.view(index).await?;
        while view.building || view.settling {
            sleep(LOOK_MILLIS).await;
            view = self.client.view(index).await?;
        }
        Ok(view)
    }

    async fn read_rows(&self, index: u32, request: Result<ReadRequest>) -> Result<ReadResult> {
        let mut run = self.client.run::<ReadQuery>(&QueryOnDesign { index, query: request?.query()? });
        let mut rows = Vec::new();
        let mut last = None;
        while let Some(chunk) = run.next(&()).await {
            let mut chunk = chunk.map_err(JobError::into_error)?;
            rows.extend(std::mem::take(&mut chunk.rows).into_iter().map(ReadRow::from));
            last = Some(chunk);
        }
        let last =
            last.ok_or_else(|| Error::new(Code::Internal, "the worker ended a read before its first slice"))?;
        Ok(ReadResult {
            rows,
            stats: last.stats,
            ranges: last.ranges,
            scans_more: last.scans_more,
            elapsed_micros: last.elapsed_micros,
        })
    }

    /// Lets all events arrive and waits until they are in every table.
    async fn finish(&self, progress: Option<Function>) -> Result<DataView> {
        let designs = self.client.workspace().await?.designs.len() as u32;
        self.client.play(Playback::Finish).await?;
        loop {
            let data = self.client.data().await?;
            if let LoadState::Failed(error) = data.state {
                return Err(error);
            }
            let mut behind = data.state == LoadState::Loading;
            let mut built = data.events;
            for index in 0..designs {
                let view = self.client.view(index).await?;
                behind |= view.building || view.settling;
                built = built.min(view.events_built);
            }
            report(progress.as_ref(), &Progress::new(&data, built));
            if !behind {
                return Ok(data);
            }
            sleep(LOOK_MILLIS).await;
        }
    }
}

/// Converts a future to a promise. The future is boxed, so that the driving code is compiled once
/// instead of once per method.
fn promised<T: Serialize>(value: impl Future<Output = Result<T>> + 'static) -> Promise {
    let value: Pin<Box<dyn Future<Output = JsResult>>> =
        Box::pin(async move { value.await.and_then(|value| to_js(&value)).map_err(|error| thrown(&error)) });
    future_to_promise(value)
}

/// Converts a future with judgements to a promise, whose value also has their sentences.
fn promised_with_sentences<T: Judged>(value: impl Future<Output = Result<T>> + 'static) -> Promise {
    let value: Pin<Box<dyn Future<Output = JsResult>>> = Box::pin(async move {
        value.await.and_then(|value| to_js_with_sentences(&value)).map_err(|error| thrown(&error))
    });
    future_to_promise(value)
}

fn on_progress(options: Option<&js_sys::Object>) -> Option<Function> {
    Reflect::get(options?, &"on_progress".into()).ok()?.dyn_into().ok()
}

fn report(progress: Option<&Function>, how_far: &Progress) {
    if let (Some(progress), Ok(how_far)) = (progress, to_js(how_far)) {
        // Exceptions of the callback are ignored.
        drop(progress.call1(&JsValue::NULL, &how_far));
    }
}

/// Reads the index of a design.
fn take_index(value: &JsValue) -> Result<u32> {
    let wrong = |_| Error::invalid("index: must be a whole number, beginning at 0");
    take_number("index", value).map_err(wrong)
}

fn take_number(what: &str, value: &JsValue) -> Result<u32> {
    let number =
        value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number));
    number
        .map(|number| number as u32)
        .ok_or_else(|| Error::invalid(format!("{what}: must be a whole number")))
}

fn take_text(what: &str, value: JsValue) -> Result<JsString> {
    value.dyn_into().map_err(|_| Error::invalid(format!("{what}: must be a string")))
}

/// Reads options. Missing ones have their defaults.
fn take_options<T: DeserializeOwned + Default>(options: Option<js_sys::Object>) -> Result<T> {
    let Some(options) = options else { return Ok(T::default()) };
    // The callback `on_progress` is not a plain value, so it is read separately.
    let values = js_sys::Object::assign(&js_sys::Object::new(), &options);
    Reflect::delete_property(&values, &"on_progress".into()).expect("a fresh object lets go of any property");
    take("options", values.into())
}

/// Reads a value from a script. An unknown property is an error, because it is most likely
/// misspelled.
fn take<T: DeserializeOwned>(what: &str, value: JsValue) -> Result<T> {
    if let Some(given) = value.dyn_ref::<js_sys::Object>() {
        let known = property_names::<T>();
        for name in js_sys::Object::keys(given).iter().filter_map(|name| name.as_string()) {
            if !known.is_empty() && !known.contains(&name.as_str()) {
                let tail = did_you_mean(&name, known.iter().copied());
                return Err(Error::invalid(format!("{what}: there is no property \"{name}\"{tail}")));
            }
        }
    }
    serde_wasm_bindgen::from_value(value).map_err(|error| Error::invalid(format!("{what}: {error}")))
}

pub(crate) fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_large_number_types_as_bigints(true)
        .serialize_missing_as_null(true)
        .serialize_maps_as_objects(true);
    value.serialize(&serializer).map_err(|error| Error::new(Code::Internal, error.to_string()))
}

fn thrown(error: &Error) -> JsValue {
    let thrown = js_sys::Error::new(&error.message);
    thrown.set_name("TabletopError");
    if let Ok(code) = to_js(&error.code) {
        Reflect::set(&thrown, &"code".into(), &code).expect("a fresh error takes a new property");
    }
    thrown.into()
}
