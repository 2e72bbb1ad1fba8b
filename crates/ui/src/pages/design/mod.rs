//! Row key and layout: the template as text and as chips, what is unwise about it, and how an event becomes cells.

mod add_part;
pub mod edit;
pub mod fixes;
mod part_editor;
mod part_line;
mod parts;
mod text;
mod warnings;

use std::rc::Rc;

use tabletop_model::Problem;
use tabletop_schema::{Design, EventsView, Field, FieldKind, LayoutKind, Part, Template, Warning};
use yew::{AttrValue, Callback, Html, Properties, function_component, html};

use crate::results::format::count;
use crate::state::Edit;
use crate::widgets::{Icon, IconView, Segmented, Select};
use parts::PartList;
use text::TemplateText;
use warnings::Warnings;

/// Salts that the segmented control offers.
const SALTS: [u32; 4] = [4, 8, 16, 32];

/// Properties of [`DesignPane`].
#[derive(Properties, PartialEq)]
pub struct DesignPaneProps {
    /// The design on the screen.
    pub design: Design,
    /// Names of all designs.
    pub names: Vec<String>,
    /// Which of them is on the screen.
    pub selected: usize,
    /// Shows another.
    pub on_design: Callback<usize>,
    /// Parsed from its text.
    pub template: Rc<Template>,
    /// What is wrong with the text.
    pub problems: Rc<Vec<Problem>>,
    /// What is unwise about it.
    pub warnings: Rc<Vec<Warning>>,
    /// Events that could not be written, and why the first of them could not.
    pub refused: Option<(u32, AttrValue)>,
    /// Fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// The first events.
    pub preview: Rc<EventsView>,
    /// A change.
    pub on_edit: Callback<Edit>,
}

/// The pane's content.
#[function_component]
pub fn DesignPane(props: &DesignPaneProps) -> Html {
    let DesignPaneProps { design, template, on_edit, .. } = props;
    let on_text = on_edit.reform(Edit::Template);
    let on_typing = on_edit.reform(Edit::TemplateTyping);
    let spans = template
        .chips(None)
        .iter()
        .zip(template.parts())
        .map(|(chip, part)| (chip.span, !matches!(part, Part::Literal(_))))
        .collect::<Vec<_>>();
    let event = props.preview.events.first().cloned().map(Rc::new);
    html! {
        <>
            if props.names.len() > 1 {
                <Segmented
                    label="Design"
                    options={props.names.iter().enumerate().map(|(at, name)| (at.to_string().into(), name.clone().into())).collect::<Vec<_>>()}
                    selected={props.selected.to_string()}
                    on_select={props.on_design.reform(|at: AttrValue| at.parse().unwrap_or(0))}
                />
            }
            <TemplateText
                text={design.template.clone()}
                parts={spans}
                problems={(*props.problems).clone()}
                on_input={on_typing.clone()}
            />
            <PartList template={template.clone()} {event} on_change={on_text.clone()} {on_typing} />
            { layout(props, &on_text) }
            if let Some((events, reason)) = &props.refused {
                <p class="problem" role="alert">
                    <IconView icon={Icon::Error} />
                    <span>{format!("{} could not be written. The first: {reason}", count((*events).into(), "event"))}</span>
                </p>
            }
            <Warnings
                template={template.clone()}
                warnings={props.warnings.clone()}
                preview={props.preview.clone()}
                on_change={on_text.clone()}
            />
        </>
    }
}

/// Salt, layout, and the field that names the family.
fn layout(props: &DesignPaneProps, on_text: &Callback<String>) -> Html {
    let salt = edit::salt(&props.template);
    let mut salts = vec![(AttrValue::from("0"), AttrValue::from("Off"))];
    let mut offered = SALTS.to_vec();
    offered.extend(salt.filter(|salt| !SALTS.contains(salt)));
    offered.sort_unstable();
    salts.extend(offered.iter().map(|salt| (AttrValue::from(salt.to_string()), AttrValue::from(salt.to_string()))));
    let on_salt = on_text.reform({
        let template = props.template.clone();
        move |salt: AttrValue| edit::with_salt(&template, salt.parse().ok().filter(|&salt| salt > 0)).text()
    });
    let kinds = [("narrow", "Narrow"), ("wide", "Wide"), ("entity", "Row per entity")];
    let kind = match props.design.layout.kind {
        LayoutKind::Narrow => "narrow",
        LayoutKind::Wide => "wide",
        LayoutKind::RowPerEntity => "entity",
    };
    let on_kind = props.on_edit.reform(|kind: AttrValue| {
        Edit::Layout(match kind.as_str() {
            "narrow" => LayoutKind::Narrow,
            "wide" => LayoutKind::Wide,
            _ => LayoutKind::RowPerEntity,
        })
    });
    let has_facets = props.fields.iter().any(|field| field.kind == FieldKind::Facets);
    html! {
        <div class="layout-controls">
            <span class="field-label" aria-hidden="true">{"Salt"}</span>
            <Segmented label="Salt" options={salts} selected={salt.unwrap_or(0).to_string()} on_select={on_salt} />
            <span class="field-label" aria-hidden="true">{"Layout"}</span>
            <Segmented
                label="Layout"
                options={kinds.map(|(value, text)| (value.into(), text.into())).to_vec()}
                selected={kind}
                on_select={on_kind}
            />
            <p class="soft small layout-about">{about(props.design.layout.kind, has_facets)}</p>
            if !has_facets && !props.fields.is_empty() {
                <span class="field-label" aria-hidden="true">{"Family"}</span>
                { family(props) }
            }
        </div>
    }
}

/// One line on what a layout does to an event.
fn about(kind: LayoutKind, has_facets: bool) -> &'static str {
    match (kind, has_facets) {
        (LayoutKind::Narrow, true) => "One cell an event: family = event type, column = event name, value = all facets as JSON.",
        (LayoutKind::Narrow, false) => "One cell an event: the whole record as JSON.",
        (LayoutKind::Wide, true) => "A cell for each facet: a filter picks those that it needs on the server.",
        (LayoutKind::Wide, false) => "A cell for each field: a filter picks those that it needs on the server.",
        (LayoutKind::RowPerEntity, _) => {
            "All events of one key in one row: the time leaves the key and becomes the cells' timestamp."
        }
    }
}

fn family(props: &DesignPaneProps) -> Html {
    let mut options = vec![(AttrValue::from(""), AttrValue::from("One for all"))];
    let names = props.fields.iter().filter(|field| matches!(field.kind, FieldKind::Text | FieldKind::Bool));
    options.extend(names.map(|field| (AttrValue::from(field.name.clone()), AttrValue::from(format!("Value of {}", field.name)))));
    let selected = AttrValue::from(props.design.layout.family_field.clone().unwrap_or_default());
    let on_select =
        props.on_edit.reform(|name: AttrValue| Edit::FamilyField(Some(name.to_string()).filter(|name| !name.is_empty())));
    html! { <Select label="Family" hide_label=true {options} {selected} {on_select} /> }
}
