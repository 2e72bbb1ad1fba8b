//! Row key and layout: the template as text and as chips, its warnings, and the layout.

mod add_part;
mod columns;
mod gc_count;
mod gc_rules;
pub mod look;
mod look_up;
mod part_editor;
mod part_line;
mod parts;
mod text;
mod warnings;

use std::rc::Rc;

use tabletop_keys::{Encoding, Field, FieldKind, LayoutKind, Part, complete_template, edit};
use tabletop_texts::messages;
use tabletop_workspace::{DesignsChange, Place, ViewId, table_name};
use web_sys::HtmlTextAreaElement;
use yew::{Callback, Html, InputEvent, TargetCast, html};

use crate::browser::byte_at;
use crate::kit::{
    ButtonKind, Completions, Icon, Label, SegmentSize, choices_with, icon, push, segmented, select,
};
use crate::page::actions::Actions;
use crate::page::state::{Action, Edit, Look, PageState, Pane, PartColors};
use crate::panes::export::open_export;
use crate::panes::query::completing;
use crate::panes::shell::foldable;
use crate::views::view::{Frame, Target, View, play_events};
use gc_rules::{GC_RULES, gc_rules};
use look::EditorLook;
use parts::part_list;
use text::{PartSpan, template_text};
use warnings::warnings;

/// Salts that the segmented control offers.
const SALTS: [u32; 4] = [4, 8, 16, 32];
/// Layouts in the order of the control.
const KINDS: [LayoutKind; 4] =
    [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity, LayoutKind::Columns];

/// The view: the panes of the page, of which the one in this folder is in the column.
pub const VIEW: View = View {
    id: ViewId::Design,
    name: || messages().top_bar.design,
    frame: Frame::Panes,
    play: play_events,
    place,
    has_figures: false,
};

/// Returns where the view has a part.
fn place(place: Place) -> Option<Target> {
    Some(match place {
        Place::Query => Target::new(Pane::Query, ".pane-query"),
        Place::Cost => Target::new(Pane::Results, ".pane-results .cost"),
        Place::Keys => Target::new(Pane::Tablets, ".pane-keys"),
        Place::Warnings => Target::new(Pane::Tablets, ".advice"),
        Place::GcRules => Target { opens: Some(unfold_rules), ..Target::new(Pane::Design, "#unfolded-gc") },
        Place::RowViews => Target::new(Pane::Results, ".pane-results .results-tools"),
        _ => return None,
    })
}

fn unfold_rules(look: &mut Look) {
    if !look.unfolded.contains(&GC_RULES) {
        look.unfolded.push(GC_RULES);
    }
}

/// Draws the content of the pane.
pub fn design_pane(state: &PageState, actions: &Actions) -> Html {
    let template = &state.shown.template;
    let chips = template.chips(&state.design().layout, None);
    let spans: Vec<_> = chips
        .iter()
        .zip(template.parts())
        .map(|(chip, part)| PartSpan { span: chip.span, solid: !matches!(part, Part::Literal(_)) })
        .collect();
    let refusal = state
        .view
        .refusal
        .as_ref()
        .map(|error| (messages().design.refused)(state.view.events_refused.into(), &error.message));
    let completing = actions.part(|look: &mut EditorLook| look.completing = true);
    let oninput = (!state.look.part::<EditorLook>().completing).then(|| {
        Callback::from(move |event: InputEvent| {
            if is_within_braces(&event.target_unchecked_into()) {
                completing.emit(());
            }
        })
    });
    let kept = state.shown.right.as_ref().filter(|_| state.view.events_built > 0).map(|right| right.text());
    html! {
        <>
            { look_up::look_up(state, actions) }
            { designs(state, actions) }
            <div {oninput}>{ template_text(&state.design().template, &spans, &PartColors::new(template), &state.shown.problems, kept, actions.edit.reform(Edit::TemplateTyping), completions(state)) }</div>
            { part_list(state, actions) }
            { layout(state, actions) }
            { columns::columns(state, actions) }
            { stored_form(state, actions) }
            if let Some(refusal) = refusal {
                <p class="problem" role="alert">{icon(Icon::Error)}<span>{refusal}</span></p>
            }
            // Warnings of the last valid template do not apply to what is being typed.
            if state.shown.problems.is_empty() { { warnings(state, actions) } }
            <p class="design-ends">
                { push(messages().design.export, Some(Icon::Download), ButtonKind::Quiet, open_export(actions)) }
            </p>
        </>
    }
}

/// Returns whether the caret is where a field or a function can stand.
fn is_within_braces(area: &HtmlTextAreaElement) -> bool {
    let text = area.value();
    let before = &text[..byte_at(&text, area.selection_start().ok().flatten())];
    before.rfind('{') > before.rfind('}')
}

/// Draws the completions of the template, once something is typed that they can complete: a first
/// visit does not need their code.
fn completions(state: &PageState) -> Html {
    if state.look.part::<EditorLook>().completing {
        template_completions(&state.shown.fields)
    } else {
        html! {}
    }
}

#[inline(never)]
fn template_completions(fields: &Rc<Vec<Field>>) -> Html {
    let fields = fields.clone();
    let complete = completing(move |text, at| complete_template(text, at, &fields));
    html! { <Completions area="template-text" {complete} /> }
}

/// Draws the choice of a design, if there are several. Compare adds and removes them.
fn designs(state: &PageState, actions: &Actions) -> Html {
    if state.workspace.designs.len() < 2 {
        html! {}
    } else {
        design_choice(state, actions)
    }
}

