//! The table of the busiest key ranges.

use std::rc::Rc;

use tabletop_model::{RowKey, escape};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::heatmap::{Busy, HeatMatrix, Served, busiest, tablet_of};
use yew::{Callback, Html, Properties, function_component, html};

use super::tooltip::{served_text, shown_key};
use crate::widgets::{ButtonKind, push};

/// The number of key ranges.
const COUNT: usize = 10;

/// Properties of [`BusiestList`].
#[derive(Properties, PartialEq)]
pub struct BusiestListProps {
    /// The cells.
    pub matrix: Rc<HeatMatrix>,
    /// The present second: later columns do not count.
    pub until: u32,
    /// The tablets at that second.
    pub served: Rc<Vec<Served>>,
    /// Shows the rows from one key up to another.
    pub on_show_rows: Callback<(RowKey, RowKey)>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the table. It is a component, so that a pointer that moves over the picture does not cause
/// a count of all cells.
#[function_component]
pub fn BusiestList(props: &BusiestListProps) -> Html {
    let says = &messages().heatmap.busiest;
    let matrix = &*props.matrix;
    let found = busiest(matrix, props.until.into(), COUNT);
    let value = |value: f32| (messages().heatmap.value)(matrix.metric(), value.into());
    let line = |busy: &Busy| {
        let (start, end) = matrix.keys(busy.bucket..busy.bucket + 1);
        let tablet = tablet_of(&props.served, &start);
        let tip = &messages().heatmap.tooltip;
        let name = (says.show_of)(&shown_key(&start, tip.first_key));
        let show = props.on_show_rows.reform({
            let (start, end) = (start.clone(), end.clone());
            move |()| (start.clone(), end.clone())
        });
        html! {
            <tr key={busy.bucket}>
                <th scope="row" class="mono heat-key" title={escape(&start)}>{shown_key(&start, tip.first_key)}</th>
                <td class="mono heat-key" title={escape(&end)}>{shown_key(&end, tip.last_key)}</td>
                <td class="num">{value(busy.mean)}</td>
                <td class="num">{(says.at)(&value(busy.largest), busy.second)}</td>
                <td class="num">{value(busy.row)}</td>
                <td>{ for tablet.map(served_text) }</td>
                <td><span title={name}>{ push(says.show, None, ButtonKind::Quiet, show) }</span></td>
            </tr>
        }
    };
    html! {
        <details class="heat-busiest">
            <summary>{says.title}</summary>
            if found.is_empty() {
                <p class="soft small">{says.none}</p>
            } else {
                <div class="heat-busiest-scroll" tabindex="0" role="region" aria-label={says.title}>
                    <table class="small">
                        <caption class="visually-hidden">{(says.caption)((messages().heatmap.metrics)(matrix.metric()), props.until)}</caption>
                        <thead><tr>
                            { for says.columns.iter().enumerate().map(|(at, name)| html! { <th scope="col" class={(2..5).contains(&at).then_some("num")}>{*name}</th> }) }
                            <td></td>
                        </tr></thead>
                        <tbody>{ for found.iter().map(line) }</tbody>
                    </table>
                </div>
            }
        </details>
    }
}
