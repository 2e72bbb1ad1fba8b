//! A rule of thumb for the p99 with a hot key, next to the result of the simulation.

use tabletop_texts::common::NumberKind;
use tabletop_texts::{Locale, locale, messages};
use yew::{Html, Properties, html};

use super::streams::nodes_number;
use crate::kit::{Context, Number, Stateful, number_field};

/// Returns the 99th percentile by the rule of thumb `T · r / (n - 1 + r)`, in the unit of `t`.
///
/// `r` is the traffic of the hottest key over that of the median key, at least 1, `n` the number of nodes: the
/// hottest node has the share `r / (n - 1 + r)` of all requests. `t` is the percentile with one
/// node. Source: a talk by Google on hotspots in Bigtable.
pub fn p99(t: f64, r: f64, n: u32) -> f64 {
    t * r / (f64::from(n) - 1.0 + r)
}

/// Properties of [`Formula`].
#[derive(Properties, PartialEq)]
pub struct FormulaProps {
    /// Nodes of the simulation.
    pub nodes: u32,
    /// The 99th percentile so far, in microseconds; `None` without answers.
    pub simulated: Option<u64>,
    /// The simulated situations.
    pub children: Html,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// The calculator. It starts with the figures of the formula's source, r = 37 and T = 61.62 ms, and
/// with the nodes of the simulation, which it follows until the user enters another number.
pub struct Formula {
    t: f64,
    r: f64,
    nodes: Option<u32>,
}

/// Sets one of the numbers.
pub type Set = Box<dyn FnOnce(&mut Formula)>;

impl Stateful for Formula {
    type Message = Set;
    type Properties = FormulaProps;

    fn create(_: &Context<Self>) -> Self {
        Formula { t: 61.62, r: 37.0, nodes: None }
    }

    fn update(&mut self, _: &Context<Self>, set: Set) -> bool {
        set(self);
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let (says, props) = (&messages().traffic.formula, ctx.props());
        let n = self.nodes.unwrap_or(props.nodes);
        let set = |set: fn(&mut Formula, f64)| {
            ctx.link().callback(move |value| -> Set { Box::new(move |formula| set(formula, value)) })
        };
        let field = |label, value: f64, min: f64, change| {
            let number = Number { value, min, max: 1e6, step: 1.0, kind: NumberKind::Any };
            number_field(label, number, set(change))
        };
        html! {
            <details class="traffic-formula">
                <summary>{says.title}</summary>
                <p>{says.about}</p>
                <div class="traffic-fields">
                    { field(says.t, self.t, 0.0, |formula, t| formula.t = t) }
                    { field(says.r, self.r, 1.0, |formula, r| formula.r = r) }
                    { number_field(says.n, nodes_number(n), set(|formula, nodes| formula.nodes = Some(nodes as u32))) }
                    <output class="formula-result num">{(says.result)(p99(self.t, self.r, n))}</output>
                </div>
                <p>{(says.simulated)(props.nodes, props.simulated)}</p>
                <p class="soft">{says.why}</p>
                { props.children.clone() }
            </details>
        }
    }
}

#[cfg(test)]
mod tests {
    use super::p99;

    #[test]
    fn it_gives_the_figures_of_its_source() {
        assert_eq!(p99(61.62, 37.0, 2).round(), 60.0);
        assert_eq!(p99(61.62, 37.0, 4).round(), 57.0);
        assert_eq!(p99(20.0, 1.0, 2), 10.0);
    }
}
