//! The view as HTML.

use std::rc::Rc;

use tabletop_keys::{Layout, LayoutKind};
use tabletop_model::{Bytes, RowFilter};
use tabletop_protocol::{LiveServer, LiveTable};
use tabletop_texts::messages;
use tabletop_views::server::{SeenTable, busiest_table, load};
use yew::{Callback, Context, Html, html};

use super::list::List;
use super::states;
use super::{Msg, ServerView, details};
use crate::kit::{ButtonKind, Icon, Label, icon, push, select, text_field};
use crate::panes::diagnoses::{Remedy, Undiagnosed, diagnoses};
use crate::panes::heatmap::{Heatmap, Nodes};
use crate::panes::query::QueryPanel;
use crate::panes::results::ResultGrid;
use crate::panes::shell::Commands;
use tabletop_views::results::AskedFor;

/// The seconds that the pictures show: all, or the last ones.
pub const WINDOWS: [Option<u32>; 4] = [None, Some(60), Some(300), Some(900)];
/// Widths of the picture in seconds, as long as all fit: it grows in steps, so that the drawing
/// does not shift every second.
const WIDTHS: [u32; 7] = [60, 120, 300, 600, 1_200, 1_800, 3_600];

impl ServerView {
    /// Draws the view.
    pub fn draw(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let body = match &self.seen {
            None if self.phase.is_broken() => html! {},
            None => states::connecting(),
            Some(server)
                if server.instances.iter().all(|instance| instance.tables.is_empty() && instance.is_open) =>
            {
                states::empty(server, &link.callback(Msg::Say))
            }
            Some(server) => self.server(ctx, server),
        };
        html! {
            <div class="server">
                { states::broken(&self.phase, self.seen.is_some(), link.callback(|()| Msg::Retry)) }
                {body}
            </div>
        }
    }

    fn server(&self, ctx: &Context<Self>, server: &LiveServer) -> Html {
        let link = ctx.link();
        let list = List {
            server,
            chosen: self.chosen.as_ref(),
            by_load: self.by_load,
            on_by_load: link.callback(|()| Msg::ByLoad),
            on_choose: link.callback(Msg::Choose),
            on_open: link.callback(Msg::Open),
        };
        html! {
            <div class="server-columns">
                { list.draw() }
                <div class="server-table">
                    <p class="headline">{ self.headline(server) }</p>
                    if let Some(error) = &self.refusal {
                        <p class="problem" role="alert">{icon(Icon::Error)}{error.message.clone()}</p>
                    }
                    if let Some(chosen) = &self.chosen {
                        if let Some(table) = &self.table { { self.table(ctx, chosen, table) } }
                        { self.query(ctx, chosen, self.table.as_ref()) }
                    }
                </div>
            </div>
        }
    }

    /// The busiest table, and what is wrong with the table shown.
    fn headline(&self, server: &LiveServer) -> String {
        let says = &messages().server;
        let busy = match busiest_table(server).filter(|(_, figures)| load(figures) > 0.0) {
            Some((_, figures)) => {
                (says.busiest)(&figures.table, figures.reads_per_second, figures.writes_per_second)
            }
            None => says.quiet.to_owned(),
        };
        let worst = self.table.as_ref().and_then(|table| table.last().diagnoses.first());
        match worst.zip(self.chosen.as_ref()) {
            Some((worst, chosen)) => {
                let what = (messages().traffic.diagnoses.kind)(worst.kind()).trim_end_matches([':', '.']);
                format!("{busy} {}", (says.is_wrong)(what, &chosen.table))
            }
            None => busy,
        }
    }

    fn table(&self, ctx: &Context<Self>, chosen: &LiveTable, table: &SeenTable) -> Html {
        let (says, link) = (&messages().server, ctx.link());
        let last = table.last();
        let seconds = last.seconds.max(table.heat.seconds());
        let (from, until) = match WINDOWS[self.window] {
            Some(window) => (seconds.saturating_sub(window), seconds.max(window)),
            None => (0, WIDTHS.into_iter().find(|width| *width >= seconds).unwrap_or(seconds)),
        };
        let about = if self.is_paused { (says.paused)(seconds) } else { (says.counting)(seconds) };
        let pause = if self.is_paused { (says.go_on, Icon::Play) } else { (says.pause, Icon::Pause) };
        html! {
            <>
                <div class="server-head">
                    <h3 class="mono">{&chosen.table}</h3>
                    <span class="soft small">{about}</span>
                    { push(pause.0, Some(pause.1), ButtonKind::Plain, link.callback(|()| Msg::Pause)) }
                    <kbd class="soft">{says.pause_key}</kbd>
                    { select(Label::Shown(says.window), &says.windows, Some(self.window), link.callback(Msg::Window)) }
                </div>
                { diagnoses(&last.diagnoses, &Undiagnosed::Good(says.no_hotspot.into()), None, &link.batch_callback(shown)) }
                <Heatmap matrix={table.heat.clone()} places={table.places.clone()} keys={self.parts.keys.clone()} seconds_from={from}
                    seconds_total={until} at={f64::from(seconds)} metric={self.metric} nodes={Nodes::One} marked={self.shown_buckets.clone()}
                    on_metric={link.callback(Msg::Metric)} on_show_rows={link.callback(Msg::ShowRows)} />
                { self.template(ctx) }
                { details::charts(table, from..until, seconds.saturating_sub(1)) }
                { details::tablets(&last.view.tablets) }
                { details::families(&last.spec.families) }
            </>
        }
    }

