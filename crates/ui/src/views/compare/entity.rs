//! One entity in each design: the ranges, rows and cells that a read of all its events needs.

use std::ops::Bound;

use tabletop_keys::{Plan, PlanKind, RowChoice, Template};
use tabletop_model::{RowKey, RowSet, escape};
use tabletop_texts::compare::EntityCounts;
use tabletop_texts::messages;
use tabletop_workspace::Design;
use yew::{Html, html};

use crate::kit::{ButtonKind, Icon, icon, push};
use crate::page::actions::Actions;
use crate::page::state::{ChosenEvent, EntityReads, PageState};

/// The maximum number of ranges and keys of a design that are listed.
const RANGES_MAX: usize = 3;

/// Draws a button that reads all events of the chosen event's entity, and the outcome on each
/// design.
pub fn entity_section(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().compare.entity;
    let Some(entity) = entity_of_event(state) else { return html! {} };
    let reads = EntityReads::new(entity.clone(), &state.workspace.designs);
    let known = state.entity.as_deref().filter(|reads| reads.entity == entity);
    let label = (says.read)(&entity.0, &entity.1);
    html! {
        <section class="entity" aria-labelledby="entity-title">
            <h3 id="entity-title">{says.title}</h3>
            <p class="soft small">{says.about}</p>
            { push(&label, Some(Icon::Play), ButtonKind::Plain, actions.read_entity.reform(move |()| reads.clone())) }
            if let Some(reads) = known {
                <div class="anatomy-designs">{ for state.workspace.designs.iter().map(|design| on_design(design, reads, state)) }</div>
            }
        </section>
    }
}

/// Returns the field that names the entity of the chosen event, and its value.
fn entity_of_event(state: &PageState) -> Option<(String, String)> {
    let events = state.listed_events();
    let field = state.look_ups().first()?.field.as_ref()?;
    let at = events.fields.iter().position(|each| each.name == *field)?;
    let event =
        events.events.get(state.look.part::<ChosenEvent>().at.min(events.events.len().checked_sub(1)?))?;
    Some((field.clone(), event[at].clone()?))
}

fn on_design(design: &Design, reads: &EntityReads, state: &PageState) -> Html {
    let says = &messages().compare.entity;
    let problem =
        |text: &str| html! { <p class="problem small">{icon(Icon::Error)}<span>{text.to_owned()}</span></p> };
    let body = match reads.of(design) {
        None => html! { <p class="soft small">{says.reading}</p> },
        Some(Err(error)) => problem(&error.message),
        Some(Ok(cost)) => {
            let counts = EntityCounts {
                ranges: cost.ranges.into(),
                is_scan: plan_of(design, &reads.query().rows, state)
                    .is_some_and(|plan| plan.kind() == PlanKind::Scan),
                rows_seen: cost.stats.rows_seen,
                rows: cost.stats.rows_returned,
                cells: cost.stats.cells_returned,
                tablets: cost.stats.tablets_touched,
            };
            html! {
                <>
                    <p>{(says.counts)(&counts)}</p>
                    <ul class="entity-ranges small mono">{ ranges(design, &reads.query().rows, state) }</ul>
                </>
            }
        }
    };
    html! { <article class="anatomy-design" aria-label={(says.of_design)(&design.name)}><h4>{design.name.clone()}</h4>{body}</article> }
}

/// Draws the first row ranges and keys of the read.
fn ranges(design: &Design, rows: &RowChoice, state: &PageState) -> Html {
    let says = &messages().compare.entity;
    let Some(plan) = plan_of(design, rows, state) else { return html! {} };
    let texts = texts_of(&plan);
    html! {
        <>
            { for texts.iter().take(RANGES_MAX).map(|text| html! { <li>{text}</li> }) }
            if texts.len() > RANGES_MAX { <li class="soft">{(says.more_ranges)((texts.len() - RANGES_MAX) as u64)}</li> }
        </>
    }
}

/// Returns the reads of a design for these rows; `None` if its template has a problem.
fn plan_of(design: &Design, rows: &RowChoice, state: &PageState) -> Option<Plan> {
    let (template, problems) = Template::parse(&design.template, &state.shown.fields);
    template.plan(rows, &design.readable_layout()).ok().filter(|_| problems.is_empty())
}

fn texts_of(plan: &Plan) -> Vec<String> {
    let of_set = |set: &RowSet| -> Vec<String> {
        let keys = set.keys.iter().map(|key| escape(key));
        let end = |bound: &Bound<RowKey>| match bound {
            Bound::Included(key) | Bound::Excluded(key) => escape(key),
            Bound::Unbounded => String::new(),
        };
        let ranges =
            set.ranges.iter().map(|range| (messages().tablets.range)(&end(&range.start), &end(&range.end)));
        if set.is_all() {
            vec![messages().compare.entity.whole_table.into()]
        } else {
            keys.chain(ranges).collect()
        }
    };
    plan.parts.iter().flat_map(of_set).collect()
}
