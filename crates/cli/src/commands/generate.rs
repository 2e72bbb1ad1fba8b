//! `tabletop generate`: writes a design as scripts, Terraform and code.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::push::check_table_id;
use clap::ValueEnum;
use tabletop_design::{DesignTable, Supply};
use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::{Layout, Query, Template};
use tabletop_model::TableSpec;
use tabletop_workspace::{NamedQuery, Workspace, tables_of_designs};

use super::run::{chosen, load, queries_of, read};
use super::shell::described;
use super::style::tell;
use super::{EventsOptions, Failure, Result};

const EXAMPLES: &str = "\
Examples:
  tabletop generate shop.json terraform --project my-project --instance shop
  tabletop generate shop.json --design 'By user' --output out java python
  tabletop generate shop.json cbt --no-splits
  tabletop generate shop.json --output out";

/// Write a design of a workspace as cbt, gcloud, Terraform, HBase shell, or code for its row key
/// and its queries
///
/// The design is first built from its events, which determine the families and the splits.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    /// What to write [default: all]
    #[arg(value_enum)]
    kinds: Vec<Kind>,
    /// Name of the design, with its index tables, or of one index table [default: the first design]
    #[arg(long, value_name = "NAME")]
    design: Option<String>,
    /// Leave out the design's index tables
    #[arg(long)]
    no_index_tables: bool,
    /// Folder for the files; without it, the files of one kind are printed
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    events: EventsOptions,
    /// Project in Google Cloud
    #[arg(long, value_name = "ID", default_value = "my-project")]
    project: String,
    /// Bigtable instance
    #[arg(long, value_name = "ID", default_value = "my-instance")]
    instance: String,
    /// ID of the table [default: derived from the design's name]
    #[arg(long, value_name = "ID")]
    table: Option<String>,
    /// Create the table with one tablet instead of pre-splitting it at the keys of these events
    #[arg(long)]
    no_splits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A script of cbt
    Cbt,
    /// A script of gcloud
    Gcloud,
    /// A configuration of Terraform
    Terraform,
    /// Commands of the HBase shell
    Hbase,
    /// Code in Java
    Java,
    /// Code in Go
    Go,
    /// Code in Python
    Python,
    /// Code for Node.js
    Node,
    /// Code in Rust
    Rust,
}

impl Kind {
    fn exports(self) -> Vec<Export> {
        let code = |lang| vec![Export::Key(lang), Export::Queries(lang)];
        match self {
            Kind::Cbt => vec![Export::Cbt],
            Kind::Gcloud => vec![Export::Gcloud],
            Kind::Terraform => vec![Export::Terraform],
            Kind::Hbase => vec![Export::HBase],
            Kind::Java => code(Lang::Java),
            Kind::Go => code(Lang::Go),
            Kind::Python => code(Lang::Python),
            Kind::Node => code(Lang::Node),
            Kind::Rust => code(Lang::Rust),
        }
    }

    /// Returns the comment above one of several files.
    fn heading(self, file: &str) -> String {
        let mark = if self == Kind::Python { "#" } else { "//" };
        format!("{mark} ---- {file} ----")
    }
}

