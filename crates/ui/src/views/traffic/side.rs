//! The causes of what the view shows, in the left column: the streams of a traffic, and the cluster
//! that serves it.

use std::rc::Rc;

use tabletop_advice::traffic_presets;
use tabletop_model::Error;
use tabletop_texts::messages;
use tabletop_workspace::{TraceStreams, Traffic, Workspace};
use web_sys::File;
use yew::callback::CallbackRefMut;
use yew::{AttrValue, Callback, Html, html};

use super::streams::{Change, Editor, streams};
use super::{sample, setup, traffic_of};
use crate::page::actions::{Actions, ReplayRequest};
use crate::page::state::{Action, Change as PageChange, Edit, PageState, Part};

/// The log of requests that the user opened last.
#[derive(Clone, Default)]
struct LogLook {
    /// What was read of it, or why it was refused, until the traffic changes.
    read: Option<Result<TraceStreams, Error>>,
    /// The number of streams that it replaced.
    replaced: usize,
}

impl Part for LogLook {
    fn follow(&mut self, change: &PageChange) {
        if matches!(change, PageChange::Workspace | PageChange::Saved) {
            self.read = None;
        }
    }
}

/// Draws the editors of streams and cluster.
pub fn side(state: &PageState, actions: &Actions) -> Html {
    if state.no_table().is_some() {
        return html! {};
    }
    let (workspace, preview) = (&state.workspace, &state.preview);
    let traffic = Rc::new(traffic_of(workspace, preview));
    let fields: Vec<String> = preview.fields.iter().map(|field| field.name.clone()).collect();
    let patterns: Vec<String> = workspace.queries.iter().map(|named| named.name.clone()).collect();
    let on_change = {
        let (actions, traffic) = (actions.clone(), traffic.clone());
        Callback::from(move |change: Change| {
            actions.act.emit(Action::part(|look: &mut LogLook| look.read = None));
            actions.edit.emit(edited(&traffic, move |traffic| change(traffic)));
        })
    };
    let editor = Editor { traffic: &traffic, fields: &fields, patterns: &patterns, on_change: &on_change };
    let presets = traffic_presets(workspace, &preview.fields, &sample(preview));
    let presets: Vec<(AttrValue, Rc<Traffic>)> = presets
        .into_iter()
        .filter_map(|preset| {
            let name = (messages().presets.traffic)(preset.kind).name;
            Some((AttrValue::from(name), Rc::from(preset.traffic?)))
        })
        .collect();
    let log = state.look.part::<LogLook>();
    html! {
        <div class="traffic-editors">
            { streams(&editor, &names(&presets), on_preset(presets, &traffic, actions), &log.read, log.replaced, &on_log(&traffic, state, actions)) }
            { setup::setup(&editor) }
        </div>
    }
}

/// Returns the items of the menu of presets.
fn names(presets: &[(AttrValue, Rc<Traffic>)]) -> Vec<(AttrValue, AttrValue)> {
    presets.iter().enumerate().map(|(at, (name, _))| (at.to_string().into(), name.clone())).collect()
}

/// Returns a callback that takes the streams of a preset. The cluster and its limits stay.
fn on_preset(
    presets: Vec<(AttrValue, Rc<Traffic>)>,
    traffic: &Rc<Traffic>,
    actions: &Actions,
) -> Callback<AttrValue> {
    let (edit, drawn) = (actions.edit.clone(), traffic.clone());
    Callback::from(move |at: AttrValue| {
        let preset = at.parse().ok().and_then(|at: usize| presets.get(at));
        if let Some((_, preset)) = preset {
            let preset = preset.clone();
            edit.emit(edited(&drawn, move |now| {
                let (run, limits) = (now.run.clone(), now.limits.clone());
                *now = Traffic { run, limits, ..(*preset).clone() };
            }));
        }
    })
}

/// Returns a callback that reads a log of requests, whose streams then replace those of the traffic.
fn on_log(traffic: &Rc<Traffic>, state: &PageState, actions: &Actions) -> Callback<File> {
    let (design, drawn, actions) = (state.design, traffic.clone(), actions.clone());
    Callback::from(move |file: File| {
        let (drawn, edit, act) = (drawn.clone(), actions.edit.clone(), actions.act.clone());
        let answer = Callback::from(move |read: Result<TraceStreams, Error>| {
            if let Ok(read) = &read {
                let (streams, seconds) = (read.streams.clone(), read.seconds);
                edit.emit(edited(&drawn, move |traffic| {
                    traffic.streams.clone_from(&streams);
                    traffic.run.seconds = seconds;
                }));
            }
            let replaced = drawn.streams.len();
            act.emit(Action::part(move |look: &mut LogLook| {
                let read = read.map(|read| TraceStreams { streams: Vec::new(), ..read });
                *look = LogLook { read: Some(read), replaced };
            }));
        });
        actions.replay.emit(ReplayRequest { file, design, answer });
    })
}

/// Returns an edit that changes the traffic as it is when the edit is applied. Without its own
/// traffic, a workspace has the one that suits its events, which is `drawn`.
pub fn edited(drawn: &Rc<Traffic>, change: impl Fn(&mut Traffic) + 'static) -> Edit {
    let drawn = drawn.clone();
    Edit::Change(CallbackRefMut::from(move |workspace: &mut Workspace| {
        change(workspace.traffic.get_or_insert_with(|| Box::new((*drawn).clone())));
    }))
}
