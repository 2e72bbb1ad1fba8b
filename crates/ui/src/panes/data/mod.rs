//! The source of the events, and the events themselves.

mod fields;
mod look;
mod own;
mod progress;

use tabletop_protocol::{LoadState, SampleInfo};
use tabletop_shell::Language;
use tabletop_texts::messages;
use tabletop_workspace::{GeneratorSettings, LoadProblem, Source, Workspace};
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, FormNumber, Icon, SegmentSize, form, icon, number, push, segmented, tool};
use crate::page::actions::{Actions, StorageAction};
use crate::page::state::{Edit, NoTable, PageState, ROWS_FILE};
use crate::panes::shell::as_commands;
use crate::panes::storage::open_storage;
use fields::fields;
use look::{DataLook, SourceKind};
use own::own_picker;
pub use own::{given_own, interrupted_own, missing_own};
use progress::progress;

/// Returns one line on the source for the pane's heading.
pub fn summary(state: &PageState) -> String {
    let (says, events) = (&messages().data, state.data.events.into());
    match &state.workspace.source {
        Source::Generated(_) => (says.generated)(events),
        Source::Sample(name) => {
            let sample = state.samples.iter().find(|sample| sample.name == *name);
            (says.named)(events, sample.map_or(name, |sample| &sample.title))
        }
        Source::Own(own) => (says.named)(events, &own.name),
    }
}

/// Draws the content of the pane.
pub fn data_pane(state: &PageState, actions: &Actions) -> Html {
    const KINDS: [SourceKind; 3] = [SourceKind::Generated, SourceKind::Sample, SourceKind::Own];
    let source = &state.workspace.source;
    let kind = match source {
        Source::Generated(_) => SourceKind::Generated,
        Source::Sample(_) => SourceKind::Sample,
        Source::Own(_) => SourceKind::Own,
    };
    // The pane can show a different kind of source than the workspace has.
    let shown = state.look.part::<DataLook>().source.unwrap_or(kind);
    let on_kind = {
        let (edit, look) =
            (actions.edit.clone(), actions.part_at(|look: &mut DataLook, kind| look.source = Some(kind)));
        Callback::from(move |at: usize| {
            look.emit(KINDS[at]);
            // Generated events need no further choice.
            if KINDS[at] == SourceKind::Generated && kind != SourceKind::Generated {
                let fresh = Workspace::default();
                let template = fresh.designs.into_iter().next().map(|design| design.template);
                edit.emit(Edit::Source(fresh.source, template));
            }
        })
    };
    // Stored events are shown in their table first: the code for their fields is fetched later.
    let rows_come =
        matches!(state.no_table(), None | Some(NoTable::Starting | NoTable::Loading)) && !state.own_missing;
    let awaits_rows = rows_come && !state.look.is_complete;
    let data = &state.data;
    let has_notes =
        data.bad_lines > 0 || !data.problems.is_empty() || matches!(data.state, LoadState::Failed(_));
    let taken = KINDS.iter().position(|each| *each == shown);
    let (says, commands) = (&messages().data, &messages().shell.as_commands);
    html! {
        <>
            { segmented(says.source, &says.sources, taken, SegmentSize::Usual, on_kind) }
            { match (shown, source) {
                (SourceKind::Generated, Source::Generated(settings)) => generator(settings, &actions.edit),
                (SourceKind::Sample, source) => samples(&state.samples, source, &actions.edit),
                (SourceKind::Own, _) => own_picker(state, actions),
                _ => html! {},
            } }
            <div class="privacy soft small">
                {icon(Icon::Lock)}
                <p>{messages().common.stays_here}</p>
                { push(messages().common.storage, None, ButtonKind::Quiet, open_storage(actions)) }
            </div>
            if !state.own_missing { { progress(state, actions) } }
            if has_notes { { bad_lines(state, actions) } }
            if !awaits_rows && !data.fields.is_empty() { { fields(state, actions) } }
            if !state.preview.events.is_empty() {
                { as_commands("data", commands.first_events, state, actions, &|commands| Ok(commands.first_events(state))) }
                { as_commands("rows", commands.all_rows, state, actions, &|commands| Ok(commands.import())) }
                if state.look.language == Language::Cbt && state.look.unfolded.contains(&"rows") {
                    <div>
                        { push(&(says.download_file)(ROWS_FILE), Some(Icon::Download), ButtonKind::Quiet, actions.storage.reform(|()| StorageAction::ExportRows)) }
                    </div>
                }
            }
        </>
    }
}

