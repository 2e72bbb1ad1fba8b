//! The dialog that shares the workspace: a link, the link for Markdown, and files: the workspace,
//! pictures, tables, a report. While it is open, the engine measures all designs; a file requested
//! earlier waits for that.

mod look;
mod make;
mod recorded;

use tabletop_protocol::{LoadState, Playback};
use tabletop_texts::messages;
use tabletop_views::{
    scene::{DARK, LIGHT},
    share::{Contents, Known, PictureOf, Progress, has_map},
};
use tabletop_workspace::{Source, tables_of_designs};
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, Properties, function_component, html, use_effect_with};

use crate::browser;
use crate::kit::{ButtonKind, Icon, SegmentSize, icon, push, segmented, tool};
use crate::page::actions::{Actions, link_to};
use crate::page::state::{Action, EngineState, PageState};
pub use look::Sharing;
use look::{ShareFile, ShareLook, ShareWish};
use make::{Making, make};
pub use recorded::recorded_note;

const DIALOG: &str = "share";
/// The maximum number of characters of a link that all services preserve.
const LINK_CHARS_MAX: usize = 8_000;

/// Returns a callback that opens the dialog.
pub fn open_share(actions: &Actions) -> Callback<()> {
    let draw = actions.part(|sharing: &mut Sharing| sharing.dialog = Some(ShareLook::default()));
    Callback::from(move |()| {
        draw.emit(());
        browser::open_dialog(DIALOG);
    })
}

/// Draws the button of the dialog, and the dialog while it is open: a first visit does not need its
/// code.
pub fn share(state: &PageState, actions: &Actions) -> Html {
    html! {
        <>
            { push(messages().top_bar.share, Some(Icon::Share), ButtonKind::Quiet, open_share(actions)) }
            if state.look.part::<Sharing>().dialog.is_some() { { share_dialog(state, actions) } }
        </>
    }
}

#[inline(never)]
fn share_dialog(state: &PageState, actions: &Actions) -> Html {
    let close = Callback::from(|()| browser::close_dialog(DIALOG));
    let onclose = actions.part(|sharing: &mut Sharing| sharing.dialog = None).reform(|_| ());
    html! {
        <dialog id={DIALOG} class="share" data-undo="own" aria-labelledby="share-title" {onclose}>
            <div class="dialog-head">
                <h2 id="share-title">{messages().share.title}</h2>
                { tool(messages().common.close, Icon::Close, close) }
            </div>
            { contains(state) }
            { recorded::consent(state, actions) }
            { link(state, actions) }
        </dialog>
    }
}

/// Draws what others will see.
fn contains(state: &PageState) -> Html {
    let (says, workspace) = (&messages().share, &state.workspace);
    let (designs, queries) =
        (tables_of_designs(&workspace.designs).len() as u64, workspace.queries.len() as u64);
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
fn link(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().share;
    let link = match link_to(state, recorded::text(state)) {
        Ok(link) => link,
        Err(error) => {
            return html! {
                <>
                    <p class="problem">{icon(Icon::Error)}<span>{error.message}</span></p>
                    { files(state, "", actions) }
                </>
            };
        }
    };
    let copies = |text: String, said: &'static str| {
        let actions = actions.clone();
        Callback::from(move |()| copy(text.clone(), said, &actions))
    };
    let on_link = copies(link.clone(), says.link_copied);
    let on_markdown = wish(ShareFile::Markdown, actions);
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
            { files(state, &link, actions) }
        </>
    }
}

