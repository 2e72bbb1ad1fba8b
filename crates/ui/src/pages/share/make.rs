//! Makes what is shared: files, and texts for the clipboard. All of them have all designs.

use std::rc::Rc;

use tabletop_model::Error;
use tabletop_schema::{EventsView, Field, Workspace};
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::markdown::markdown;
use super::measured::Measured;
use super::pictures::{Colors, Picture, has_map, picture};
use super::progress::Progress;
use super::report::report;
use crate::actions::{Actions, GatherRequest, Gathered};
use crate::browser;
use crate::state::{Action, PageState, PictureOf, ShareFile};

/// The file with the outline of the continents.
const LAND: &str = "data/land.svg";

/// What files are made of.
pub struct Contents {
    pub workspace: Rc<Workspace>,
    /// The fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// The first events.
    pub preview: Rc<EventsView>,
    /// Opens the workspace; empty if it is too large for a link.
    pub link: String,
    pub measured: Measured,
    /// The tables in the order of the workspace; empty if they cannot be read.
    pub gathered: Vec<Gathered>,
    /// The outline of the continents (SVG), if it could be fetched.
    pub land: Option<String>,
    /// Why this is not complete, if it is not.
    pub note: Option<String>,
}

impl Contents {
    /// What is known now, without the tables.
    pub fn of(state: &PageState, link: &str) -> Contents {
        Contents {
            workspace: state.workspace.clone(),
            fields: state.shown.fields.clone(),
            preview: state.preview.clone(),
            link: link.into(),
            measured: Measured::of(state),
            gathered: Vec::new(),
            land: None,
            note: Progress::of(state).note(),
        }
    }
}

/// What is made, and how.
#[derive(Clone, Copy)]
pub struct Making {
    pub file: ShareFile,
    /// What a picture shows.
    pub picture: PictureOf,
    /// The colours of a picture.
    pub colors: &'static Colors,
    /// The number of the wish that it fulfils.
    pub wish: u32,
}

/// Makes a file, offers it and says so. The tables are read first.
pub fn make(making: Making, contents: Contents, actions: &Actions) {
    let (gather, actions) = (actions.gather.clone(), actions.clone());
    let contents = std::cell::Cell::new(Some(contents));
    let then = Callback::from(move |gathered: Result<Vec<Gathered>, Error>| {
        let Some(mut contents) = contents.take() else { return };
        // Without the engine, there is what is known already.
        contents.gathered = gathered.unwrap_or_default();
        let actions = actions.clone();
        spawn_local(async move {
            let is_drawn = matches!(making.file, ShareFile::Svg | ShareFile::Png | ShareFile::CopyPng | ShareFile::Report);
            if is_drawn && contents.workspace.designs.iter().any(has_map) {
                contents.land = browser::fetched(LAND).await;
            }
            let said = offer(making, &contents).await;
            end(making.wish, said, &actions);
        });
    });
    gather.emit(GatherRequest { then });
}

/// Offers what was made, and returns what the person hears.
async fn offer(making: Making, contents: &Contents) -> &'static str {
    let says = &messages().share;
    let measured = &contents.measured;
    let text = |file: &str, kind: &str, text: Option<String>| match text {
        Some(text) => downloaded(browser::download(file, kind, &text).is_ok()),
        None => says.nothing,
    };
    match making.file {
        ShareFile::Markdown => {
            let text = markdown(contents);
            if browser::copy(&text).await { says.markdown_copied } else { messages().common.copy_forbidden }
        }
        ShareFile::Report => text("tabletop-report.html", "text/html", Some(report(contents))),
        ShareFile::Figures => text("tabletop-figures.csv", "text/csv", measured.figures_csv()),
        ShareFile::Patterns => text("tabletop-access-patterns.csv", "text/csv", measured.patterns_csv()),
        ShareFile::Json => text("tabletop-figures.json", "application/json", measured.json(contents)),
        ShareFile::Svg | ShareFile::Png | ShareFile::CopyPng => match picture(making.picture, contents, making.colors) {
            Some(picture) => offer_picture(making, picture).await,
            None => says.nothing,
        },
    }
}

async fn offer_picture(making: Making, Picture { svg, size }: Picture) -> &'static str {
    let says = &messages().share;
    let name = match making.picture {
        PictureOf::Tablets => "tabletop-tablets",
        PictureOf::Map => "tabletop-map",
        PictureOf::Patterns => "tabletop-access-patterns",
    };
    match making.file {
        ShareFile::CopyPng => {
            if browser::copy_png(svg, size).await {
                says.png_copied
            } else {
                says.png_not_copied
            }
        }
        ShareFile::Png => match browser::png_of(svg, size).await {
            Ok(png) => downloaded(browser::offer(&format!("{name}.png"), &png).is_ok()),
            Err(_) => says.no_png,
        },
        _ => downloaded(browser::download(&format!("{name}.svg"), "image/svg+xml", &svg).is_ok()),
    }
}

fn downloaded(is_offered: bool) -> &'static str {
    if is_offered { messages().common.downloaded } else { messages().common.download_forbidden }
}

/// The wish is fulfilled: says so, unless the person has wished something else since.
fn end(wish: u32, said: &'static str, actions: &Actions) {
    actions.act.emit(Action::Look(Box::new(move |look| {
        if let Some(share) = look.share.as_mut().filter(|share| share.wishes == wish) {
            (share.wish, share.said) = (None, said);
        }
    })));
}