fn generator(settings: &GeneratorSettings, on_edit: &Callback<Edit>) -> Html {
    let says = &messages().data;
    let numbers = [
        FormNumber::<GeneratorSettings>::whole(says.events, (1_000.0, 1_000_000.0), number!(events as u32))
            .step(1_000.0),
        FormNumber::whole(says.users, (1.0, 1_000_000.0), number!(users as u32)),
        FormNumber::whole(says.apps, (1.0, 10_000.0), number!(apps as u32)),
        FormNumber::<GeneratorSettings>::any(says.user_skew, (0.0, 2.0), number!(user_skew)).step(0.1),
        // A field can hold every whole number up to this one.
        FormNumber::whole(says.seed, (0.0, 9_007_199_254_740_991.0), number!(seed as u64)),
    ];
    let fields = form(numbers, settings, |place| {
        Edit::by(on_edit, move |workspace, value| {
            if let Source::Generated(settings) = &mut workspace.source {
                place.set(settings, value);
            }
        })
    });
    html! {
        <div class="generator">
            { for fields }
        </div>
    }
}

fn samples(samples: &[SampleInfo], source: &Source, on_edit: &Callback<Edit>) -> Html {
    let taken = match source {
        Source::Sample(name) => Some(name.as_str()),
        _ => None,
    };
    html! {
        <fieldset class="samples">
            <legend class="visually-hidden">{messages().data.sample}</legend>
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
                            {" "}
                            <span class="soft small num">{(messages().data.sample_size)(sample.events.into(), sample.bytes.into())}</span>
                            <span class="soft small sample-about">{sample.about.clone()}</span>
                            <span class="soft small sample-about">{sample.licence.clone()}</span>
                        </span>
                    </label>
                }
            }) }
        </fieldset>
    }
}

/// The maximum number of notes on a file that are shown without a list.
const NOTES_MAX: usize = 3;

/// Draws the number of lines that did not parse, and the first of them with their places. Notes
/// that lost no line can be closed.
#[inline(never)]
fn bad_lines(state: &PageState, actions: &Actions) -> Html {
    let (says, data) = (&messages().data, &state.data);
    let failed = match &data.state {
        LoadState::Failed(error) => Some(error.message.clone()),
        _ => None,
    };
    let alert =
        |text: String| html! { <p class="problem" role="alert">{icon(Icon::Error)}<span>{text}</span></p> };
    let text = |problem: &LoadProblem| (says.problem)(problem.line, problem.column, &problem.message);
    let list = |title: String, problems: &[&LoadProblem], more: u64| {
        html! {
            <details class="bad-lines" open=true>
                <summary>{title}</summary>
                <ul>{ for problems.iter().map(|problem| html! { <li class="small">{text(problem)}</li> }) }</ul>
                if more > 0 { <p class="soft small">{(says.more_lines)(more)}</p> }
            </details>
        }
    };
    let (lost, notes): (Vec<&LoadProblem>, Vec<&LoadProblem>) =
        data.problems.iter().partition(|problem| problem.lost);
    let look = state.look.part::<DataLook>();
    let note = |problem: &&LoadProblem| {
        if data.events == 0 {
            return alert(text(problem));
        }
        let read = (*problem).clone();
        let close = actions.part(move |look: &mut DataLook| look.notes_read.push(read.clone()));
        html! {
            <p class="hint" role="status">
                {icon(Icon::Info)}
                <span>{text(problem)}</span>
                { tool(messages().storage.close_note, Icon::Close, close) }
            </p>
        }
    };
    html! {
        <>
            { for failed.map(alert) }
            if notes.len() > NOTES_MAX {
                { list((says.notes)(notes.len() as u64), &notes, 0) }
            } else {
                { for notes.iter().filter(|problem| !look.notes_read.contains(problem)).map(note) }
            }
            if data.bad_lines > 0 {
                { list((says.bad_lines)(data.bad_lines), &lost, data.bad_lines.saturating_sub(lost.len() as u64)) }
            }
        </>
    }
}
