//! The instances of the server and their tables, with what clients do to them.

use tabletop_protocol::{LiveFigures, LiveInstance, LiveServer, LiveTable};
use tabletop_texts::messages;
use tabletop_views::server::load;
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, Icon, Toggle, icon, push, toggle};

/// What the list acts on.
pub struct List<'a> {
    /// What the server has.
    pub server: &'a LiveServer,
    /// The table shown.
    pub chosen: Option<&'a LiveTable>,
    /// Whether the busiest table comes first.
    pub by_load: bool,
    /// Turns the order by load on or off.
    pub on_by_load: Callback<()>,
    /// Shows a table.
    pub on_choose: Callback<LiveTable>,
    /// Opens an instance.
    pub on_open: Callback<String>,
}

impl List<'_> {
    /// Draws the list.
    pub fn draw(&self) -> Html {
        let (says, server) = (&messages().server, self.server);
        html! {
            <nav class="server-list" aria-label={says.tables}>
                <p class="soft small">{(says.where_it_is)(&server.address, server.clients)}</p>
                <p class="soft small">{(says.data)(server.data.as_deref())}</p>
                { toggle(Toggle { label: says.by_load, icon: Icon::Hot, icon_only: false, pressed: self.by_load, on_click: self.on_by_load.clone() }) }
                { for server.instances.iter().map(|instance| self.instance(instance)) }
            </nav>
        }
    }

    fn instance(&self, instance: &LiveInstance) -> Html {
        let says = &messages().server;
        let mut tables: Vec<&LiveFigures> = instance.tables.iter().collect();
        if self.by_load {
            tables.sort_by(|one, other| {
                load(other).total_cmp(&load(one)).then_with(|| one.table.cmp(&other.table))
            });
        }
        let name = instance.name.clone();
        html! {
            <section key={name.clone()} aria-label={name.clone()}>
                <h3 class="mono small">{&name}</h3>
                if let Some(error) = &instance.trouble {
                    <p class="problem">{icon(Icon::Error)}{(says.trouble)(&error.message)}</p>
                } else if !instance.is_open {
                    <p class="soft small">{says.closed}</p>
                    { push(says.open, None, ButtonKind::Plain, self.on_open.reform(move |()| name.clone())) }
                } else if tables.is_empty() {
                    <p class="soft small">{says.no_tables}</p>
                }
                <ul>{ for tables.into_iter().map(|figures| self.table(instance, figures)) }</ul>
                if instance.tables_left_out > 0 { <p class="soft small">{(says.left_out)(instance.tables_left_out)}</p> }
            </section>
        }
    }

    fn table(&self, instance: &LiveInstance, figures: &LiveFigures) -> Html {
        let says = &messages().server;
        let table = LiveTable { instance: instance.name.clone(), table: figures.table.clone() };
        let current = (self.chosen == Some(&table)).then_some("true");
        let (reads, writes) = (figures.reads_per_second, figures.writes_per_second);
        html! {
            <li key={figures.table.clone()}>
                <button type="button" class="server-table-button" aria-current={current}
                    onclick={self.on_choose.reform(move |_| table.clone())}>
                    <strong class="mono">{&figures.table}</strong>
                    <span class="soft small num">{(says.stored)(figures.rows, figures.bytes, figures.tablets)}</span>
                    <span class="small num">{if reads + writes > 0.0 { (says.load)(reads, writes) } else { says.idle.into() }}</span>
                </button>
            </li>
        }
    }
}