#[inline(never)]
fn design_choice(state: &PageState, actions: &Actions) -> Html {
    let names: Vec<String> = state.workspace.designs.iter().map(table_name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let choice = select(
        Label::Shown(messages().design.design),
        &names,
        Some(state.design),
        actions.act.reform(Action::SelectDesign),
    );
    let index = state.design().index_of.as_deref().map(messages().design.index_about);
    // Other options make another control, because a browser drops a choice that it does not have
    // yet.
    html! {
        <>
            <span key={names.join("\n")}>{choice}</span>
            if let Some(about) = index { <p class="soft small">{about}</p> }
        </>
    }
}

/// Draws a button that adds an index table to the design, or a note if there are too many.
fn add_index(state: &PageState, actions: &Actions) -> Html {
    let design = state.design;
    let on_click = actions.edit.reform(move |()| Edit::Designs(DesignsChange::AddIndex(design)));
    push(messages().compare.add_index, Some(Icon::Plus), ButtonKind::Quiet, on_click)
}

/// Draws the salt, the layout, and the field that names the family.
fn layout(state: &PageState, actions: &Actions) -> Html {
    let template = &state.shown.template;
    let says = &messages().design;
    let salt = edit::salt(template);
    let salts = choices_with(&SALTS, salt);
    let texts: Vec<String> =
        std::iter::once(says.no_salt.to_owned()).chain(salts.iter().map(u32::to_string)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let taken = salt.map_or(Some(0), |salt| salts.iter().position(|each| *each == salt).map(|at| at + 1));
    let on_salt = actions.edit.reform({
        let template = template.clone();
        move |at: usize| {
            let salt = at.checked_sub(1).map(|at| salts[at]);
            Edit::Template(edit::with_salt(&template, salt).text())
        }
    });
    let kind = state.design().layout.kind;
    let taken_kind = KINDS.iter().position(|each| *each == kind);
    let on_kind: Callback<usize> = actions.edit.reform(|at: usize| Edit::Layout(KINDS[at]));
    html! {
        <div class="layout-controls">
            <span class="field-label" aria-hidden="true">{says.salt}</span>
            { segmented(says.salt, &texts, taken, SegmentSize::Usual, on_salt) }
            <span class="field-label" aria-hidden="true">{says.layout}</span>
            { segmented(says.layout, &[says.narrow, says.wide, says.row_per_entity, says.own_columns], taken_kind, SegmentSize::Usual, on_kind) }
            <p class="soft small layout-about">{about(state)}</p>
            if !has_facets(state) && !state.shown.fields.is_empty() && kind != LayoutKind::Columns {
                <span class="field-label" aria-hidden="true">{says.family}</span>
                { family(state, actions) }
            }
        </div>
    }
}

/// Draws what few edits of a design change, folded at first: the encoding of values, the GC rules of
/// families, and index tables.
fn stored_form(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.gc;
    let has_encoding = state.design().layout.has_encoding(&state.shown.fields);
    let title = if has_encoding { says.title_with_encoding } else { says.title };
    foldable(GC_RULES, title.into(), state, actions, &|| stored_form_fields(state, actions))
}

#[inline(never)]
fn stored_form_fields(state: &PageState, actions: &Actions) -> Html {
    html! {
        <>
            <div class="layout-controls">{ encoding(state, actions) }</div>
            { gc_rules(state, actions) }
            { add_index(state, actions) }
        </>
    }
}

/// Draws the choice of the encoding, for values that have one.
fn encoding(state: &PageState, actions: &Actions) -> Html {
    let (layout, says) = (&state.design().layout, &messages().design);
    if !layout.has_encoding(&state.shown.fields) {
        return html! {};
    }
    let taken = Encoding::ALL.iter().position(|each| *each == layout.encoding);
    let on_select: Callback<usize> = actions.edit.reform(|at: usize| Edit::Encoding(Encoding::ALL[at]));
    html! {
        <>
            <span class="field-label" aria-hidden="true">{says.encoding}</span>
            { select(Label::Hidden(says.encoding), &says.encodings, taken, on_select) }
            if layout.encoding != Encoding::Json {
                <p class="soft small encoding-about">{(says.encoding_about)(layout.encoding)}</p>
            }
        </>
    }
}

fn has_facets(state: &PageState) -> bool {
    state.shown.fields.iter().any(|field| field.kind == FieldKind::Facets)
}

/// Returns one line on how the layout stores an event under this key.
fn about(state: &PageState) -> &'static str {
    let (template, layout, says) = (&state.shown.template, &state.design().layout, &messages().design);
    let time_leaves = template.stored_parts(layout).len() < template.parts().len();
    match (layout.kind, has_facets(state)) {
        (LayoutKind::Narrow, _) => says.narrow_about,
        (LayoutKind::Wide, true) => says.wide_facets_about,
        (LayoutKind::Wide, false) => says.wide_about,
        (LayoutKind::RowPerEntity, _) if time_leaves => says.row_per_entity_about,
        (LayoutKind::RowPerEntity, _) => says.row_per_entity_unchanged_about,
        (LayoutKind::Columns, _) => says.own_columns_about,
    }
}

fn family(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design;
    let names =
        state.shown.fields.iter().filter(|field| matches!(field.kind, FieldKind::Text | FieldKind::Bool));
    let names: Vec<String> = names.map(|field| field.name.clone()).collect();
    let texts: Vec<String> = names.iter().map(|name| (says.family_of)(name)).collect();
    let texts: Vec<&str> = std::iter::once(says.one_family).chain(texts.iter().map(String::as_str)).collect();
    let taken = match &state.design().layout.family_field {
        None => Some(0),
        Some(name) => names.iter().position(|each| each == name).map(|at| at + 1),
    };
    let on_select = actions
        .edit
        .reform(move |at: usize| Edit::FamilyField(at.checked_sub(1).map(|at| names[at].clone())));
    select(Label::Hidden(says.family), &texts, taken, on_select)
}