    /// Draws the field that names the parts of the keys.
    fn template(&self, ctx: &Context<Self>) -> Html {
        let (says, link, parts) = (&messages().server, ctx.link(), &self.parts);
        let about = match (&parts.text, &parts.guessed) {
            (text, Some(guessed)) if text.is_empty() => (says.template_guessed)(guessed),
            (text, None) if text.is_empty() => says.template_none.to_owned(),
            _ => String::new(),
        };
        let clear = (!parts.text.is_empty()).then(|| link.callback(|()| Msg::Template(String::new())));
        html! {
            <div class="server-template">
                { text_field(says.template, &parts.text, link.callback(Msg::Template)) }
                // With `for` it would be a sibling of the field, which would then be rebuilt
                // without the focus.
                if let Some(clear) = clear { { push(says.template_clear, None, ButtonKind::Quiet, clear) } }
                <p class="soft small">{says.template_about}{" "}{about}</p>
                <div role="status">{ for parts.problems.iter().map(|problem| html! { <p class="problem">{icon(Icon::Error)}{&problem.message}</p> }) }</div>
            </div>
        }
    }

    fn query(&self, ctx: &Context<Self>, chosen: &LiveTable, table: Option<&SeenTable>) -> Html {
        let (says, link, reading) = (&messages().server, ctx.link(), &self.reading);
        let families =
            table.map(|table| table.last().spec.families.iter().map(|family| family.name.clone()).collect());
        let (families, columns) =
            (Rc::new(families.unwrap_or_default()), Rc::<Vec<(String, Bytes)>>::default());
        let fields = Rc::new(self.parts.template.fields().to_vec());
        let filter = reading.query.filter.as_ref().map(RowFilter::text).unwrap_or_default();
        let refusal = reading.result.error().cloned();
        let commands = Commands { table: chosen.table.clone(), language: ctx.props().language };
        html! {
            <section class="server-query" aria-labelledby="server-query-title">
                <h3 id="server-query-title" tabindex="-1">{(says.query)(&chosen.table)}</h3>
                <p class="soft small">{says.query_about}</p>
                <div class="server-query-columns">
                    <QueryPanel key={format!("{} {}", chosen.instance, chosen.table)} query={reading.query.clone()} {fields} {families} {columns}
                        template={self.parts.template.clone()} layout={Layout::new(LayoutKind::Narrow)} running={reading.result.running()}
                        {refusal} on_change={link.callback(Msg::Query)} on_run={link.callback(|()| Msg::Run)}
                        on_cancel={link.callback(|()| Msg::Cancel)} />
                    <div class="server-rows" role="region" aria-label={says.rows_title}>
                        <ResultGrid result={reading.result.clone()} no_table={None} asked_for={AskedFor::of(&reading.asked)}
                            keys={self.parts.keys.clone()} patterns={filter.contains("_regex(")} {commands} on_action={ctx.props().on_shell.clone()}
                            traces={None} rules={Vec::new()} gc_time={None} strips={filter.contains("strip_value")}
                            on_write={link.callback(Msg::Write)} hand_note={says.by_hand} on_expired={None}
                            columns={self.results.now()} on_edit={self.on_results.clone()} on_mark={None} complete={true} on_row={Callback::noop()} />
                    </div>
                </div>
            </section>
        }
    }
}

/// Returns what a remedy does here: a server has neither a design nor a cluster to change.
fn shown(remedy: Remedy) -> Option<Msg> {
    match remedy {
        Remedy::Show(buckets) => Some(Msg::Buckets(buckets)),
        Remedy::Design(_) | Remedy::Cluster(_) => None,
    }
}
