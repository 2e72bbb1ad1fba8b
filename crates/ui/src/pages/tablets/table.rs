//! The strip as a table, for who would rather read it.

use yew::{Html, html};

use super::load::rate;
use super::strip::Picture;
use crate::results::format::{bytes, thousands};

/// One line a tablet, in key order.
pub fn tablet_table(picture: &Picture) -> Html {
    let (table, load) = (picture.table(), &picture.load);
    html! {
        <div class="tablet-table" tabindex="0" role="region" aria-label="Tablets as a table">
            <table>
                <thead>
                    <tr>
                        <th scope="col" class="num">{"#"}</th>
                        <th scope="col">{"Start"}</th>
                        <th scope="col" class="num">{"Rows"}</th>
                        <th scope="col" class="num">{"Stored"}</th>
                        <th scope="col" class="num">{"SSTables"}</th>
                        <th scope="col" class="num">{"Writes/s"}</th>
                        <th scope="col" class="num">{"Reads/s"}</th>
                        <th scope="col">{"Load"}</th>
                    </tr>
                </thead>
                <tbody>
                    { for table.tablets.iter().enumerate().map(|(at, tablet)| html! {
                        <tr key={tablet.id.0}>
                            <td class="num">{at + 1}</td>
                            <td class="mono ellipsis">
                                if tablet.start.is_empty() { <span class="soft">{"the beginning"}</span> } else { {tablet.start.to_string()} }
                            </td>
                            <td class="num">{thousands(tablet.rows)}</td>
                            <td class="num">{bytes(tablet.bytes)}</td>
                            <td class="num">{tablet.sstables}</td>
                            <td class="num">{rate(tablet.writes_per_second)}</td>
                            <td class="num">{rate(tablet.reads_per_second)}</td>
                            <td>{if load.hot[at] { "hot" } else if load.shares[at] > 0.0 { "busy" } else { "idle" }}</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
