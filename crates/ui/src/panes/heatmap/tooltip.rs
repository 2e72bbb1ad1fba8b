//! The figures of a cell: under the pointer and the cursor, and of the pinned cell. They are in the
//! quadrant of the picture opposite to the cell, so they never cover it, and never leave the
//! picture.

use tabletop_model::{RowKey, escape};
use tabletop_protocol::node_letters;
use tabletop_texts::heatmap::Spoken;
use tabletop_texts::messages;
use tabletop_views::heatmap::{Area, Cell, HeatMatrix, Scale, Served, Shown, Spot, tablet_of};
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, classes, html};

use super::sight::{Changes, Sight};
use crate::browser;
use crate::kit::{ButtonKind, Icon, push, tool};

/// The figures of a cell.
pub struct Figures<'a> {
    matrix: &'a HeatMatrix,
    cell: Cell,
    tablet: Option<&'a Served>,
}

/// What the buttons of a pinned cell do.
pub struct Buttons<'a> {
    /// Takes changes.
    pub changes: &'a Changes,
    /// Announces something to screen readers.
    pub on_said: &'a Callback<String>,
    /// Shows the rows from one key up to another, which is empty for the end of the table.
    pub on_show_rows: &'a Callback<(RowKey, RowKey)>,
    /// The id of the picture, which gets the focus when the figures are closed.
    pub plane: &'a str,
}

impl<'a> Figures<'a> {
    /// The figures of the cell at a position. `served` are the tablets at its time.
    pub fn at(matrix: &'a HeatMatrix, spot: Spot, served: &'a [Served]) -> Option<Figures<'a>> {
        let cell = spot.cell(matrix)?;
        let tablet = tablet_of(served, matrix.starts().get(cell.bucket)?);
        Some(Figures { matrix, cell, tablet })
    }

    fn time(&self) -> String {
        let seconds = self.matrix.columns()[self.cell.column].seconds();
        (messages().heatmap.tooltip.span)(seconds.start, seconds.end)
    }

    fn value(&self, shown: Shown) -> f32 {
        self.matrix.columns()[self.cell.column].value(self.cell.bucket, shown)
    }

    fn value_text(&self, shown: Shown) -> String {
        (messages().heatmap.value)(self.matrix.metric(), self.value(shown).into())
    }

    fn keys(&self) -> (RowKey, RowKey) {
        self.matrix.keys(self.cell.bucket..self.cell.bucket + 1)
    }

    fn tablet_text(&self) -> Option<String> {
        self.tablet.map(served_text)
    }

    /// Returns the figures as they are announced.
    pub fn spoken(&self) -> String {
        let says = &messages().heatmap.tooltip;
        let mut busy: Vec<f32> = self.matrix.columns()[self.cell.column].values(Shown::Mean).to_vec();
        busy.retain(|value| *value > 0.0);
        busy.sort_by(f32::total_cmp);
        let median = busy.get(busy.len() / 2).copied();
        let value = self.value(Shown::Mean);
        (says.spoken)(&Spoken {
            time: self.time(),
            start: shown_key(&self.keys().0, says.first_key),
            value: self.value_text(Shown::Mean),
            busiest: self.value_text(Shown::BusiestRow),
            of_median: median.filter(|_| value > 0.0).map(|median| f64::from(value / median)),
            tablet: self.tablet_text(),
        })
    }

    /// Draws the figures in the quadrant opposite to the cell.
    pub fn draw(&self, sight: &Sight, area: Area, scale: Scale, buttons: &Buttons) -> Html {
        let says = &messages().heatmap.tooltip;
        let seconds = self.matrix.columns()[self.cell.column].seconds();
        let (start, end) = self.keys();
        let is_pinned = sight.pinned.is_some();
        let is_left = area.seconds.share(f64::from(seconds.start)) > 0.5;
        let is_top = area.buckets.share(self.cell.bucket as f64) > 0.5;
        let line = |name: &'static str, value: Html| html! { <><dt>{name}</dt><dd>{value}</dd></> };
        let number = |shown: Shown| html! { <span class="num">{self.value_text(shown)}</span> };
        let table = sight.colors.table(scale);
        let [red, green, blue, _] = table[usize::from(scale.level(self.value(sight.shown)))];
        html! {
            <div
                class={classes!("heat-tip", is_pinned.then_some("pinned"), if is_left { "left" } else { "right" }, if is_top { "top" } else { "bottom" })}
                role={is_pinned.then_some("group")}
                aria-label={is_pinned.then_some(says.title)}
                aria-hidden={(!is_pinned).then_some("true")}
            >
                <dl class="small">
                    { line(says.time, html! { <span class="num">{self.time()}</span> }) }
                    { line(says.start, self.key(&start, says.first_key, says.copy_start, buttons, is_pinned)) }
                    { line(says.end, self.key(&end, says.last_key, says.copy_end, buttons, is_pinned)) }
                    { line(says.mean, html! {
                        <>
                            <svg class="heat-chip" viewBox="0 0 1 1" aria-hidden="true">
                                <rect width="1" height="1" fill={format!("rgb({red} {green} {blue})")} />
                            </svg>
                            { number(Shown::Mean) }
                        </>
                    }) }
                    { line(says.busiest, number(Shown::BusiestRow)) }
                    { for self.tablet_text().map(|text| line(says.tablet, html! { {text} })) }
                </dl>
                if is_pinned {
                    <p class="heat-tip-tools">
                        { push(says.show_rows, Some(Icon::Table), ButtonKind::Plain, buttons.on_show_rows.reform(move |()| (start.clone(), end.clone()))) }
                        { tool(says.close, Icon::Close, unpin(buttons)) }
                    </p>
                }
            </div>
        }
    }

    fn key(
        &self,
        key: &RowKey,
        nothing: &'static str,
        copy: &'static str,
        buttons: &Buttons,
        is_pinned: bool,
    ) -> Html {
        if key.is_empty() {
            return html! { <span class="soft">{nothing}</span> };
        }
        let text = escape(key);
        let on_copy = {
            let (text, on_said) = (text.clone(), buttons.on_said.clone());
            Callback::from(move |()| {
                let (text, on_said) = (text.clone(), on_said.clone());
                spawn_local(async move {
                    let done = browser::copy(&text).await;
                    on_said.emit(
                        if done {
                            messages().heatmap.tooltip.copied
                        } else {
                            messages().common.copy_forbidden
                        }
                        .into(),
                    );
                });
            })
        };
        html! {
            <>
                <span class="mono heat-key" title={text.clone()}>{text}</span>
                if is_pinned { { tool(copy, Icon::Copy, on_copy) } }
            </>
        }
    }
}

fn unpin(buttons: &Buttons) -> Callback<()> {
    let (changes, plane) = (buttons.changes.clone(), format!("#{}", buttons.plane));
    Callback::from(move |()| {
        changes.dispatch(Box::new(|sight| sight.pinned = None));
        // The button that had the focus is removed.
        browser::focus(plane.clone());
    })
}

/// A key, or the text shown for the empty key.
pub fn shown_key(key: &RowKey, nothing: &str) -> String {
    if key.is_empty() { nothing.into() } else { escape(key) }
}

/// Returns the number of a tablet, with its node where nodes are told apart.
pub fn served_text(tablet: &Served) -> String {
    let says = &messages().heatmap.tooltip;
    match tablet.node {
        Some(node) => (says.tablet_of)(tablet.number, &node_letters(node)),
        None => tablet.number.to_string(),
    }
}