/// A table of the design to write.
struct Table {
    id: String,
    template: Template,
    layout: Layout,
    spec: TableSpec,
    queries: Vec<NamedQuery>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let kinds = if options.kinds.is_empty() { Kind::value_variants() } else { &options.kinds };
    let exports: Vec<Export> = kinds.iter().flat_map(|kind| kind.exports()).collect();
    if kinds.len() > 1 && options.output.is_none() {
        return Err(Failure::Wrong(
            "several kinds of files need a folder: name it with --output DIR, or name one kind".into(),
        ));
    }
    options.table.as_deref().map_or(Ok(()), check_table_id)?;
    let workspace = read(&options.workspace)?;
    let tables = tables_of(options, &workspace)?;
    let queries: Vec<Vec<(&str, &Query)>> = tables.iter().map(Table::named_queries).collect();
    let written: Vec<ExportTable> =
        tables.iter().zip(&queries).map(|(table, queries)| table.export(options, queries)).collect();
    let input = ExportInput { project: &options.project, instance: &options.instance, tables: &written };
    for warning in input.splits_warnings() {
        tell(format!("warning: {warning} --no-splits leaves them out."));
    }
    let Some(folder) = &options.output else {
        let texts: Vec<String> = exports.iter().map(|export| export.write(&input)).collect();
        let text = match texts.as_slice() {
            [one] => one.clone(),
            _ => exports
                .iter()
                .zip(&texts)
                .map(|(export, text)| format!("{}\n{text}\n", kinds[0].heading(export.file_name())))
                .collect(),
        };
        return io::stdout()
            .write_all(text.as_bytes())
            .map_err(|error| Failure::of("the output cannot be written", &error));
    };
    let failed =
        |error| Failure::of(format!("the files cannot be written into {}", folder.display()), &error);
    fs::create_dir_all(folder).map_err(failed)?;
    for export in exports {
        let file = folder.join(export.file_name());
        fs::write(&file, export.write(&input)).map_err(failed)?;
        writeln!(io::stdout(), "{}", file.display()).map_err(failed)?;
    }
    Ok(())
}

/// Builds the tables to write: all tables of the design, or the one that the options name.
fn tables_of(options: &Options, workspace: &Workspace) -> Result<Vec<Table>> {
    let names: Vec<String> = options.design.iter().cloned().collect();
    let chosen = chosen(workspace, &names)?[0];
    let designs = &workspace.designs;
    let at = designs.iter().position(|design| std::ptr::eq(design, chosen)).unwrap_or_default();
    let of_design =
        tables_of_designs(designs).into_iter().find(|tables| tables.contains(&at)).unwrap_or(at..at + 1);
    let is_one = options.no_index_tables || chosen.index_of.is_some() || of_design.len() == 1;
    let places = if is_one { at..at + 1 } else { of_design.clone() };
    if let (Some(table), false) = (&options.table, is_one) {
        let names: Vec<&str> = designs[places].iter().map(|design| design.name.as_str()).collect();
        return Err(Failure::Wrong(format!(
            "--table {table} names one table, and design {} has {}: leave it out, or add --no-index-tables, or --design with the name \
             of an index table",
            chosen.name,
            names.join(", ")
        )));
    }
    let events = load(&workspace.source, &options.workspace, &options.events)?;
    events.tell_bad_records();
    let events = events.events;
    let named = queries_of(workspace);
    let ids = workspace.table_ids();
    let table = |at: usize| {
        let design = &designs[at];
        let (template, problems) = Template::parse(&design.template, events.fields());
        if !problems.is_empty() {
            return Err(Failure::Wrong(format!(
                "the template of {}: {}",
                design.name,
                described(&design.template, &problems)
            )));
        }
        let count = events.len() as u32;
        let mut table: DesignTable = DesignTable::new(0, design, events.fields(), &workspace.cluster);
        while table.step(Supply::all(&events, &workspace.cluster), count) {}
        Ok(Table {
            id: options.table.clone().unwrap_or_else(|| ids[at].clone()),
            template,
            layout: design.layout.clone(),
            spec: table.describe(),
            // An access pattern that reads an index table belongs to that table.
            queries: named
                .iter()
                .filter(|named| named.table_of(designs, &of_design) == at)
                .cloned()
                .collect(),
        })
    };
    places.map(table).collect()
}

impl Table {
    fn named_queries(&self) -> Vec<(&str, &Query)> {
        self.queries.iter().map(|named| (named.name.as_str(), &named.query)).collect()
    }

    fn export<'a>(&'a self, options: &Options, queries: &'a [(&'a str, &'a Query)]) -> ExportTable<'a> {
        ExportTable {
            id: &self.id,
            template: &self.template,
            layout: &self.layout,
            families: &self.spec.families,
            splits: if options.no_splits { &[] } else { &self.spec.initial_splits },
            queries,
        }
    }
}
