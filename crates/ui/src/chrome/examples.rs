//! The dialog of examples, and the note on the one that is open.

use std::rc::Rc;

use tabletop_client::json;
use tabletop_texts::example_texts::ExampleText;
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::{Example, ExampleId, ExampleKind, Place, Workspace, example, measures_the_same};
use yew::{Callback, Html, MouseEvent, Properties, function_component, html, use_memo};

use super::places::{open_at, show_place};
use crate::browser;
use crate::kit::{ButtonKind, Icon, push, tool};
use crate::page::actions::{Actions, show_view};
use crate::page::state::{Action, PageState, Part, SavedAction};

const DIALOG: &str = "examples";

/// The dialog of examples, and the note on the one that is open.
#[derive(Clone, Default)]
struct ExamplesLook {
    /// Whether the dialog is open.
    open: bool,
    /// The example whose note was closed.
    note_read: Option<ExampleId>,
}

impl Part for ExamplesLook {}

/// Draws the button of the dialog, and the dialog while it is open: a first visit does not need its
/// code.
pub fn examples_button(state: &PageState, actions: &Actions) -> Html {
    let draw = actions.part(|look: &mut ExamplesLook| look.open = true);
    let open = Callback::from(move |()| {
        draw.emit(());
        browser::open_dialog(DIALOG);
    });
    html! {
        <>
            { push(messages().top_bar.examples, Some(Icon::Examples), ButtonKind::Quiet, open) }
            if state.look.part::<ExamplesLook>().open { { examples_dialog(actions) } }
        </>
    }
}

#[inline(never)]
fn examples_dialog(actions: &Actions) -> Html {
    let onclose = actions.part(|look: &mut ExamplesLook| look.open = false).reform(|_| ());
    let list = |kind| {
        let of = Example::ALL.into_iter().enumerate().filter(move |(_, example)| example.kind() == kind);
        of.map(|(at, example)| line(at, example, actions))
    };
    let says = &messages().examples;
    html! {
        <dialog id={DIALOG} class="examples" aria-labelledby="examples-title" {onclose}>
            <div class="dialog-head">
                <h2 id="examples-title">{says.title}</h2>
                { tool(messages().common.close, Icon::Close, Callback::from(|()| browser::close_dialog(DIALOG))) }
            </div>
            <p class="soft">{says.about}</p>
            <ul aria-labelledby="examples-title">{ for list(ExampleKind::Designs) }</ul>
            <h3 id="examples-profiles">{says.profiles}</h3>
            <p class="soft">{says.profiles_about}</p>
            <ul aria-labelledby="examples-profiles">{ for list(ExampleKind::Profiles) }</ul>
            <h3 id="examples-load">{says.under_load}</h3>
            <p class="soft">{says.under_load_about}</p>
            <ul aria-labelledby="examples-load">{ for list(ExampleKind::Load) }</ul>
        </dialog>
    }
}

/// Draws an example as a button, with what to look at below it.
fn line(at: usize, example: Example, actions: &Actions) -> Html {
    let (actions, says) = (actions.clone(), (messages().example)(example));
    let about = format!("example-{at}");
    let onclick = Callback::from(move |_| {
        browser::close_dialog(DIALOG);
        open_example(example, &actions);
    });
    html! {
        <li>
            <button type="button" class="example" aria-describedby={about.clone()} {onclick}>{says.title}</button>
            <p id={about} class="soft small">{says.about}</p>
        </li>
    }
}

/// Opens an example in this tab. The user's own workspace stays saved, and Undo returns to it.
/// Traffic is simulated, several designs are shown next to each other, and a view of many sections
/// is opened at the one that the text starts with.
pub fn open_example(example: Example, actions: &Actions) {
    let says = (messages().example)(example);
    let workspace: Workspace = json::read(example.json()).expect("a test opens every example");
    let view = example.view(&workspace);
    // Panes that stay keep their scroll position, and what the text points at may be out of sight.
    browser::scroll_to_beginning();
    actions.part(|look: &mut ExamplesLook| look.note_read = None).emit(());
    actions.act.emit(Action::Saved(SavedAction::Visit(Rc::new(workspace), 0)));
    show_view(&actions.act, view);
    if example.kind() == ExampleKind::Profiles
        && let Some(&(_, place)) = says.places.first()
    {
        open_at(place, &actions.act);
    }
    actions.say((messages().examples.opened)(says.title, says.about));
}

/// Draws what to look at, as long as the workspace is an example and the note is not closed.
pub fn example_note(state: &PageState, actions: &Actions) -> Html {
    // Most workspaces are not an example, and need no further code.
    match &state.workspace.example {
        Some(id) if state.look.part::<ExamplesLook>().note_read.as_ref() != Some(id) => {
            note(id, state, actions)
        }
        _ => html! {},
    }
}

#[inline(never)]
fn note(id: &ExampleId, state: &PageState, actions: &Actions) -> Html {
    let Some(shown) = example(&state.workspace) else { return html! {} };
    let &ExampleText { title, about, places } = (messages().example)(shown);
    let id = id.clone();
    let close = actions.part(move |look: &mut ExamplesLook| look.note_read = Some(id.clone()));
    html! {
        <div class="banner example-note" role="note" aria-label={messages().examples.note}>
            <p>
                <strong>{title}{"."}</strong>{" "}
                <Changed key={shown.id()} workspace={state.workspace.clone()} />
                { pointing(about, places, actions) }
            </p>
            { tool(messages().examples.close_note, Icon::Close, close) }
        </div>
    }
}

/// Properties of [`Changed`].
#[derive(Properties, PartialEq)]
struct ChangedProps {
    /// An example in its current state.
    workspace: Rc<Workspace>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// Shows that the text of an example describes it as opened, once the user has changed what such
/// texts are about. It is a component, so that the example is read once.
#[function_component]
fn Changed(props: &ChangedProps) -> Html {
    let opened =
        use_memo((), |()| example(&props.workspace).and_then(|example| json::read(example.json()).ok()));
    let is_changed =
        opened.as_ref().as_ref().is_some_and(|opened| !measures_the_same(opened, &props.workspace));
    html! { if is_changed { <em>{messages().examples.changed}</em>{" "} } }
}

/// Draws a text whose phrases show the parts of the page that they name.
fn pointing(text: &'static str, places: &'static [(&'static str, Place)], actions: &Actions) -> Html {
    let mut rest = text;
    let mut parts = Vec::new();
    for &(phrase, place) in places {
        let (before, after) = rest.split_once(phrase).unwrap_or((rest, ""));
        let actions = actions.clone();
        let onclick = Callback::from(move |_: MouseEvent| show_place(place, &actions.act));
        parts.push(html! {
            <>
                {before}
                <button type="button" class="example-place" title={messages().examples.show} {onclick}>{phrase}</button>
            </>
        });
        rest = after;
    }
    html! { <>{ for parts }{rest}</> }
}
