//! The columns of a layout that the user defines: a card for each, with its texts, its time and
//! their problems.

use tabletop_keys::{COLUMNS_MAX, CellTime, Column, ColumnProblem, ColumnText, LayoutKind};
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, Icon, Label, TypedText, icon, push, select, tool};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};

/// Spans of time that the list offers, in seconds.
const BUCKETS: [u32; 3] = [60, 3_600, 86_400];

/// Draws the columns, if the layout has that kind. Their code is fetched later, because a first
/// visit has none.
pub fn columns(state: &PageState, actions: &Actions) -> Html {
    if state.design().layout.kind == LayoutKind::Columns {
        cards(state, actions)
    } else {
        html! {}
    }
}

#[inline(never)]
fn cards(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.columns;
    let layout = &state.design().layout;
    let problems =
        if state.shown.fields.is_empty() { Vec::new() } else { layout.problems(&state.shown.fields) };
    let change = Changes { design: state.design, count: layout.columns.len(), actions };
    let added = Column {
        family: "d".into(),
        qualifier: String::new(),
        value: Column::RECORD.into(),
        time: CellTime::Event,
    };
    let missing = problems.first().filter(|_| layout.columns.is_empty());
    html! {
        <div class="columns" role="group" aria-label={says.title}>
            <p class="soft small">{says.about}</p>
            <ol>{ for layout.columns.iter().enumerate().map(|(at, column)| card(at, column, &problems, &change)) }</ol>
            { for missing.map(|found| problem_line("column-missing".into(), &found.problem.message)) }
            { push(says.add, Some(Icon::Plus), ButtonKind::Quiet, (layout.columns.len() < COLUMNS_MAX).then(|| change.with(move |columns, ()| {
                if columns.len() < COLUMNS_MAX {
                    columns.push(added.clone());
                }
            }))) }
        </div>
    }
}

/// Makes callbacks that change the list of columns.
struct Changes<'a> {
    /// Index of the design.
    design: usize,
    /// The number of columns that are drawn.
    count: usize,
    actions: &'a Actions,
}

impl Changes<'_> {
    fn with<T: Clone + 'static>(&self, how: impl Fn(&mut Vec<Column>, T) + 'static) -> Callback<T> {
        let design = self.design;
        Edit::by(&self.actions.edit, move |workspace, change| {
            if let Some(design) = workspace.designs.get_mut(design) {
                how(&mut design.layout.columns, change);
            }
        })
    }

    /// Changes a drawn column, unless one was removed since: the index may then refer to another
    /// one.
    fn at<T: Clone + 'static>(&self, at: usize, how: impl Fn(&mut Column, T) + 'static) -> Callback<T> {
        let count = self.count;
        self.with(move |columns, change| {
            if columns.len() >= count {
                how(&mut columns[at], change);
            }
        })
    }

    fn remove(&self, at: usize) -> Callback<()> {
        let count = self.count;
        self.with(move |columns, ()| {
            if columns.len() >= count {
                columns.remove(at);
            }
        })
    }
}

fn card(at: usize, column: &Column, problems: &[ColumnProblem], change: &Changes) -> Html {
    let says = &messages().design.columns;
    let number = at + 1;
    let field = |text: ColumnText| {
        let found: Vec<&ColumnProblem> =
            problems.iter().filter(|found| found.column == at && found.text == text).collect();
        let (label, value) = match text {
            ColumnText::Family => (says.family, &column.family),
            ColumnText::Qualifier => (says.qualifier, &column.qualifier),
            ColumnText::Value => (says.value, &column.value),
        };
        let on_text = change.at(at, move |column, typed: String| match text {
            ColumnText::Family => column.family = typed,
            ColumnText::Qualifier => column.qualifier = typed,
            ColumnText::Value => column.value = typed,
        });
        let problem = found.first().map(|first| first.problem.message.clone());
        let note = format!("column-{number}-{label}").to_lowercase();
        column_field(label, (says.text_of)(label, number), note, value, problem, on_text)
    };
    let name = (says.name)(number);
    html! {
        // Another column has other fields, because a browser keeps what was typed.
        <li key={format!("{number} of {}", change.count)}>
            <div class="column-card" role="group" aria-label={name.clone()}>
            <div class="column-head">
                <span class="field-label">{name.clone()}</span>
                { tool(&(says.remove)(number), Icon::Close, change.remove(at)) }
            </div>
            <div class="column-texts">
                { for [ColumnText::Family, ColumnText::Qualifier, ColumnText::Value].map(field) }
                { time(at, column, change) }
            </div>
            </div>
        </li>
    }
}

/// Draws a field of one line after a label, with its problem.
fn column_field(
    label: &'static str,
    name: String,
    note: String,
    text: &str,
    problem: Option<String>,
    on_text: Callback<String>,
) -> Html {
    #[cfg(test)]
    crate::browser::used::note(&name, {
        let on_text = on_text.clone();
        move |text| {
            on_text.emit(text.into());
            Ok(())
        }
    });
    let described_by = problem.as_ref().map(|_| note.clone());
    html! {
        <div class="column-text">
            <label class="field">
                <span class="field-label" aria-hidden="true">{label}</span>
                <TypedText text={text.to_owned()} label={name} invalid={problem.is_some()} {described_by} {on_text} />
            </label>
            if let Some(problem) = problem { { problem_line(note, &problem) } }
        </div>
    }
}

fn problem_line(id: String, message: &str) -> Html {
    html! { <p {id} class="problem small" role="alert">{icon(Icon::Error)}<span>{message.to_owned()}</span></p> }
}

/// Draws the choice of the timestamp.
fn time(at: usize, column: &Column, change: &Changes) -> Html {
    let says = &messages().design.columns;
    let mut times: Vec<CellTime> = vec![CellTime::Event];
    times.extend(BUCKETS.map(CellTime::Bucket));
    times.push(CellTime::Zero);
    if !times.contains(&column.time) {
        times.push(column.time);
    }
    let texts: Vec<String> = times.iter().map(|time| (says.time_of)(*time)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let taken = times.iter().position(|time| *time == column.time);
    select(
        Label::Shown(says.time),
        &texts,
        taken,
        change.at(at, move |column, taken: usize| column.time = times[taken]),
    )
}
