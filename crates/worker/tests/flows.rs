//! What a user does and then sees, without a page: the requests of the page go to a session, and
//! the answers become the values and the texts that the page draws.

mod api;
mod data;
mod design;
mod query;
mod share;
mod shell;

use tabletop_keys::{Layout, LayoutKind, Query, RowChoice, Template};
use tabletop_model::RowFilter;
use tabletop_protocol::QueryChunk;
use tabletop_workspace::{Design, Source, Workspace};

use crate::host::{self, Host};

/// A key of the generated events that begins with two fields.
const TEMPLATE: &str = "{app_id},{user_token},{timestamp:iso}";

/// Returns a host with all generated events in a table of this key and layout.
fn built(template: &str, kind: LayoutKind) -> Host {
    let mut host = Host::with_steps_of(1_000);
    host.edit(|workspace| {
        workspace.designs = vec![Design::new("Design 1", template, Layout::new(kind))];
    });
    host.finish();
    host
}

/// Returns a host with a sample in a table of this key.
fn with_sample(name: &str, template: &str) -> Host {
    let mut host = Host::with_steps_of(1_000);
    let mut workspace = host.workspace();
    workspace.source = Source::Sample(name.into());
    workspace.designs[0].template = template.into();
    open(&mut host, workspace);
    host
}

/// Opens a workspace, with the file of its sample if it has one.
fn open(host: &mut Host, workspace: Workspace) {
    host.open(workspace);
    if let Some(fetch) = host.session.next_fetch() {
        host.session.fetched(fetch.ticket, Ok(host::shipped(&fetch.path)));
    }
    host.finish();
}

impl Host {
    /// Changes the design, and builds its table.
    fn design(&mut self, change: impl FnOnce(&mut Design)) {
        self.edit(|workspace| change(&mut workspace.designs[0]));
        self.finish();
    }

    /// Reads at most `rows_limit` rows; all of them if it is 0.
    fn rows_of(&mut self, rows: RowChoice, filter: Option<&str>, rows_limit: u64) -> QueryChunk {
        let filter = filter.map(|text| RowFilter::parse(text).0.expect("a filter"));
        self.read_all(0, Query { rows, filter, rows_limit, reversed: false })
    }

    /// Returns the key of the first row.
    fn first_key(&mut self) -> String {
        self.rows_of(RowChoice::All, None, 1).rows[0].key.to_string()
    }

    /// Parses the template of the design with the fields of the events.
    fn parsed(&mut self) -> (Template, Layout) {
        let design = self.workspace().designs.swap_remove(0);
        (Template::parse(&design.template, &self.data().fields).0, design.layout)
    }
}
