//! The page as a whole: its state, what happens to it, and where each pane stands.

mod effects;
mod files;
mod layout;

use std::rc::Rc;

use tabletop_schema::{EventsView, OwnData, Playback, Query, Source, Template, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;
use yew::{AttrValue, Callback, Html, function_component, html, use_callback, use_memo, use_reducer, use_state};

use crate::browser;
use crate::chrome::{Banners, Pane, Section, TopBar};
use crate::drop::use_file_drop;
use crate::pages::data::{self, DataPane, MissingOwn, OwnChoice};
use crate::pages::design::DesignPane;
use crate::pages::keys::KeysPane;
use crate::pages::tablets::{Inspector, TabletsPane};
use crate::query::QueryPanel;
use crate::results::ResultGrid;
use crate::session::Session;
use crate::state::{Action, Edit, State};
use effects::{first_workspace, is_cheap, use_autosave, use_first_rows, use_history_keys, use_media, use_said_headline};
use layout::{Narrow, Wide};

/// Below this width there is one pane at a time.
const NARROW: &str = "(max-width: 719px)";

/// The page.
#[function_component]
pub fn App() -> Html {
    let state = use_reducer(|| State::new(first_workspace()));
    let session = use_memo((), |()| Session::start(state.dispatcher(), state.workspace.clone(), !browser::reduced_motion()));
    let narrow = use_media(NARROW);
    let pane = use_state(|| Pane::Tablets);

    let dispatch = state.dispatcher();
    let act = use_callback((), move |action: Action, ()| dispatch.dispatch(action));
    let on_edit = use_callback((act.clone(), session.clone()), |edit: Edit, (act, session)| {
        if matches!(edit, Edit::TemplateTyping(_) | Edit::Template(_) | Edit::Layout(_) | Edit::FamilyField(_)) {
            session.design_edited();
        }
        act.emit(Action::Edit(edit, browser::now_millis()));
    });
    let on_own = use_callback((act.clone(), session.clone()), |choice: OwnChoice, (act, session)| {
        let (act, session) = (act.clone(), session.clone());
        spawn_local(async move {
            // A workspace that is dropped on the page is meant to be opened.
            match files::workspace_in(&choice).await {
                Some(workspace) => act.emit(Action::Edit(Edit::Workspace(workspace), browser::now_millis())),
                None => take_own(choice, &act, &session),
            }
        });
    });
    let on_open = use_callback(act.clone(), |file: File, act| {
        let act = act.clone();
        spawn_local(async move {
            act.emit(match files::open(&file).await {
                Ok(workspace) => Action::Edit(Edit::Workspace(workspace), browser::now_millis()),
                Err(error) => Action::Refused(error),
            });
        });
    });
    let on_reset = use_callback(act.clone(), |(), act| {
        act.emit(Action::Edit(Edit::Workspace(Workspace::default()), browser::now_millis()));
        act.emit(Action::Say("Started over; Undo brings back what was here".into()));
    });
    let on_design = use_callback(act.clone(), |at, act| act.emit(Action::SelectDesign(at)));
    let on_play = use_callback(session.clone(), |playback: Playback, session| session.play(playback));
    let on_cancel_load = use_callback(session.clone(), |(), session| session.cancel_load());
    let on_run =
        use_callback((session.clone(), state.workspace.clone(), state.result.clone()), |(), (session, workspace, result)| {
            session.ask(workspace.query.clone(), result);
        });
    let on_stop = use_callback((session.clone(), state.result.clone()), |(), (session, result)| session.give_up(result));
    let on_query = use_callback(on_edit.clone(), |query: Query, on_edit| on_edit.emit(Edit::Query(query)));
    let on_tablet = use_callback(act.clone(), |tablet, act| act.emit(Action::SelectTablet(tablet)));
    let on_close = use_callback(act.clone(), |(), act| act.emit(Action::SelectTablet(None)));
    let on_say = use_callback(act.clone(), |text: AttrValue, act| act.emit(Action::Say(text)));
    let on_undo = use_callback(act.clone(), |(), act| act.emit(Action::Undo));
    let on_redo = use_callback(act.clone(), |(), act| act.emit(Action::Redo));
    let on_dismiss = use_callback(act.clone(), |(), act| act.emit(Action::Dismiss));
    let on_restart = use_callback(session.clone(), |(), session| session.restart());
    let on_download = use_callback((state.workspace.clone(), act.clone()), |(), (workspace, act)| {
        let said = match browser::download("tabletop-workspace.json", &workspace.to_json()) {
            Ok(()) => "The workspace is downloaded",
            Err(_) => "The browser did not let the page offer a download",
        };
        act.emit(Action::Say(said.into()));
    });

    let dropping = use_file_drop(on_own.clone());
    use_autosave(&state.workspace);
    use_history_keys(&on_undo, &on_redo);
    use_first_rows(&session, &state);
    use_said_headline(&state.view, &on_say);
    yew::use_effect_with((state.workspace.clone(), state.design), {
        let session = session.clone();
        move |(workspace, design)| session.want(workspace.clone(), *design as u32)
    });

    let design = state.design().clone();
    let fields = use_memo(state.data.fields.clone(), Clone::clone);
    let parsed = use_memo((design.template.clone(), fields.clone()), |(text, fields)| {
        let (template, problems) = Template::parse(text, fields);
        // Until the fields are known, every name is unknown: nothing to complain about yet.
        (Rc::new(template), Rc::new(if fields.is_empty() { Vec::new() } else { problems }))
    });
    let (template, problems) = &*parsed;
    let stored = use_memo((template.clone(), design.layout.clone()), |(template, layout)| template.stored(layout));
    let warnings = use_memo(state.view.warnings.clone(), Clone::clone);
    let families = use_memo(state.view.families.clone(), Clone::clone);
    let columns = use_memo(state.view.columns.clone(), Clone::clone);
    let suggestions = use_memo(state.preview.clone(), |preview| suggestions(preview));

    let data_pane = html! {
        <DataPane
            source={state.workspace.source.clone()}
            data={state.data.clone()}
            preview={state.preview.clone()}
            samples={state.samples.clone()}
            own_missing={state.own_missing}
            own_bytes={state.own_bytes}
            on_edit={on_edit.clone()}
            on_own={on_own.clone()}
            on_cancel={on_cancel_load}
        />
    };
    let design_pane = html! {
        <DesignPane
            design={design.clone()}
            names={state.workspace.designs.iter().map(|design| design.name.clone()).collect::<Vec<_>>()}
            selected={state.design}
            {on_design}
            template={template.clone()}
            problems={problems.clone()}
            {warnings}
            refused={state.view.refusal.as_ref().map(|error| (state.view.events_refused, AttrValue::from(error.message.clone())))}
            fields={fields.clone()}
            preview={state.preview.clone()}
            on_edit={on_edit.clone()}
        />
    };
    let tablets_pane = html! {
        <TabletsPane
            view={state.view.clone()}
            template={template.clone()}
            cluster={state.workspace.cluster.clone()}
            selected={state.tablet}
            on_select={on_tablet}
            {on_play}
            {on_edit}
        />
    };
    let inspector = state.tablet.map(|selected| {
        html! {
            <Inspector view={state.view.clone()} {selected} on_close={on_close.clone()} on_say={on_say.clone()} />
        }
    });
    let keys_pane = html! { <KeysPane view={state.view.clone()} /> };
    let query_pane = html! {
        <QueryPanel
            query={state.workspace.query.clone()}
            {fields}
            {families}
            {columns}
            template={template.clone()}
            layout={design.layout.clone()}
            running={state.result.running()}
            refusal={state.result.error().cloned()}
            {suggestions}
            on_change={on_query}
            {on_run}
            on_cancel={on_stop}
        />
    };
    let results_pane = html! { <ResultGrid result={state.result.clone()} template={stored} /> };

    let summary = data::summary(&state.workspace.source, &state.data, &state.samples);
    let waits = state.answer_is_old() && !state.result.running() && !is_cheap(&state);
    let old = if waits { "The question or the design has changed: press Run" } else { "" };
    let on_pane = {
        let pane = pane.clone();
        Callback::from(move |next| pane.set(next))
    };
    html! {
        <>
            <TopBar can_undo={state.can_undo()} can_redo={state.can_redo()} {on_undo} {on_redo} on_download={on_download.clone()} {on_open} {on_reset} />
            <Banners engine={state.engine.clone()} refusal={state.refusal.clone()} {on_restart} {on_download} {on_dismiss} />
            if state.own_missing {
                <MissingOwn source={state.workspace.source.clone()} on_own={on_own.clone()} />
            }
            if narrow {
                <Narrow pane={*pane} {on_pane}>
                    { match *pane {
                        Pane::Data => html! { <Section id="data" title="Data" {summary}>{data_pane}</Section> },
                        Pane::Design => html! { <Section id="design" title="Row key & layout">{design_pane}</Section> },
                        Pane::Tablets => html! {
                            <>
                                <Section id="tablets" title="Tablets">{tablets_pane}</Section>
                                {inspector}
                                <Section id="keys" title="Keys">{keys_pane}</Section>
                            </>
                        },
                        Pane::Query => html! { <Section id="query" title="Query">{query_pane}</Section> },
                        Pane::Results => html! { <Section id="results" title="Results" summary={old}>{results_pane}</Section> },
                    } }
                </Narrow>
            } else {
                <Wide
                    side={html! {
                        <>
                            <Section id="data" title="Data" {summary} folds=true>{data_pane}</Section>
                            <Section id="design" title="Row key & layout" folds=false>{design_pane}</Section>
                            <Section id="query" title="Query" folds=false>{query_pane}</Section>
                        </>
                    }}
                    upper={html! {
                        <>
                            <div class="upper-main">
                                <Section id="tablets" title="Tablets">{tablets_pane}</Section>
                                <Section id="keys" title="Keys">{keys_pane}</Section>
                            </div>
                            {inspector}
                        </>
                    }}
                    lower={html! { <Section id="results" title="Results" summary={old}>{results_pane}</Section> }}
                />
            }
            if dropping {
                <div class="drop-overlay"><p>{"Drop the file to load its events. Nothing leaves this browser."}</p></div>
            }
            <p class="visually-hidden" role="status">{state.status.clone()}</p>
        </>
    }
}

/// Makes a person's own events the source.
fn take_own(choice: OwnChoice, act: &Callback<Action>, session: &Session) {
    let OwnChoice { blob, name, format, on_bad_line } = choice;
    let name = name.unwrap_or_else(|| session.pasted_name());
    let own = OwnData { name, format, fields: Vec::new(), on_bad_line };
    act.emit(Action::OwnChosen(blob.size() as u64));
    act.emit(Action::Edit(Edit::Source(Source::Own(own.clone()), None), browser::now_millis()));
    session.choose_own(blob, own);
}

/// For each field, some of its values, the first ones.
fn suggestions(preview: &EventsView) -> Vec<(String, Vec<String>)> {
    let values = |at: usize| {
        let mut values: Vec<String> = preview.events.iter().filter_map(|event| event.get(at).cloned().flatten()).collect();
        values.sort();
        values.dedup();
        values.truncate(20);
        values
    };
    preview.fields.iter().enumerate().map(|(at, field)| (field.name.clone(), values(at))).collect()
}
