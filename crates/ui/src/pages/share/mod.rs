//! The dialog that shares the workspace: a link, the same for Markdown, and files: the workspace, a picture, a report.

mod data;
mod markdown;
mod measured;
mod picture;
mod report;
mod tables;

use tabletop_schema::{Source, tables_of_designs};
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, html};

use crate::actions::{Actions, link_to};
use crate::browser;
use crate::messages::messages;
use crate::state::{Action, PageState, View};
use crate::widgets::{ButtonKind, Icon, icon, push, tool};
use markdown::markdown;
use measured::Measured;
use picture::{Colors, DARK, LIGHT, picture, size, strips};
use report::report;

const DIALOG: &str = "share";
/// The most characters of a link that all services keep.
const LINK_CHARS_MAX: usize = 8_000;

/// Returns a callback that opens the dialog.
pub fn open_share(actions: &Actions) -> Callback<()> {
    let draw = actions.look(|look| look.share = Some(""));
    Callback::from(move |()| {
        draw.emit(());
        browser::open_dialog(DIALOG);
    })
}

/// Draws the button of the dialog, and the dialog while it is open: no first visit needs its code.
pub fn share(state: &PageState, actions: &Actions) -> Html {
    html! {
        <>
            { push(messages().top_bar.share, Some(Icon::Share), ButtonKind::Quiet, open_share(actions)) }
            if let Some(said) = state.look.share { { share_dialog(said, state, actions) } }
        </>
    }
}

#[inline(never)]
fn share_dialog(said: &'static str, state: &PageState, actions: &Actions) -> Html {
    let close = Callback::from(|()| browser::close_dialog(DIALOG));
    let onclose = actions.look(|look| look.share = None).reform(|_| ());
    html! {
        <dialog id={DIALOG} class="share" data-undo="own" aria-labelledby="share-title" {onclose}>
            <div class="dialog-head">
                <h2 id="share-title">{messages().share.title}</h2>
                { tool(messages().common.close, Icon::Close, close) }
            </div>
            { contains(state) }
            { link(said, state, actions) }
        </dialog>
    }
}

/// Says what others will see.
fn contains(state: &PageState) -> Html {
    let (says, workspace) = (&messages().share, &state.workspace);
    let (designs, queries) = (tables_of_designs(&workspace.designs).len() as u64, workspace.queries.len() as u64);
    let Source::Own(own) = &workspace.source else {
        return html! { <p>{(says.contains)(designs, queries)}</p> };
    };
    html! {
        <>
            <p>{(says.contains_own)(designs, queries)}</p>
            <p class="share-own">
                {icon(Icon::Lock)}
                <span><strong>{says.events_stay}</strong>{" "}{(says.own_events)(&own.name)}</span>
            </p>
        </>
    }
}

/// Draws the link with its buttons, and those of the files.
fn link(said: &'static str, state: &PageState, actions: &Actions) -> Html {
    let (says, workspace) = (&messages().share, &state.workspace);
    let link = match link_to(state) {
        Ok(link) => link,
        Err(error) => {
            return html! {
                <>
                    <p class="problem">{icon(Icon::Error)}<span>{error.message}</span></p>
                    { files(said, state, "", actions) }
                </>
            };
        }
    };
    let copies = |text: String, said: &'static str| {
        let actions = actions.clone();
        Callback::from(move |()| copy(text.clone(), said, &actions))
    };
    let on_link = copies(link.clone(), says.link_copied);
    let on_markdown = copies(markdown(workspace, &link, &Measured::of(state)), says.markdown_copied);
    html! {
        <>
            <textarea class="textarea share-link mono" readonly=true rows="4" spellcheck="false" aria-label={says.link} value={link.clone()} />
            <p class="soft small">{(says.length)(link.len() as u64)}</p>
            if link.len() > LINK_CHARS_MAX {
                <p class="results-note">{icon(Icon::Warning)}<span>{(says.long)(LINK_CHARS_MAX as u64)}</span></p>
            }
            <div class="share-tools">
                { push(says.copy_link, Some(Icon::Copy), ButtonKind::Primary, on_link) }
                { push(says.copy_markdown, Some(Icon::Copy), ButtonKind::Plain, on_markdown) }
            </div>
            { files(said, state, &link, actions) }
        </>
    }
}

