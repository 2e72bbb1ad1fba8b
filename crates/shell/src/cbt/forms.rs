//! The name and the arguments of each command: for parsing, for help and for completion.

use alloc::string::String;

use tabletop_model::{Problem, did_you_mean};

use super::form::{CommandForm, Opt, Takes};
use super::words::Word;
use super::{commands, help};
use crate::place::problem;

const fn opt(name: &'static str, value: &'static str, about: &'static str) -> Opt {
    Opt { name, value, about }
}

const TABLE: (&str, Takes) = ("table-id", Takes::Table);
const ROW: (&str, Takes) = ("row-key", Takes::Text);
const FAMILY: (&str, Takes) = ("family", Takes::Family);
const APP_PROFILE: Opt = opt("app-profile", "<app-profile-id>", "accepted, and ignored here");
const COLUMNS: Opt = opt("columns", "<family>:<qualifier>,...", "only these columns; each part is a regex");
const CELLS_PER_COLUMN: Opt = opt("cells-per-column", "<n>", "at most this many versions of each column");
const KEYS_ONLY: Opt = opt("keys-only", "<true|false>", "omit the values");
const INCLUDE_STATS: Opt = opt("include-stats", "full", "print what was read, after the rows");
const FORMAT_FILE: Opt =
    opt("format-file", "<path-to-format-file>", "how values are shown (YAML), in the command line");
const FILTER: Opt = opt(
    "filter",
    "<filter>",
    "a filter of the Bigtable API, such as \"chain(family_name_regex(\\\"f\\\"), strip_value)\"",
);
const SPLITS: Opt = opt("splits", "<row-key>,...", "split points of the new table");
const FAMILIES: Opt = opt(
    "families",
    "<family>:<policy>:<type>,...",
    "column families; the type is intsum, intmin, intmax or inthll",
);

