//! Tables of text, in rows and columns.

use tabletop_model::printable;
use tabletop_views::markdown;

use crate::commands::style::STRONG;

/// A table whose first columns hold texts, and the others numbers.
pub(crate) struct Grid {
    head: Vec<&'static str>,
    texts: usize,
    lines: Vec<Vec<String>>,
}

impl Grid {
    /// Creates a table whose first `texts` columns are aligned to the left, and the others to the
    /// right.
    pub(crate) fn new(head: Vec<&'static str>, texts: usize) -> Grid {
        Grid { head, texts, lines: Vec::new() }
    }

    /// Adds a line. Its texts may come from untrusted files.
    pub(crate) fn push(&mut self, line: Vec<String>) {
        self.lines.push(line.iter().map(|cell| on_one_line(cell)).collect());
    }

    /// Returns the table without its last column.
    pub(crate) fn without_last(mut self) -> Grid {
        self.head.pop();
        self.lines.iter_mut().for_each(|line| drop(line.pop()));
        self
    }

    /// Formats the table for a terminal, with styles.
    pub(crate) fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.lines.iter().map(|line| line[column].chars().count());
            cells.chain([self.head[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &[&str]| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                // The widths of format strings end at 65,535.
                let space = " ".repeat(width - cell.chars().count());
                if column < self.texts { format!("{cell}{space}") } else { format!("{space}{cell}") }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut out = format!("{STRONG}{}{STRONG:#}\n", line(&self.head));
        for cells in &self.lines {
            out.push_str(&line(&cells.iter().map(String::as_str).collect::<Vec<_>>()));
            out.push('\n');
        }
        out
    }

    /// Formats the table as Markdown.
    pub(crate) fn markdown(&self) -> String {
        markdown::table(&self.head, self.texts, &self.lines)
    }
}

/// Returns an untrusted text as a single line for a terminal.
pub(crate) fn on_one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut grid = Grid::new(vec!["DESIGN", "ROWS"], 1);
        grid.push(vec!["\u{e9}|a".into(), "1,000".into()]);
        grid.push(vec!["a longer one".into(), "7".into()]);
        let text = anstream::adapter::strip_str(&grid.text()).to_string();
        assert_eq!(text, "DESIGN         ROWS\n\u{e9}|a           1,000\na longer one      7\n");
        assert_eq!(
            grid.markdown(),
            "| DESIGN | ROWS |\n|---|---:|\n| \u{e9}\\|a | 1,000 |\n| a longer one | 7 |\n"
        );
        let mut grid_of_others = Grid::new(vec!["DESIGN", "ROWS"], 1);
        grid_of_others.push(vec!["\u{1b}[31m\nx".repeat(10_000), "1".into()]);
        let text = anstream::adapter::strip_str(&grid_of_others.text()).to_string();
        assert!(text.lines().count() == 2 && text.contains("\\u{1b}[31m x"));
        assert_eq!(grid.without_last().markdown(), "| DESIGN |\n|---|\n| \u{e9}\\|a |\n| a longer one |\n");
    }
}
