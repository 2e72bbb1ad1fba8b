//! What the GC rules of a design would collect now, as the engine counts it. A count reads the
//! whole table, so it runs on request.

use std::rc::Rc;

use tabletop_model::{Error, ExpiredCells};
use tabletop_texts::{Locale, locale, messages};
use yew::{Callback, Component, Context, Html, Properties, html};

use crate::kit::{ButtonKind, push};
use crate::page::actions::{Actions, ExpiredRequest};
use crate::page::state::PageState;
use crate::panes::results::expired_numbers;

/// Draws the button that counts, and the last count.
pub fn gc_count(state: &PageState, actions: &Actions) -> Html {
    let table = (state.design, state.view.revision, state.view.events_built);
    html! { <GcCount {table} on_expired={actions.expired.clone()} /> }
}

/// The design, its revision, and its events: a count belongs to one such state.
type TableMoment = (usize, u64, u32);

/// Properties of [`GcCount`].
#[derive(Properties, PartialEq)]
struct GcCountProps {
    table: TableMoment,
    on_expired: Callback<ExpiredRequest>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// The last count.
#[derive(Default)]
struct GcCount {
    counted: Option<(TableMoment, Rc<Result<ExpiredCells, Error>>)>,
    counts: bool,
}

enum Msg {
    Count,
    Counted(TableMoment, Result<ExpiredCells, Error>),
}

impl Component for GcCount {
    type Message = Msg;
    type Properties = GcCountProps;

    fn create(_: &Context<Self>) -> Self {
        GcCount::default()
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Count => {
                self.counts = true;
                let table = ctx.props().table;
                let answer = ctx.link().callback(move |counted| Msg::Counted(table, counted));
                ctx.props().on_expired.emit(ExpiredRequest { row: None, answer });
            }
            Msg::Counted(table, counted) => {
                (self.counts, self.counted) = (false, Some((table, Rc::new(counted))));
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let says = &messages().results.expired;
        let text = match &self.counted {
            _ if self.counts => says.counting.into(),
            Some((table, _)) if *table != ctx.props().table => says.changed.into(),
            Some((_, counted)) => match &**counted {
                Ok(counted) => (says.of_table)(&expired_numbers(counted)),
                Err(error) => error.message.clone(),
            },
            None => String::new(),
        };
        let count = (!self.counts).then(|| ctx.link().callback(|()| Msg::Count));
        html! {
            <div class="gc-count">
                { push(says.count, None, ButtonKind::Quiet, count) }
                <p class="small" role="status">{text}</p>
            </div>
        }
    }
}