/// All commands, in the order of their names.
pub(crate) const FORMS: &[CommandForm] = &[
    CommandForm {
        name: "addtocell",
        about: "Add to cells of aggregate families",
        takes: &[TABLE, ROW],
        rest: Some("<family>:<column>=<val>[@<timestamp>] ..."),
        options: &[APP_PROFILE],
        start: commands::add_to_cell,
    },
    CommandForm {
        name: "checkandmutate",
        about: "Set cells of a row depending on its content",
        takes: &[TABLE, ROW],
        rest: None,
        options: &[
            COLUMNS,
            FILTER,
            opt(
                "true",
                "<family>:<column>=<val>[@<timestamp>]",
                "a cell to set if something is found; may be repeated",
            ),
            opt(
                "false",
                "<family>:<column>=<val>[@<timestamp>]",
                "a cell to set if nothing is found; may be repeated",
            ),
            APP_PROFILE,
        ],
        start: commands::check_and_mutate,
    },
    CommandForm {
        name: "compact",
        about: "Merge the files of a table (of Tabletop, not of Google's cbt)",
        takes: &[TABLE],
        rest: None,
        options: &[],
        start: commands::compact,
    },
    CommandForm {
        name: "count",
        about: "Count rows in a table",
        takes: &[TABLE],
        rest: None,
        options: &[opt("prefix", "<row-key-prefix>", "only rows with this prefix"), APP_PROFILE],
        start: commands::count,
    },
    CommandForm {
        name: "createfamily",
        about: "Create a column family",
        takes: &[TABLE, ("family>[:<policy>[:<type>]]", Takes::Text)],
        rest: None,
        options: &[],
        start: commands::create_family,
    },
    CommandForm {
        name: "createtable",
        about: "Create a table",
        takes: &[("table-id", Takes::Text)],
        rest: None,
        options: &[FAMILIES, SPLITS],
        start: commands::create_table,
    },
    CommandForm {
        name: "deleteallrows",
        about: "Delete all rows",
        takes: &[TABLE],
        rest: None,
        options: &[opt("prefix", "<row-key-prefix>", "only rows with this prefix")],
        start: commands::delete_all_rows,
    },
    CommandForm {
        name: "deletecolumn",
        about: "Delete all cells in a column",
        takes: &[TABLE, ROW, FAMILY, ("column", Takes::Text)],
        rest: None,
        options: &[
            opt("start", "<microseconds>", "only cells of this time and later"),
            opt("end", "<microseconds>", "only cells before this time"),
            APP_PROFILE,
        ],
        start: commands::delete_column,
    },
    CommandForm {
        name: "deletefamily",
        about: "Delete a column family",
        takes: &[TABLE, FAMILY],
        rest: None,
        options: &[],
        start: commands::delete_family,
    },
    CommandForm {
        name: "deleterow",
        about: "Delete a row",
        takes: &[TABLE, ROW],
        rest: None,
        options: &[opt("family", "<family>", "only its cells of this family"), APP_PROFILE],
        start: commands::delete_row,
    },
    CommandForm {
        name: "deletetable",
        about: "Delete a table",
        takes: &[TABLE],
        rest: None,
        options: &[],
        start: commands::delete_table,
    },
    CommandForm {
        name: "help",
        about: "Print help text",
        takes: &[("[command]", Takes::Command)],
        rest: None,
        options: &[],
        start: help::help,
    },
    CommandForm {
        name: "import",
        about: "Batch write many rows based on the input file",
        takes: &[TABLE, ("input-file", Takes::Text)],
        rest: None,
        options: &[
            opt("column-family", "<family>", "the family of all columns, if the file has no row of families"),
            opt("batch-size", "<500>", "rows of one request"),
            opt(
                "timestamp",
                "<now|value-encoded>",
                "the server's time, or the time after the last @ of each value",
            ),
            opt("workers", "<1>", "accepted, and ignored here"),
            APP_PROFILE,
        ],
        start: commands::import,
    },
    CommandForm {
        name: "lookup",
        about: "Read from a single row",
        takes: &[TABLE, ROW],
        rest: None,
        options: &[COLUMNS, CELLS_PER_COLUMN, FILTER, KEYS_ONLY, INCLUDE_STATS, FORMAT_FILE, APP_PROFILE],
        start: commands::lookup,
    },
    CommandForm {
        name: "ls",
        about: "List tables and column families",
        takes: &[("[table-id]", Takes::Table)],
        rest: None,
        options: &[],
        start: commands::list,
    },
    CommandForm {
        name: "read",
        about: "Read rows",
        takes: &[TABLE],
        rest: None,
        options: &[
            opt("start", "<row-key>", "from this row on"),
            opt("end", "<row-key>", "up to this row, which is not read"),
            opt("prefix", "<row-key-prefix>", "only rows with this prefix"),
            opt("regex", "<regex>", "only rows whose whole key matches"),
            opt("reversed", "<true|false>", "the last rows first"),
            COLUMNS,
            opt("count", "<n>", "at most this many rows"),
            CELLS_PER_COLUMN,
            FILTER,
            KEYS_ONLY,
            INCLUDE_STATS,
            FORMAT_FILE,
            APP_PROFILE,
        ],
        start: commands::read,
    },
    CommandForm {
        name: "readmodifywrite",
        about: "Change a cell based on its newest value",
        takes: &[TABLE, ROW, FAMILY, ("qualifier", Takes::Text)],
        rest: None,
        options: &[
            opt("append", "<val>", "bytes to append to it"),
            opt("increment", "<delta>", "a number to add to it; it has eight bytes, the highest first"),
            APP_PROFILE,
        ],
        start: commands::read_modify_write,
    },
    CommandForm {
        name: "samplerowkeys",
        about: "Print keys that split a table into equal parts",
        takes: &[TABLE],
        rest: None,
        options: &[APP_PROFILE],
        start: commands::sample_row_keys,
    },
    CommandForm {
        name: "set",
        about: "Set value of a cell (write)",
        takes: &[TABLE, ROW],
        rest: Some("<family>:<column>=<val>[@<timestamp>] ..."),
        options: &[APP_PROFILE],
        start: commands::set,
    },
    CommandForm {
        name: "setgcpolicy",
        about: "Set the garbage-collection policy of a column family",
        takes: &[TABLE, FAMILY],
        rest: Some("((maxage=<d> | maxversions=<n>) [(and|or) ...] | never) [force]"),
        options: &[],
        start: commands::set_gc_policy,
    },
    CommandForm {
        name: "tablets",
        about: "List the tablets of a table (of Tabletop, not of Google's cbt)",
        takes: &[TABLE],
        rest: None,
        options: &[],
        start: commands::tablets,
    },
    CommandForm {
        name: "version",
        about: "Print the version of Tabletop",
        takes: &[],
        rest: None,
        options: &[],
        start: commands::version,
    },
    CommandForm {
        name: "waitforreplication",
        about: "Wait for writes to be replicated: all clusters have the same rows here",
        takes: &[TABLE],
        rest: None,
        options: &[],
        start: commands::wait_for_replication,
    },
];

/// Commands of cbt that need a cloud.
const CLOUD: [&str; 20] = [
    "createappprofile",
    "createauthorizedview",
    "createcluster",
    "createinstance",
    "createsnapshot",
    "createtablefromsnapshot",
    "deleteappprofile",
    "deletecluster",
    "deleteinstance",
    "deletesnapshot",
    "getappprofile",
    "getsnapshot",
    "listappprofile",
    "listclusters",
    "listinstances",
    "listsnapshots",
    "setvaluetype",
    "sql",
    "updateappprofile",
    "updatecluster",
];

/// Finds a command by its name.
pub(super) fn find(name: &Word) -> Result<&'static CommandForm, Problem> {
    if let Some(form) = FORMS.iter().find(|form| form.name.as_bytes() == name.bytes) {
        return Ok(form);
    }
    let shown = String::from_utf8_lossy(&name.bytes);
    let message = match CLOUD.iter().any(|cloud| cloud.as_bytes() == name.bytes) {
        true if shown == "setvaluetype" => {
            "createtable and createfamily set the type of an aggregate family, which cannot be changed later: create another \
             family (other types are not kept here)"
                .into()
        }
        true => alloc::format!("{shown} is for instances, clusters and profiles in Google Cloud, which do not exist here"),
        false => {
            let hint = did_you_mean(&shown, FORMS.iter().map(|form| form.name));
            alloc::format!("There is no command {shown}{hint}")
        }
    };
    Err(problem(name.span(), message))
}
