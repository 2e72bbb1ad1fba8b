//! What the traffic shows to be wrong, with its evidence and changes that help.

use tabletop_advice::{Diagnosis, Fix};
use tabletop_texts::messages;
use tabletop_workspace::ClusterFix;
use yew::{Callback, Html, classes, html};

use crate::kit::{ButtonKind, Icon, icon, push};

/// The user's response to a diagnosis.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// Changes the design.
    Design(Fix),
    /// Changes the cluster.
    Cluster(ClusterFix),
    /// Shows buckets in the heatmap.
    Show((u32, u32)),
}

/// What is shown without a diagnosis.
pub enum Undiagnosed {
    /// Nothing is wrong.
    Good(String),
    /// The nodes cannot keep up in a second that has not been diagnosed yet, or are busier than they
    /// should be.
    Strained(String),
    /// It is too early to tell.
    Early(String),
}

/// Draws the diagnoses, or `none` if there are none. `when` says which time they are about, if there
/// are several.
pub fn diagnoses(
    list: &[Diagnosis],
    none: &Undiagnosed,
    when: Option<String>,
    on_remedy: &Callback<Remedy>,
) -> Html {
    let (says, advice) = (&messages().traffic.diagnoses, messages().advice);
    let line = |diagnosis: &Diagnosis| {
        let buckets = diagnosis.buckets;
        let fix = |fix: &Fix| {
            let (label, fix) = ((advice.fix)(&fix.kind), fix.clone());
            push(&label, None, ButtonKind::Plain, on_remedy.reform(move |()| Remedy::Design(fix.clone())))
        };
        let of_cluster = |fix: &ClusterFix| {
            let fix = *fix;
            push(
                &(says.cluster_fix)(fix),
                None,
                ButtonKind::Plain,
                on_remedy.reform(move |()| Remedy::Cluster(fix)),
            )
        };
        html! {
            <li class={classes!("diagnosis", if diagnosis.is_serious { "serious" } else { "warning" })}>
                { icon(if diagnosis.is_serious { Icon::Hot } else { Icon::Warning }) }
                <div>
                    <p>
                        <strong>{(says.kind)(diagnosis.kind())}</strong>
                        {" "}{(advice.diagnosis)(diagnosis)}{" "}{(advice.diagnosis_evidence)(diagnosis)}
                    </p>
                    <p class="soft">{(advice.diagnosis_advice)(diagnosis)}</p>
                </div>
                <div class="diagnosis-tools">
                    { for diagnosis.fixes.iter().map(fix) }
                    { for diagnosis.cluster_fixes.iter().map(of_cluster) }
                    if buckets.0 < buckets.1 {
                        { push(says.show, None, ButtonKind::Quiet, on_remedy.reform(move |()| Remedy::Show(buckets))) }
                    }
                </div>
            </li>
        }
    };
    html! {
        <section class="traffic-diagnoses" aria-labelledby="traffic-diagnoses-title">
            <h3 id="traffic-diagnoses-title" class="visually-hidden">{says.title}</h3>
            if let Some(when) = when {
                <p class="soft small num">{when}</p>
            }
            if !list.is_empty() {
                <ul>{ for list.iter().map(line) }</ul>
            } else {
                { undiagnosed(none) }
            }
        </section>
    }
}

fn undiagnosed(none: &Undiagnosed) -> Html {
    match none {
        Undiagnosed::Good(good) => html! { <p class="good">{icon(Icon::Check)}{good.clone()}</p> },
        Undiagnosed::Strained(strained) => {
            html! { <p class="strained">{icon(Icon::Warning)}{strained.clone()}</p> }
        }
        Undiagnosed::Early(early) => html! { <p class="soft">{early.clone()}</p> },
    }
}
