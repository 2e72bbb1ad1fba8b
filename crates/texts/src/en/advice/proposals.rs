//! What a proposed design serves, and what it gives up.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_workspace::TradeOff;

/// Returns the sentences of a proposal.
#[inline(never)]
pub fn message(trade_offs: &[TradeOff]) -> String {
    trade_offs.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

fn sentence(trade_off: &TradeOff) -> String {
    match trade_off {
        TradeOff::OneRange { patterns, of } => one_range(*patterns, *of),
        TradeOff::Ranges { most, patterns } => {
            format!("It reads up to {most} ranges for {}.", quoted(patterns))
        }
        TradeOff::Salted(salts) => format!("The salt spreads the writes over {salts} ranges."),
        TradeOff::ScansMore(patterns) => {
            format!("Reads of {} cost more: they also read rows that do not match.", quoted(patterns))
        }
        TradeOff::ReverseScan(patterns) => format!(
            "{}: reverse scan, not in Python\u{2019}s client; with the time as reverse_time, the newest sort first.",
            quoted(patterns)
        ),
        TradeOff::Impossible(patterns) => format!(
            "It cannot answer {}: neither the key nor the cells contain what is needed.",
            quoted(patterns)
        ),
        TradeOff::ReadsIndex { table, patterns } => {
            let verb = if patterns.len() == 1 { "reads" } else { "read" };
            format!("{} {verb} the index table \u{201c}{table}\u{201d}.", quoted(patterns))
        }
        TradeOff::WritesTables(tables) => format!(
            "Writes cost more: each event is written to {tables} tables, which multiplies the bytes written and stored, in \
             {tables} writes without a transaction. A crash between them leaves an index without the event until the application \
             retries the write."
        ),
    }
}

fn one_range(count: u32, all: u32) -> String {
    match (count, all) {
        (0, _) => "No access pattern that selects by fields reads a single range.".into(),
        (1, 1) => "The access pattern that selects by fields reads a single range.".into(),
        (2, 2) => "Both access patterns that select by fields read a single range.".into(),
        (count, all) if count == all => {
            format!("All {all} access patterns that select by fields read a single range.")
        }
        (1, all) => format!("1 of {all} access patterns that select by fields reads a single range."),
        (count, all) => {
            format!("{count} of {all} access patterns that select by fields read a single range.")
        }
    }
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\u{201c}{name}\u{201d}")).collect();
    match &quoted[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trade_off_is_a_sentence() {
        let names = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).into()).collect() };
        let said = |trade_off| message(&[trade_off]);
        let one_range = |patterns, of| said(TradeOff::OneRange { patterns, of });
        assert_eq!(one_range(0, 2), "No access pattern that selects by fields reads a single range.");
        assert_eq!(one_range(1, 1), "The access pattern that selects by fields reads a single range.");
        assert_eq!(one_range(2, 2), "Both access patterns that select by fields read a single range.");
        assert_eq!(one_range(3, 3), "All 3 access patterns that select by fields read a single range.");
        assert_eq!(one_range(1, 3), "1 of 3 access patterns that select by fields reads a single range.");
        assert_eq!(one_range(2, 3), "2 of 3 access patterns that select by fields read a single range.");
        assert_eq!(
            said(TradeOff::Ranges { most: 8, patterns: names(&["a", "b", "c"]) }),
            "It reads up to 8 ranges for “a”, “b” and “c”."
        );
        assert_eq!(
            said(TradeOff::ScansMore(names(&["a"]))),
            "Reads of “a” cost more: they also read rows that do not match."
        );
        assert_eq!(
            said(TradeOff::Impossible(names(&["a"]))),
            "It cannot answer “a”: neither the key nor the cells contain what is needed."
        );
        let reads = |patterns: &[&str]| {
            said(TradeOff::ReadsIndex { table: "Index by c".into(), patterns: names(patterns) })
        };
        assert_eq!(reads(&["a"]), "“a” reads the index table “Index by c”.");
        assert_eq!(reads(&["a", "b"]), "“a” and “b” read the index table “Index by c”.");
        let both = message(&[TradeOff::Salted(8), TradeOff::WritesTables(3)]);
        assert!(both.starts_with("The salt spreads the writes over 8 ranges. Writes cost more: each"));
        assert!(both.contains("to 3 tables") && both.ends_with("retries the write."));
        assert_eq!(message(&[]), "");
    }
}
