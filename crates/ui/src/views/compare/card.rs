//! One design in the list: its name and tools, its verdict, and its tablets.

use tabletop_advice::{DesignFigures, Effect, Tone};
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::{DESIGN_NAME_CHARS_MAX, DesignList, DesignsChange};
use yew::{
    Callback, Html, KeyboardEvent, Properties, UseStateHandle, classes, function_component, html, use_state,
};

use super::strip::strip;
use crate::kit::{Icon, NameField, callback, clicked, icon};
use crate::page::state::TabletOfEvent;
use crate::panes::tablets::effects_line;

/// Properties of [`DesignCard`].
#[derive(Properties, PartialEq)]
pub struct DesignCardProps {
    /// Index of the design.
    pub at: usize,
    /// All designs.
    pub list: DesignList,
    /// How it stores an event: see [`tabletop_views::in_words::storage_of`].
    pub storage: String,
    /// The template of its stored keys, if it differs: a row per entity has no time in its key.
    pub stored_key: Option<String>,
    /// The figures, if they are known.
    pub figures: Option<DesignFigures>,
    /// The tablet that contains the row of the chosen event.
    pub mark: Option<TabletOfEvent>,
    /// The effect of the last edit, if it was an edit of this design.
    pub effects: Option<Vec<Effect>>,
    /// Changes the list.
    pub on_change: Callback<DesignsChange>,
    /// Shows the design in the editor.
    pub on_edit: Callback<()>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws a design. Alt+Up and Alt+Down move it, as its buttons do.
#[function_component]
pub fn DesignCard(props: &DesignCardProps) -> Html {
    let naming = use_state(|| false);
    let DesignCardProps { at, list, figures, .. } = props;
    let design = &list.designs[*at];
    let shown = *at == list.shown;
    html! {
        <li class={classes!("design-card", shown.then_some("shown"), design.index_of.as_ref().map(|_| "index-table"))} onkeydown={on_key(props)}>
            <div class="design-card-head">
                if *naming {
                    { name_field(props, &naming) }
                } else {
                    <h3 class="design-name">{design.name.clone()}</h3>
                    { tools(props, &naming) }
                }
            </div>
            <p class="design-key small">
                if let Some(of) = &design.index_of { <span class="soft">{(messages().compare.index_of)(of)}</span> }
                <code class="mono">{design.template.clone()}</code>
                <span class="soft">{props.storage.clone()}</span>
                if let Some(stored) = &props.stored_key {
                    <span class="soft">{messages().compare.stored_key}<code class="mono">{stored.clone()}</code></span>
                }
            </p>
            // In an element of its own: the buttons above keep the focus when the content below
            // them changes.
            <div>
                { headline(figures.as_ref()) }
                { for props.effects.iter().map(|effects| effects_line(messages().tablets.effects.title, effects)) }
                { for figures.iter().map(|figures| strip(figures, props.mark)) }
            </div>
        </li>
    }
}

fn name_field(props: &DesignCardProps, naming: &UseStateHandle<bool>) -> Html {
    let (says, at, list) = (&messages().compare, props.at, props.list.clone());
    let on_end = {
        let naming = naming.clone();
        move |()| naming.set(false)
    };
    html! {
        <NameField
            problem_id={format!("design-name-problem-{at}")}
            label={says.name}
            save={says.save}
            cancel={messages().compare.cancel}
            name={list.designs[at].name.clone()}
            chars_max={DESIGN_NAME_CHARS_MAX}
            opener={format!(".design-cards > li:nth-child({}) .tool-rename", at + 1)}
            prevents={move |name: String| list.prevents(&DesignsChange::Rename(at, name)).map(|why| (messages().designs_problem)(&why))}
            on_save={props.on_change.reform(move |name: String| DesignsChange::Rename(at, name))}
            {on_end}
        />
    }
}

fn on_key(props: &DesignCardProps) -> Callback<KeyboardEvent> {
    let (from, list, on_change) = (props.at, props.list.clone(), props.on_change.clone());
    Callback::from(move |event: KeyboardEvent| {
        let to = match (event.key().as_str(), event.alt_key()) {
            ("ArrowUp", true) => from.checked_sub(1),
            ("ArrowDown", true) => Some(from + 1),
            _ => return,
        };
        event.prevent_default();
        let change = to.map(|to| DesignsChange::Move { from, to });
        if let Some(change) = change.filter(|change| list.prevents(change).is_none()) {
            on_change.emit(change);
        }
    })
}

/// Draws the buttons. Those that would do nothing are disabled; a single design can be neither moved nor
/// removed.
fn tools(props: &DesignCardProps, naming: &UseStateHandle<bool>) -> Html {
    let (at, list, says) = (props.at, &props.list, &messages().compare);
    let name = list.designs[at].name.as_str();
    let able = |change: DesignsChange| {
        list.prevents(&change).is_none().then(|| props.on_change.reform(move |()| change.clone()))
    };
    let move_to = |to: Option<usize>| to.and_then(|to| able(DesignsChange::Move { from: at, to }));
    let rename = callback(naming, move |naming, ()| naming.set(true));
    let is_shown = at == list.shown;
    html! {
        <span class="design-tools" role="group" aria-label={name.to_owned()}>
            { button(Tool { class: "tool-edit", face: Face::Text(says.edit_short), name: (says.edit)(name), pressed: Some(is_shown), on_click: Some(props.on_edit.clone()) }) }
            { button(Tool { class: "tool-rename", face: Face::Text(says.rename_short), name: (says.rename)(name), pressed: None, on_click: Some(rename) }) }
            { button(Tool { class: "tool-duplicate", face: Face::Text(says.duplicate_short), name: (says.duplicate)(name), pressed: None, on_click: able(DesignsChange::Duplicate(at)) }) }
            { button(Tool { class: "tool-index", face: Face::Text(says.index_short), name: (says.index)(name), pressed: None, on_click: able(DesignsChange::AddIndex(at)) }) }
            if list.designs.len() > 1 {
                { button(Tool { class: "tool-up", face: Face::Icon(Icon::Up), name: (says.move_up)(name), pressed: None, on_click: move_to(at.checked_sub(1)) }) }
                { button(Tool { class: "tool-down", face: Face::Icon(Icon::Down), name: (says.move_down)(name), pressed: None, on_click: move_to(Some(at + 1)) }) }
                { button(Tool { class: "tool-remove", face: Face::Icon(Icon::Close), name: (says.remove)(name), pressed: None, on_click: able(DesignsChange::Remove(at)) }) }
            }
        </span>
    }
}

/// A button for one design.
struct Tool {
    /// Finds it in the document.
    class: &'static str,
    face: Face,
    /// The accessible name, including the design's name.
    name: String,
    /// Whether it is pressed, if it is a toggle.
    pressed: Option<bool>,
    /// `None` for a disabled button.
    on_click: Option<Callback<()>>,
}

/// What a button shows.
enum Face {
    Text(&'static str),
    Icon(Icon),
}

fn button(tool: Tool) -> Html {
    let (shape, face) = match tool.face {
        Face::Text(text) => ("", html! { {text} }),
        Face::Icon(shown) => ("icon-only", icon(shown)),
    };
    let onclick = tool.on_click.as_ref().map(|on_click| clicked(&tool.name, on_click));
    html! {
        <button
            type="button"
            class={classes!("button", "quiet", shape, tool.class)}
            disabled={tool.on_click.is_none()}
            title={tool.name.clone()}
            aria-label={tool.name}
            aria-pressed={tool.pressed.map(|pressed| pressed.to_string())}
            {onclick}
        >
            {face}
        </button>
    }
}

/// Draws the verdict on a design, or why there is none.
fn headline(figures: Option<&DesignFigures>) -> Html {
    let says = &messages().compare;
    let Some(figures) = figures else {
        return html! { <p class="soft small">{says.comes}</p> };
    };
    let problem =
        |text: String| html! { <p class="problem small">{icon(Icon::Error)}<span>{text}</span></p> };
    if !figures.problems.is_empty() {
        return problem(says.template_invalid.into());
    }
    let (class, mark) = match figures.verdict.tone {
        Tone::Plain => ("", None),
        Tone::Good => ("good", Some(Icon::Check)),
        Tone::Caution => ("caution", Some(Icon::Warning)),
        Tone::Hot => ("hot", Some(Icon::Hot)),
    };
    // The reason for the sign, which the Design view shows in a banner.
    let advice = figures.verdict.advice.as_ref().map(messages().advice.explanation);
    html! {
        <>
            <p class={classes!("headline", "small", class)} title={advice.clone()}>
                { for mark.map(icon) }{(messages().advice.headline)(&figures.verdict)}
                if let Some(advice) = advice { <span class="visually-hidden">{". "}{advice}</span> }
            </p>
            if figures.events_refused > 0 { { problem((says.refused)(figures.events_refused.into())) } }
        </>
    }
}
