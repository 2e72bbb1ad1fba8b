//! The rows of an answer as text, to copy or to download.

use std::rc::Rc;

use gloo::timers::future::TimeoutFuture;
use tabletop_texts::messages;
use tabletop_views::results::{ExportForm, ExportedRows};
use wasm_bindgen_futures::spawn_local;
use yew::{AttrValue, Callback, Html, html};

use crate::browser;
use crate::kit::{MenuButton, callback};
use crate::page::state::QueryResult;

/// Milliseconds of writing before the page gets a turn.
const TURN_MILLIS: f64 = 12.0;

/// The content to write.
#[derive(Clone)]
pub struct Exported {
    /// The answer.
    pub result: Rc<QueryResult>,
    /// What is written of its rows.
    pub rows: ExportedRows,
}

impl Exported {
    /// Writes all rows. The page gets a turn between some of them.
    async fn text(&self, form: ExportForm) -> String {
        let mut text = self.rows.begin(form);
        let mut began = browser::now_millis();
        for (at, row) in self.result.all_rows().enumerate() {
            self.rows.push_row(&mut text, form, at, row);
            if browser::now_millis() - began > TURN_MILLIS {
                TimeoutFuture::new(0).await;
                began = browser::now_millis();
            }
        }
        text.push_str(ExportedRows::end(form));
        text
    }
}

/// Draws the menu of copies and downloads.
pub fn export_menu(forms: &'static [ExportForm], exported: &Exported, say: Callback<&'static str>) -> Html {
    let says = &messages().results.export;
    let name = |form: &ExportForm| match form {
        ExportForm::Rows => says.rows,
        ExportForm::Cells if forms.len() == ExportForm::OF_CELLS.len() => says.csv,
        ExportForm::Cells => says.cells,
        ExportForm::Json => says.json,
        ExportForm::Cbt => says.cbt,
    };
    let ways =
        [says.copy, says.download].into_iter().flat_map(|way| forms.iter().map(move |form| way(name(form))));
    let items: Vec<(AttrValue, AttrValue)> =
        ways.enumerate().map(|(at, text)| (at.to_string().into(), text.into())).collect();
    let on_select = callback(exported, move |exported, way: AttrValue| {
        let Ok(at) = way.parse::<usize>() else { return };
        let (exported, say, form) = (exported.clone(), say.clone(), forms[at % forms.len()]);
        spawn_local(async move {
            let text = exported.text(form).await;
            say.emit(if at < forms.len() {
                if browser::copy(&text).await { says.copied } else { messages().common.copy_forbidden }
            } else {
                let (file, kind) = form.file();
                match browser::download(file, kind, &text) {
                    Ok(()) => says.downloaded,
                    Err(_) => messages().common.download_forbidden,
                }
            });
        });
    });
    html! { <MenuButton label={says.copy_or_download} {items} end=true {on_select} /> }
}
