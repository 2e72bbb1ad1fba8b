//! The formula of the talk on hotspots, next to the result of the simulation.

use tabletop_texts::common::NumberKind;
use tabletop_texts::{Locale, locale, messages};
use yew::{Html, Properties, function_component, html, use_state_eq};

use super::streams::nodes_number;
use crate::kit::{Number, number_field};

/// Returns the 99th percentile by the rule of thumb `T · r / (n - 1 + r)`, in the unit of `t`.
///
/// `r` is the traffic of the hottest key over that of the median key, `n` the number of nodes: the
/// hottest node has the share `r / (n - 1 + r)` of all requests. Source: the talk on hotspots that
/// the product grew from.
pub fn p99(t: f64, r: f64, n: u32) -> f64 {
    t * r / (f64::from(n) - 1.0 + r)
}

/// Properties of [`Formula`].
#[derive(Properties, PartialEq)]
pub struct FormulaProps {
    /// Nodes of the simulation.
    pub nodes: u32,
    /// Its 99th percentile so far, in microseconds; `None` without answers.
    pub simulated: Option<u64>,
    /// The situations of the talk, simulated.
    pub children: Html,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the calculator. It starts with the figures of the talk, r = 37 and T = 61.62 ms, and with
/// the nodes of the simulation, which it follows until the user enters another number.
#[function_component]
pub fn Formula(props: &FormulaProps) -> Html {
    let says = &messages().traffic.formula;
    let (t, r, own_nodes) = (use_state_eq(|| 61.62), use_state_eq(|| 37.0), use_state_eq(|| None));
    let n = own_nodes.unwrap_or(props.nodes);
    let field = |label, value: f64, min: f64, state: &yew::UseStateHandle<f64>| {
        let setter = state.setter();
        let number = Number { value, min, max: 1e6, step: 1.0, kind: NumberKind::Any };
        number_field(label, number, yew::Callback::from(move |value| setter.set(value)))
    };
    let set_nodes = own_nodes.setter();
    html! {
        <details class="traffic-formula">
            <summary>{says.title}</summary>
            <p>{says.about}</p>
            <div class="traffic-fields">
                { field(says.t, *t, 0.0, &t) }
                { field(says.r, *r, 0.0, &r) }
                { number_field(says.n, nodes_number(n), yew::Callback::from(move |value: f64| set_nodes.set(Some(value as u32)))) }
                <output class="formula-result num">{(says.result)(p99(*t, *r, n))}</output>
            </div>
            <p>{(says.simulated)(props.nodes, props.simulated)}</p>
            <p class="soft">{says.why}</p>
            { props.children.clone() }
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::p99;

    #[test]
    fn it_gives_the_figures_of_the_talk() {
        assert_eq!(p99(61.62, 37.0, 2).round(), 60.0);
        assert_eq!(p99(61.62, 37.0, 4).round(), 57.0);
        assert_eq!(p99(20.0, 1.0, 2), 10.0);
    }
}
