//! Where the events come from, and what they are.

mod fields;
mod own;
mod progress;

use std::rc::Rc;

use tabletop_schema::{DataView, EventsView, GeneratorSettings, LoadState, SampleInfo, Source, Workspace};
use web_sys::Blob;
use yew::{AttrValue, Callback, Html, Properties, function_component, html, use_effect_with, use_state};

use crate::results::format::{bytes, count, thousands};
use crate::state::Edit;
use crate::widgets::{Icon, IconView, NumberField, Segmented};
use fields::Fields;
pub use own::MissingOwn;
use own::OwnPicker;
use progress::LoadProgress;

/// Properties of [`DataPane`].
#[derive(Properties, PartialEq)]
pub struct DataPaneProps {
    /// Where the events come from.
    pub source: Source,
    /// The events, as the engine has them.
    pub data: Rc<DataView>,
    /// The first of them.
    pub preview: Rc<EventsView>,
    /// Sample sets that the engine knows.
    pub samples: Rc<Vec<SampleInfo>>,
    /// The source is a file whose bytes this page does not have.
    pub own_missing: bool,
    /// Bytes of the own file.
    pub own_bytes: u64,
    /// A change of the workspace.
    pub on_edit: Callback<Edit>,
    /// A person's own events: bytes, name, and how to read them.
    pub on_own: Callback<OwnChoice>,
    /// Ends the load.
    pub on_cancel: Callback<()>,
}

/// A person's own events, just chosen.
#[derive(Clone, PartialEq)]
pub struct OwnChoice {
    /// The bytes; they stay in this browser.
    pub blob: Blob,
    /// The file's name; nothing for a pasted text.
    pub name: Option<String>,
    /// How records are written.
    pub format: tabletop_schema::Format,
    /// What to do with a line that does not parse.
    pub on_bad_line: tabletop_schema::OnBadLine,
}

/// One line on the source, for the pane's heading.
pub fn summary(source: &Source, data: &DataView, samples: &[SampleInfo]) -> String {
    let events = thousands(data.events.into());
    match source {
        Source::Generated(_) => format!("{events} generated events"),
        Source::Sample(name) => {
            let title = samples.iter().find(|sample| sample.name == *name).map_or(name.as_str(), |sample| sample.title.as_str());
            format!("{events} events · {title}")
        }
        Source::Own(own) => format!("{events} events · {}", own.name),
    }
}

/// The pane's content.
#[function_component]
pub fn DataPane(props: &DataPaneProps) -> Html {
    let kind = kind_of(&props.source);
    // A person may look at another kind of source before they take one of it.
    let shown = use_state(|| kind);
    use_effect_with(kind, {
        let shown = shown.clone();
        move |kind| shown.set(kind)
    });
    let on_kind = {
        let (shown, on_edit) = (shown.clone(), props.on_edit.clone());
        Callback::from(move |value: AttrValue| match value.as_str() {
            "generated" if kind != "generated" => {
                let fresh = Workspace::default();
                let template = fresh.designs.into_iter().next().map(|design| design.template);
                on_edit.emit(Edit::Source(fresh.source, template));
            }
            "generated" => shown.set("generated"),
            "sample" => shown.set("sample"),
            _ => shown.set("own"),
        })
    };
    let kinds = [("generated", "Generated"), ("sample", "Sample"), ("own", "Own")];
    html! {
        <>
            <Segmented
                label="Source of the events"
                options={kinds.map(|(value, text)| (value.into(), text.into())).to_vec()}
                selected={*shown}
                on_select={on_kind}
            />
            { match (*shown, &props.source) {
                ("generated", Source::Generated(settings)) => generator(settings, &props.on_edit),
                ("sample", source) => samples(&props.samples, source, &props.on_edit),
                ("own", source) => html! { <OwnPicker source={source.clone()} on_own={props.on_own.clone()} on_edit={props.on_edit.clone()} /> },
                _ => html! {},
            } }
            <p class="privacy soft small"><IconView icon={Icon::Lock} />{"Nothing leaves this browser."}</p>
            if !props.own_missing {
                <LoadProgress
                    source={props.source.clone()}
                    data={props.data.clone()}
                    samples={props.samples.clone()}
                    own_bytes={props.own_bytes}
                    on_cancel={props.on_cancel.clone()}
                />
            }
            { bad_lines(&props.data) }
            if !props.data.fields.is_empty() {
                <Fields
                    data={props.data.clone()}
                    preview={props.preview.clone()}
                    correctable={matches!(props.source, Source::Own(_))}
                    on_edit={props.on_edit.clone()}
                />
            }
        </>
    }
}

