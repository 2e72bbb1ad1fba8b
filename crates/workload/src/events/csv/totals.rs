//! Lines that add up the lines above them, as reports have them: `Total,,,123`.

use super::super::log::FilePosition;

/// The first words of such lines.
const WORDS: [&str; 30] = [
    "total",
    "totals",
    "subtotal",
    "sum",
    "summe",
    "gesamt",
    "gesamtsumme",
    "zwischensumme",
    "insgesamt",
    "totale",
    "totaal",
    "somme",
    "suma",
    "razem",
    "łącznie",
    "celkem",
    "összesen",
    "summa",
    "yhteensä",
    "toplam",
    "soma",
    "итого",
    "всего",
    "合计",
    "总计",
    "小计",
    "合計",
    "総計",
    "小計",
    "합계",
];
/// The number of records that show which columns are never empty.
const RECORDS_MIN: u64 = 20;

/// Which columns the records fill.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// For each column, whether all records have a value in it.
    filled: Vec<bool>,
    records: u64,
    /// The position of the last record and the number of its values, if it has few.
    sparse: Option<(FilePosition, usize)>,
}

impl Totals {
    /// Considers the next record. Returns whether it is a total of those above it.
    pub(super) fn see<'t>(
        &mut self,
        cells: impl Iterator<Item = &'t str> + Clone,
        position: impl Fn() -> FilePosition,
    ) -> bool {
        let values = || cells.clone().filter(|cell| !cell.trim().is_empty());
        let mut columns = 0;
        let lacks =
            cells.clone().zip(self.filled.iter().chain(std::iter::repeat(&true))).filter(|(cell, filled)| {
                columns += 1;
                **filled && cell.trim().is_empty()
            });
        let (lacks, count) = (lacks.count(), values().count());
        let is_sparse = columns > 2 && lacks > 0 && count * 2 <= columns;
        if is_sparse && self.records > 0 && values().next().is_some_and(is_named_total) {
            return true;
        }
        self.sparse = (is_sparse && self.records >= RECORDS_MIN).then(|| (position(), count));
        self.filled.resize(columns, true);
        for (filled, cell) in self.filled.iter_mut().zip(cells) {
            *filled &= !cell.trim().is_empty();
        }
        self.records += 1;
        false
    }

    /// Returns the position of the last record, and a message, if it has few values where all
    /// others have some.
    pub(super) fn end(&mut self) -> Option<(FilePosition, String)> {
        let (position, count) = self.sparse.take()?;
        let values = if count == 1 { "one value".to_owned() } else { format!("{count} values") };
        let message = format!(
            "The last record has {values}, and no value in columns that all records before it fill: if it is a total or a remark, remove it."
        );
        Some((position, message))
    }
}

fn is_named_total(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(2);
    words.any(|word| WORDS.contains(&word))
}