/// Draws the buttons that save files, and what was done last.
fn files(state: &PageState, link: &str, actions: &Actions) -> Html {
    let says = &messages().share;
    let sharing = state.look.part::<Sharing>();
    let Some(look) = &sharing.dialog else { return html! {} };
    let save = {
        let (workspace, actions) = (state.workspace.clone(), actions.clone());
        Callback::from(move |()| {
            actions.download(&workspace);
            tell(messages().common.workspace_saved, &actions);
        })
    };
    let tool =
        |file: ShareFile| push(name_of(file), Some(Icon::Download), ButtonKind::Plain, wish(file, actions));
    let pictures = pictures_of(state);
    let shown = pictures.iter().position(|of| *of == look.picture).unwrap_or(0);
    let names: Vec<&str> = pictures.iter().map(|of| says.pictures_of[*of as usize]).collect();
    let on_picture = {
        let pictures = pictures.clone();
        change(actions, move |look, at: usize| look.picture = pictures.get(at).copied().unwrap_or_default())
    };
    let on_background = change(actions, |look, at: usize| look.dark = Some(at == 1));
    let background = usize::from(is_dark(state));
    html! {
        <>
            <div class="share-head">
                <h3>{says.files}</h3>
                <p class="share-said" role="status">
                    if !look.said.is_empty() { {icon(Icon::Check)}<span>{look.said}</span> }
                </p>
            </div>
            { progress(state, look, actions) }
            <div class="share-tools">
                { push(messages().top_bar.save, Some(Icon::Download), ButtonKind::Plain, save) }
                { tool(ShareFile::Report) }
            </div>
            <div class="share-tools" role="group" aria-label={says.tables}>
                { tool(ShareFile::Figures) }
                if !state.workspace.queries.is_empty() { { tool(ShareFile::Patterns) } }
                { tool(ShareFile::Json) }
            </div>
            <div class="share-tools" role="group" aria-label={says.pictures}>
                if names.len() > 1 { { segmented(says.picture_of, &names, Some(shown), SegmentSize::Usual, on_picture) } }
                { segmented(says.background, &says.backgrounds, Some(background), SegmentSize::Usual, on_background) }
                { tool(ShareFile::Svg) }
                { tool(ShareFile::Png) }
                if browser::can_copy_pictures() { { push(says.copy_png, Some(Icon::Copy), ButtonKind::Plain, wish(ShareFile::CopyPng, actions)) } }
            </div>
            { maker(state, look, link, actions) }
        </>
    }
}

/// Shows how much is measured, and which file waits for it.
fn progress(state: &PageState, look: &ShareLook, actions: &Actions) -> Html {
    let (says, progress) = (&messages().share, Progress::of(&known(state)));
    let load_all = progress.has_stopped().then(|| {
        let finish = actions.play.reform(|()| Playback::Finish);
        html! {
            <div class="share-tools">
                <p class="results-note">{icon(Icon::Warning)}<span>{progress.note().unwrap_or_default()}</span></p>
                { push(says.load_all, None, ButtonKind::Plain, finish) }
            </div>
        }
    });
    if progress.is_done {
        return html! { <>{ for load_all }</> };
    }
    let percent = (progress.share() * 100.0).min(99.0);
    let name = (says.measures)(percent);
    let cancel = change_share(actions, |look| look.wish = None);
    let as_it_is = change_share(actions, |look| {
        if let Some(wish) = &mut look.wish {
            wish.as_it_is = true;
        }
    });
    html! {
        <div class="share-progress">
            <progress max="100" value={format!("{percent:.0}")} aria-label={name.clone()} />
            <span class="num">{name}</span>
            if let Some(wish) = look.wish {
                <span>{(says.waits)(name_of(wish.file))}</span>
                { push(says.as_it_is, None, ButtonKind::Plain, as_it_is) }
                { push(says.cancel, None, ButtonKind::Plain, cancel) }
            }
        </div>
    }
}

/// Makes the requested file once everything is measured. It is an element of the page, so that this
/// happens once per request.
fn maker(state: &PageState, look: &ShareLook, link: &str, actions: &Actions) -> Html {
    let Some(wish) = look.wish.filter(|wish| wish.as_it_is || Progress::of(&known(state)).is_done) else {
        return html! {};
    };
    let pictures = pictures_of(state);
    let picture = if pictures.contains(&look.picture) { look.picture } else { PictureOf::Tablets };
    let colors = if is_dark(state) { &DARK } else { &LIGHT };
    let making = Making { file: wish.file, picture, colors, wish: look.wishes };
    let (contents, actions) =
        (std::cell::Cell::new(Some(Contents::of(&known(state), link))), actions.clone());
    let on_shown = Callback::from(move |()| {
        if let Some(contents) = contents.take() {
            make(making, contents, &actions);
        }
    });
    html! { <Maker key={look.wishes.to_string()} {on_shown} /> }
}

/// Properties of [`Maker`].
#[derive(Properties)]
struct MakerProps {
    on_shown: Callback<()>,
}

impl PartialEq for MakerProps {
    /// Always equal, so that it acts once.
    fn eq(&self, _: &MakerProps) -> bool {
        true
    }
}

/// Calls back once, when it is added to the page. Draws nothing.
#[function_component]
fn Maker(props: &MakerProps) -> Html {
    let on_shown = props.on_shown.clone();
    use_effect_with((), move |()| on_shown.emit(()));
    html! {}
}