fn kind_of(source: &Source) -> &'static str {
    match source {
        Source::Generated(_) => "generated",
        Source::Sample(_) => "sample",
        Source::Own(_) => "own",
    }
}

fn generator(settings: &GeneratorSettings, on_edit: &Callback<Edit>) -> Html {
    let set = |change: fn(&mut GeneratorSettings, f64)| {
        let settings = settings.clone();
        on_edit.reform(move |value: f64| {
            let mut next = settings.clone();
            change(&mut next, value);
            Edit::Generator(next)
        })
    };
    html! {
        <div class="generator">
            <NumberField label="Events" value={f64::from(settings.events)} min=1_000.0 max=1_000_000.0 step=1_000.0
                on_change={set(|settings, value| settings.events = value as u32)} />
            <NumberField label="Users" value={f64::from(settings.users)} min=1.0 max=1_000_000.0
                on_change={set(|settings, value| settings.users = value as u32)} />
            <NumberField label="Apps" value={f64::from(settings.apps)} min=1.0 max=10_000.0
                on_change={set(|settings, value| settings.apps = value as u32)} />
            <NumberField label="Skew of users" value={settings.user_skew} min=0.0 max=2.0 step=0.1
                on_change={set(|settings, value| settings.user_skew = value)} />
            // Every whole number below this is one that the field can hold.
            <NumberField label="Seed" value={settings.seed as f64} min=0.0 max=9_007_199_254_740_991.0
                on_change={set(|settings, value| settings.seed = value as u64)} />
        </div>
    }
}

fn samples(samples: &Rc<Vec<SampleInfo>>, source: &Source, on_edit: &Callback<Edit>) -> Html {
    let taken = match source {
        Source::Sample(name) => Some(name.as_str()),
        _ => None,
    };
    html! {
        <fieldset class="samples">
            <legend class="visually-hidden">{"Sample"}</legend>
            { for samples.iter().map(|sample| {
                let onchange = on_edit.reform({
                    let sample = sample.clone();
                    move |_| Edit::Source(Source::Sample(sample.name.clone()), Some(sample.template.clone()))
                });
                html! {
                    <label key={sample.name.clone()} class="sample">
                        <input type="radio" name="sample" value={sample.name.clone()} checked={taken == Some(sample.name.as_str())} {onchange} />
                        <span>
                            <strong>{sample.title.clone()}</strong>
                            <span class="soft small num">{format!(" {} · {}", count(sample.events.into(), "event"), bytes(sample.bytes.into()))}</span>
                            <span class="soft small sample-about">{sample.about.clone()}</span>
                            <span class="soft small sample-about">{sample.licence.clone()}</span>
                        </span>
                    </label>
                }
            }) }
        </fieldset>
    }
}

/// Lines that did not parse: how many, and the first of them with their places.
fn bad_lines(data: &DataView) -> Html {
    let failed = match &data.state {
        LoadState::Failed(error) => Some(error.message.clone()),
        _ => None,
    };
    html! {
        <>
            if let Some(message) = failed {
                <p class="problem" role="alert"><IconView icon={Icon::Error} /><span>{message}</span></p>
            }
            if data.bad_lines > 0 {
                <details class="bad-lines" open=true>
                    <summary>{format!("{} could not be read", count(data.bad_lines, "line"))}</summary>
                    <ul>
                        { for data.problems.iter().map(|problem| html! {
                            <li class="small">
                                <span class="mono num place">{format!("{}:{}", problem.line, problem.column)}</span>
                                <span>{problem.message.clone()}</span>
                            </li>
                        }) }
                    </ul>
                    if data.bad_lines > data.problems.len() as u64 {
                        <p class="soft small">{format!("and {} more", thousands(data.bad_lines - data.problems.len() as u64))}</p>
                    }
                </details>
            }
        </>
    }
}