/// Draws the buttons that save files, and what was done last. The pictures, the report and the tables have what the view on the screen
/// has.
fn files(said: &'static str, state: &PageState, link: &str, actions: &Actions) -> Html {
    let says = &messages().share;
    let save = {
        let (workspace, actions) = (state.workspace.clone(), actions.clone());
        Callback::from(move |()| {
            actions.download(&workspace);
            tell(messages().common.workspace_saved, &actions);
        })
    };
    let offer = |file: &'static str, kind: &'static str, content: String| {
        let actions = actions.clone();
        Callback::from(move |()| {
            tell("", &actions);
            report_download(browser::download(file, kind, &content).is_ok(), &actions);
        })
    };
    let strips = strips(state);
    let on_svg = (!strips.is_empty()).then(|| offer("tabletop-tablets.svg", "image/svg+xml", picture(&strips, &LIGHT)));
    let png = (!strips.is_empty()).then(|| (picture(&strips, colors(state)), size(&strips)));
    let on_png = png.clone().map(|(svg, size)| save_png(svg, size, actions));
    let on_copy = png.filter(|_| browser::can_copy_pictures()).map(|(svg, size)| copy_png(svg, size, actions));
    let on_report = offer("tabletop-report.html", "text/html", report(state, link));
    let measured = Measured::of(state);
    let on_figures = measured.figures_csv().map(|text| offer("tabletop-figures.csv", "text/csv", text));
    let on_patterns = measured.patterns_csv().map(|text| offer("tabletop-access-patterns.csv", "text/csv", text));
    let on_json = measured.json(&state.workspace.name).map(|text| offer("tabletop-figures.json", "application/json", text));
    let tool = |text: &str, on_click: Option<Callback<()>>| push(text, Some(Icon::Download), ButtonKind::Plain, on_click);
    html! {
        <>
            <div class="share-head">
                <h3>{says.files}</h3>
                <p class="share-said" role="status">
                    if !said.is_empty() { {icon(Icon::Check)}<span>{said}</span> }
                </p>
            </div>
            <div class="share-tools">
                { tool(messages().top_bar.save, Some(save)) }
                { tool(says.save_report, Some(on_report)) }
            </div>
            <div class="share-tools" role="group" aria-label={says.pictures}>
                { tool(says.save_picture, on_svg) }
                { tool(says.save_png, on_png) }
                if let Some(on_copy) = on_copy { { push(says.copy_png, Some(Icon::Copy), ButtonKind::Plain, on_copy) } }
            </div>
            <div class="share-tools" role="group" aria-label={says.tables}>
                { tool(says.save_figures, on_figures) }
                { tool(says.save_patterns, on_patterns) }
                { tool(says.save_json, on_json) }
            </div>
            if state.look.view == View::Design { <p class="soft small">{says.one_design}</p> }
        </>
    }
}

/// The colours of the theme on the screen.
fn colors(state: &PageState) -> &'static Colors {
    let is_dark = match state.look.theme {
        Some(theme) => theme == "dark",
        None => browser::matches("(prefers-color-scheme: dark)"),
    };
    if is_dark { &DARK } else { &LIGHT }
}

fn save_png(svg: String, size: (f64, f64), actions: &Actions) -> Callback<()> {
    let actions = actions.clone();
    Callback::from(move |()| {
        let (svg, actions) = (svg.clone(), actions.clone());
        tell("", &actions);
        spawn_local(async move {
            match browser::png_of(svg, size).await {
                Ok(png) => report_download(browser::offer("tabletop-tablets.png", &png).is_ok(), &actions),
                Err(_) => tell(messages().share.no_png, &actions),
            }
        });
    })
}

fn copy_png(svg: String, size: (f64, f64), actions: &Actions) -> Callback<()> {
    let actions = actions.clone();
    Callback::from(move |()| {
        let (svg, actions) = (svg.clone(), actions.clone());
        let says = &messages().share;
        tell("", &actions);
        spawn_local(async move {
            tell(if browser::copy_png(svg, size).await { says.png_copied } else { says.png_not_copied }, &actions);
        });
    })
}

/// Announces whether a file was offered.
fn report_download(is_offered: bool, actions: &Actions) {
    tell(if is_offered { messages().common.downloaded } else { messages().common.download_forbidden }, actions);
}

/// A text as content or as an attribute in XML and HTML.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no other control characters, not even escaped.
            character if character.is_control() => out.push(' '),
            character => out.push(character),
        }
    }
    out
}

/// Copies a text, and says so in the dialog: what is outside of it is not read out while it is open.
fn copy(text: String, said: &'static str, actions: &Actions) {
    // The same announcement again is one only after another.
    tell("", actions);
    let actions = actions.clone();
    spawn_local(async move {
        let said = if browser::copy(&text).await { said } else { messages().common.copy_forbidden };
        tell(said, &actions);
    });
}

/// Announces a text in the dialog, if it is still open.
fn tell(said: &'static str, actions: &Actions) {
    actions.act.emit(Action::Look(Box::new(move |look| look.share = look.share.map(|_| said))));
}
