//! What the traffic shows to be wrong, with its evidence and changes that help.

use tabletop_schema::{Diagnosis, Fix};
use yew::{Callback, Html, classes, html};

use crate::messages::messages;
use crate::widgets::{ButtonKind, Icon, icon, push};

/// Draws the diagnoses, or `none` if all is well. `on_show` shows buckets in the heatmap.
pub fn diagnoses(list: &[Diagnosis], none: &'static str, on_fix: &Callback<Fix>, on_show: &Callback<(u32, u32)>) -> Html {
    let says = &messages().traffic.diagnoses;
    let line = |diagnosis: &Diagnosis| {
        let buckets = diagnosis.buckets;
        let fix = |fix: &Fix| {
            let (label, fix) = (fix.label.clone(), fix.clone());
            push(&label, None, ButtonKind::Plain, on_fix.reform(move |()| fix.clone()))
        };
        html! {
            <li class={classes!("diagnosis", if diagnosis.is_serious { "serious" } else { "warning" })}>
                { icon(if diagnosis.is_serious { Icon::Hot } else { Icon::Warning }) }
                <div>
                    <p><strong>{(says.kind)(diagnosis.kind)}</strong>{" "}{diagnosis.text.clone()}{" "}{diagnosis.evidence.clone()}</p>
                    <p class="soft">{diagnosis.advice.clone()}</p>
                </div>
                <div class="diagnosis-tools">
                    { for diagnosis.fixes.iter().map(fix) }
                    if buckets.0 < buckets.1 { { push(says.show, None, ButtonKind::Quiet, on_show.reform(move |()| buckets)) } }
                </div>
            </li>
        }
    };
    html! {
        <section class="traffic-diagnoses" aria-labelledby="traffic-diagnoses-title">
            <h3 id="traffic-diagnoses-title" class="visually-hidden">{says.title}</h3>
            if list.is_empty() {
                <p class="good">{icon(Icon::Check)}{none}</p>
            } else {
                <ul>{ for list.iter().map(line) }</ul>
            }
        </section>
    }
}
