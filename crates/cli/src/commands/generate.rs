//! `tabletop generate`: writes a design as scripts, Terraform and code.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::push::check_table_id;
use clap::ValueEnum;
use tabletop_design::{DesignTable, Supply};
use tabletop_export::{Export, ExportInput, Lang};
use tabletop_model::RowKey;
use tabletop_schema::{Query, Template, tables_of_designs};

use super::run::{chosen, load, queries_of, read};
use super::shell::described;
use super::style::tell;
use super::{Failure, Result};

const EXAMPLES: &str = "\
Examples:
  tabletop generate shop.json terraform --project my-project --instance shop
  tabletop generate shop.json --design 'By user' --output out java python
  tabletop generate shop.json cbt --no-splits
  tabletop generate shop.json --output out";

/// Write a design of a workspace as cbt, gcloud, Terraform, HBase shell, or code for its row key and its queries
///
/// The design is built from its events first, which determine the families and the splits.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    /// What to write [default: all]
    #[arg(value_enum)]
    kinds: Vec<Kind>,
    /// Name of the design [default: the first]
    #[arg(long, value_name = "NAME")]
    design: Option<String>,
    /// Folder for the files; without it, the files of one kind are printed
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Events instead of the workspace's
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Project in Google Cloud
    #[arg(long, value_name = "ID", default_value = "my-project")]
    project: String,
    /// Bigtable instance
    #[arg(long, value_name = "ID", default_value = "my-instance")]
    instance: String,
    /// Id of the table [default: made from the design's name]
    #[arg(long, value_name = "ID")]
    table: Option<String>,
    /// Create the table with one tablet, instead of pre-splitting it at the keys of these events
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

pub(crate) fn run(options: &Options) -> Result<()> {
    let kinds = if options.kinds.is_empty() { Kind::value_variants() } else { &options.kinds };
    let exports: Vec<Export> = kinds.iter().flat_map(|kind| kind.exports()).collect();
    if kinds.len() > 1 && options.output.is_none() {
        return Err(Failure::Wrong("several kinds of files need a folder: name it with --output DIR, or name one kind".into()));
    }
    options.table.as_deref().map_or(Ok(()), check_table_id)?;
    let workspace = read(&options.workspace)?;
    let names: Vec<String> = options.design.iter().cloned().collect();
    let design = chosen(&workspace, &names)?[0];
    let events = load(&workspace.source, &options.workspace, options.events.as_deref())?.events;
    let (template, problems) = Template::parse(&design.template, events.fields());
    if !problems.is_empty() {
        return Err(Failure::Wrong(format!("the template of {}: {}", design.name, described(&design.template, &problems))));
    }
    let count = events.len() as u32;
    let mut design_table: DesignTable = DesignTable::new(0, design, events.fields(), &workspace.cluster);
    while design_table.step(Supply::all(&events, &workspace.cluster), count) {}
    let spec = design_table.describe();
    let splits: &[RowKey] = if options.no_splits { &[] } else { &spec.initial_splits };
    let at = workspace.designs.iter().position(|other| std::ptr::eq(other, design)).unwrap_or_default();
    let table = options.table.clone().unwrap_or_else(|| workspace.table_ids().swap_remove(at));
    let named = queries_of(&workspace);
    let designs = &workspace.designs;
    let tables = tables_of_designs(designs).into_iter().find(|tables| tables.contains(&at)).unwrap_or(at..at + 1);
    let others: Vec<&str> = tables.clone().filter(|other| *other != at).map(|other| designs[other].name.as_str()).collect();
    if !others.is_empty() {
        tell(format!("note: the design has other tables, with code of their own: {}. --design chooses one.", others.join(", ")));
    }
    // An access pattern that reads an index table is one of that table.
    let named = named.iter().filter(|named| named.table_of(designs, &tables) == at);
    let queries: Vec<(&str, &Query)> = named.map(|named| (named.name.as_str(), &named.query)).collect();
    let input = ExportInput {
        project: &options.project,
        instance: &options.instance,
        table: &table,
        template: &template,
        layout: &design.layout,
        families: &spec.families,
        splits,
        queries: &queries,
    };
    if let Some(warning) = input.splits_warning() {
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
        return io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::of("the output cannot be written", &error));
    };
    let failed = |error| Failure::of(format!("the files cannot be written into {}", folder.display()), &error);
    fs::create_dir_all(folder).map_err(failed)?;
    for export in exports {
        let file = folder.join(export.file_name());
        fs::write(&file, export.write(&input)).map_err(failed)?;
        writeln!(io::stdout(), "{}", file.display()).map_err(failed)?;
    }
    Ok(())
}
