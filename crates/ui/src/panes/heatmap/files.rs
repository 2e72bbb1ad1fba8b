//! The buttons that save the heatmap as files.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_texts::messages;
use tabletop_views::heatmap::{csv, scene};
use tabletop_views::scene::LIGHT;
use web_sys::HtmlCanvasElement;
use yew::{Callback, Html, NodeRef, html};

use super::paint::{Painter, Painting};
use crate::browser;
use crate::kit::{ButtonKind, Icon, callback, push};

/// Draws the buttons. They save what is painted.
pub fn files(
    painting: &Painting,
    painter: &Rc<RefCell<Painter>>,
    canvas: &NodeRef,
    on_said: &Callback<String>,
) -> Html {
    let says = &messages().heatmap;
    let said = {
        let on_said = on_said.clone();
        move |is_offered: bool| {
            let common = &messages().common;
            on_said.emit(if is_offered { common.downloaded } else { common.download_forbidden }.into());
        }
    };
    let on_png = {
        let (canvas, said) = (canvas.clone(), said.clone());
        Callback::from(move |()| {
            let (Some(canvas), said) = (canvas.cast::<HtmlCanvasElement>(), said.clone()) else { return };
            wasm_bindgen_futures::spawn_local(async move {
                let png = browser::png_of_canvas(&canvas).await;
                said(png.is_ok_and(|png| browser::offer("tabletop-heatmap.png", &png).is_ok()));
            });
        })
    };
    let on_svg = {
        let (painting, painter, said) = (painting.clone(), painter.clone(), said.clone());
        Callback::from(move |()| {
            let mut painter = painter.borrow_mut();
            let levels = painter.levels(&painting.matrix, painting.shown);
            let colors = painting.colors.table(levels.scale());
            let picture = scene(levels, painting.area, painting.until.into(), &colors, &title(&painting));
            said(browser::download("tabletop-heatmap.svg", "image/svg+xml", &picture.file(&LIGHT)).is_ok());
        })
    };
    let on_csv = callback(painting, move |painting, ()| {
        let text = csv(&painting.matrix, painting.area, painting.until.into(), messages().heatmap.csv_head);
        said(browser::download("tabletop-heatmap.csv", "text/csv", &text).is_ok());
    });
    let buttons = [(says.files[0], on_png), (says.files[1], on_svg), (says.files[2], on_csv)];
    let button = |(name, on_click): (&str, Callback<()>)| {
        push(name, Some(Icon::Download), ButtonKind::Quiet, on_click)
    };
    html! { <div class="heat-files" role="group" aria-label={says.export}>{ for buttons.into_iter().map(button) }</div> }
}

fn title(painting: &Painting) -> String {
    let says = &messages().heatmap;
    let seconds = painting.area.seconds;
    let shown = says.shown_of[painting.shown as usize];
    (says.file_title)(
        (says.metrics)(painting.matrix.metric()),
        shown,
        seconds.from,
        seconds.until.min(painting.until.into()),
    )
}
