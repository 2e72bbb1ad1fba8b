//! Makes what is shared: files, and texts for the clipboard. All of them include all designs.

use tabletop_model::Error;
use tabletop_protocol::GatheredTable;
use tabletop_texts::messages;
use tabletop_views::{
    scene::{Colors, Scene},
    share::{Contents, PictureOf, has_map, markdown, picture, report},
};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::look::{ShareFile, Sharing};
use crate::browser;
use crate::page::actions::{Actions, GatherRequest};
use crate::page::state::Action;

/// The file with the outline of the continents.
const LAND: &str = "data/land.svg";

/// The content to make, and its form.
#[derive(Clone, Copy)]
pub struct Making {
    pub file: ShareFile,
    /// What a picture shows.
    pub picture: PictureOf,
    /// The colours of a picture.
    pub colors: &'static Colors,
    /// The number of the request that it answers.
    pub wish: u32,
}

/// Makes a file, offers it and announces it. The tables are read first.
pub fn make(making: Making, contents: Contents, actions: &Actions) {
    let (gather, actions) = (actions.gather.clone(), actions.clone());
    let contents = std::cell::Cell::new(Some(contents));
    let then = Callback::from(move |gathered: Result<Vec<GatheredTable>, Error>| {
        let Some(mut contents) = contents.take() else { return };
        // Without the engine, use what is already known.
        contents.gathered = gathered.unwrap_or_default();
        let actions = actions.clone();
        spawn_local(async move {
            let is_drawn = matches!(
                making.file,
                ShareFile::Svg | ShareFile::Png | ShareFile::CopyPng | ShareFile::Report
            );
            if is_drawn && contents.workspace.designs.iter().any(has_map) {
                contents.land = browser::fetched(LAND).await;
            }
            let said = offer(making, &contents).await;
            end(making.wish, said, &actions);
        });
    });
    gather.emit(GatherRequest { then });
}

/// Offers what was made, and returns the announcement.
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
        ShareFile::Svg | ShareFile::Png | ShareFile::CopyPng => match picture(making.picture, contents) {
            Some(picture) => offer_picture(making, &picture).await,
            None => says.nothing,
        },
    }
}

async fn offer_picture(making: Making, picture: &Scene) -> &'static str {
    let (says, svg, size) = (&messages().share, picture.file(making.colors), picture.size);
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

/// The request is done: announces it, unless the user has requested something else since.
fn end(wish: u32, said: &'static str, actions: &Actions) {
    actions.act.emit(Action::part(move |sharing: &mut Sharing| {
        if let Some(share) = sharing.dialog.as_mut().filter(|share| share.wishes == wish) {
            (share.wish, share.said) = (None, said);
        }
    }));
}
