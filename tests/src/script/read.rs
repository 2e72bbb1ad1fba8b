//! The command `read`.

use tabletop_model::{ReadRows, ReadStats, Request, Response, RowFilter, RowRange};

use super::notation::repeated;
use super::{Said, Script, bytes, number, range, said, shown};
use crate::Database;

impl<D: Database> Script<D> {
    /// Reads all slices of a read; a line `--` stands between two of them.
    pub(super) fn read(&mut self, rest: &str) -> Said {
        let (words, filter) = match rest.split_once("filter=") {
            Some((words, filter)) => (words, Some(filter)),
            None => (rest, None),
        };
        let mut read = ReadRows { filter: filter.map(filter_of).transpose()?, ..ReadRows::default() };
        let (mut stats, mut keys_only) = (false, false);
        for word in words.split_whitespace() {
            match word.split_once('=') {
                Some(("prefix", prefix)) => read.rows.ranges.push(RowRange::prefix(bytes(prefix)?)),
                Some(("count", count)) => read.rows_limit = number(count)?,
                Some(("slice", cells)) => read.slice_cells_max = number(cells)?,
                Some(("seed", seed)) => read.sample_seed = number(seed)?,
                _ if word == "reversed" => read.reversed = true,
                _ if word == "stats" => stats = true,
                _ if word == "keys" => keys_only = true,
                _ if word.starts_with(['[', '(']) && word.contains(',') => read.rows.ranges.push(range(word)?),
                _ => read.rows.keys.push(bytes(word)?.into()),
            }
        }
        let mut out = String::new();
        loop {
            let chunk = match self.database.handle(self.now, Request::ReadRows { table: self.table.clone(), read: read.clone() })
            {
                Response::Rows(chunk) => chunk,
                Response::Refused(error) => return Ok(out + &said(&error)),
                other => return Err(format!("an unexpected answer: {other:?}")),
            };
            for row in &chunk.rows {
                match keys_only {
                    true => out += &format!("{}\n", super::brief(&row.key)),
                    false => out += &shown(row),
                }
            }
            if chunk.resume.is_none() {
                if chunk.stats.rows_returned == 0 && !stats {
                    out += "no rows\n";
                }
                return Ok(if stats { out + &counted(&chunk.stats) } else { out });
            }
            out += "--\n";
            read.resume = chunk.resume;
        }
    }
}

pub(super) fn filter_of(text: &str) -> Result<RowFilter, String> {
    let text = repeated(text);
    let (filter, problems) = RowFilter::parse(&text);
    match (filter, problems.first()) {
        (_, Some(problem)) => Err(format!("in the filter, at byte {}: {}", problem.span.start, problem.message)),
        (filter, None) => filter.ok_or_else(|| "a filter is missing".into()),
    }
}

/// What production counts too; what depends on blocks and tablets is not for a case file.
fn counted(stats: &ReadStats) -> String {
    format!(
        "{} of {} rows, {} of {} cells, {} bytes\n",
        stats.rows_returned, stats.rows_seen, stats.cells_returned, stats.cells_seen, stats.bytes_returned
    )
}