/// Returns what is known of the current workspace.
fn known(state: &PageState) -> Known<'_> {
    Known {
        workspace: &state.workspace,
        fields: &state.shown.fields,
        preview: &state.preview,
        figures: &state.compared,
        costs: state.costs(),
        is_loading: matches!(state.data.state, LoadState::Loading),
        is_over: state.own_missing || matches!(state.engine, EngineState::Crashed(_)),
    }
}

/// Returns what can be drawn.
fn pictures_of(state: &PageState) -> Vec<PictureOf> {
    let workspace = &state.workspace;
    let mut all = vec![PictureOf::Tablets];
    all.extend(workspace.designs.iter().any(has_map).then_some(PictureOf::Map));
    all.extend((!workspace.queries.is_empty()).then_some(PictureOf::Patterns));
    all
}

/// Returns the text of a file's button.
fn name_of(file: ShareFile) -> &'static str {
    let says = &messages().share;
    match file {
        ShareFile::Markdown => says.copy_markdown,
        ShareFile::Report => says.save_report,
        ShareFile::Svg => says.save_picture,
        ShareFile::Png => says.save_png,
        ShareFile::CopyPng => says.copy_png,
        ShareFile::Figures => says.save_figures,
        ShareFile::Patterns => says.save_patterns,
        ShareFile::Json => says.save_json,
    }
}

/// Returns a callback that requests a file. It is made once everything is measured.
fn wish(file: ShareFile, actions: &Actions) -> Callback<()> {
    change_share(actions, move |look| {
        (look.wish, look.said) = (Some(ShareWish { file, as_it_is: false }), "");
        look.wishes += 1;
    })
}

/// The dialog's actions by name, for the list of all actions: each opens the dialog.
pub fn share_actions(state: &PageState, actions: &Actions) -> Vec<(&'static str, Callback<()>)> {
    let of_files = [
        ShareFile::Markdown,
        ShareFile::Report,
        ShareFile::Figures,
        ShareFile::Json,
        ShareFile::Svg,
        ShareFile::Png,
    ];
    let patterns = (!state.workspace.queries.is_empty()).then_some(ShareFile::Patterns);
    let copied = browser::can_copy_pictures().then_some(ShareFile::CopyPng);
    let of_file = |file: ShareFile| {
        let (open, wish) = (open_share(actions), wish(file, actions));
        let both = Callback::from(move |()| {
            open.emit(());
            wish.emit(());
        });
        (name_of(file), both)
    };
    let copy_link = link_to(state, String::new()).ok().map(|link| {
        let actions = actions.clone();
        let open = open_share(&actions);
        let both = Callback::from(move |()| {
            open.emit(());
            copy(link.clone(), messages().share.link_copied, &actions);
        });
        (messages().share.copy_link, both)
    });
    copy_link.into_iter().chain(of_files.into_iter().chain(patterns).chain(copied).map(of_file)).collect()
}

fn change_share(actions: &Actions, change: impl Fn(&mut ShareLook) + Clone + 'static) -> Callback<()> {
    actions.part(move |sharing: &mut Sharing| sharing.dialog.iter_mut().for_each(&change))
}

fn change<T: Copy + 'static>(
    actions: &Actions,
    change: impl Fn(&mut ShareLook, T) + Clone + 'static,
) -> Callback<T> {
    actions.act.reform(move |value: T| {
        let change = change.clone();
        Action::part(move |sharing: &mut Sharing| {
            sharing.dialog.iter_mut().for_each(|look| change(look, value));
        })
    })
}

/// Returns whether pictures are dark: by the user's choice, or like the page.
fn is_dark(state: &PageState) -> bool {
    let of_page = || match state.look.theme {
        Some(theme) => theme == "dark",
        None => browser::matches("(prefers-color-scheme: dark)"),
    };
    state.look.part::<Sharing>().dialog.as_ref().and_then(|look| look.dark).unwrap_or_else(of_page)
}

/// Copies a text, and announces it in the dialog: announcements outside an open dialog are not read
/// out.
fn copy(text: String, said: &'static str, actions: &Actions) {
    // A repeated announcement is read out only if its text changes.
    tell("", actions);
    let actions = actions.clone();
    spawn_local(async move {
        let said = if browser::copy(&text).await { said } else { messages().common.copy_forbidden };
        tell(said, &actions);
    });
}

/// Announces a text in the dialog, if it is still open.
fn tell(said: &'static str, actions: &Actions) {
    actions.act.emit(Action::part(move |sharing: &mut Sharing| {
        sharing.dialog.iter_mut().for_each(|look| look.said = said);
    }));
}
