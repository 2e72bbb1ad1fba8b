//! The order in which designs are judged before their cost. The headline, ticks, "best" marks, the
//! scoreboard and reports all ask this one object.

/// What decides between designs before their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The number of events that have no place of their own.
    pub lost: u32,
    /// The number of access patterns whose answers differ from a plain filter over the events.
    pub wrong_answers: u32,
    /// Whether a row is larger than a service allows, at the stated scale.
    pub has_huge_row: bool,
    /// The number of access patterns with a rate that are not answered.
    pub unanswered: u32,
    /// Whether one tablet gets more writes than a node takes, at the stated rate.
    pub exceeds_node: bool,
    /// The number of access patterns with a rate that scan the whole table.
    pub scans: u32,
    /// Whether a few tablets take most writes.
    pub is_hot: bool,
}

/// What is wrong with a design, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// Events have no place of their own.
    LosesEvents,
    /// The answer to an access pattern differs from a plain filter over the events.
    WrongAnswer,
    /// A row is larger than a service allows, at the stated scale.
    HugeRow,
    /// An access pattern is not answered.
    NoAnswer,
    /// One tablet gets more writes than a node takes, at the stated rate.
    ExceedsNode,
    /// An access pattern with a rate scans the whole table.
    Scans,
    /// A few tablets take most writes.
    Hot,
}

impl Standing {
    /// Returns the worst flaw, which decides before all others; `None` for a design that only its
    /// cost can beat.
    pub fn worst(&self) -> Option<Flaw> {
        Flaw::ALL.into_iter().find(|flaw| self.amount(*flaw) > 0)
    }

    /// Whether the design may win or be best at anything: it keeps every event and returns the right
    /// ones, in rows that a service can store.
    pub fn can_win(&self) -> bool {
        self.lost == 0 && self.wrong_answers == 0 && !self.has_huge_row
    }

    /// Returns how much of a flaw the design has. Less is better.
    pub fn amount(&self, flaw: Flaw) -> u32 {
        match flaw {
            Flaw::LosesEvents => self.lost,
            Flaw::WrongAnswer => self.wrong_answers,
            Flaw::HugeRow => self.has_huge_row.into(),
            Flaw::NoAnswer => self.unanswered,
            Flaw::ExceedsNode => self.exceeds_node.into(),
            // With one scan, the cost grows with the table as with two.
            Flaw::Scans => u32::from(self.scans > 0),
            Flaw::Hot => self.is_hot.into(),
        }
    }
}

impl Flaw {
    /// All flaws, the worst first.
    pub const ALL: [Flaw; 7] = [
        Flaw::LosesEvents,
        Flaw::WrongAnswer,
        Flaw::HugeRow,
        Flaw::NoAnswer,
        Flaw::ExceedsNode,
        Flaw::Scans,
        Flaw::Hot,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_flaw_decides() {
        let mut standing = Standing::default();
        assert_eq!((standing.worst(), standing.can_win()), (None, true));
        let add: [fn(&mut Standing); 7] = [
            |of| of.is_hot = true,
            |of| of.scans = 2,
            |of| of.exceeds_node = true,
            |of| of.unanswered = 1,
            |of| of.has_huge_row = true,
            |of| of.wrong_answers = 1,
            |of| of.lost = 7,
        ];
        for (add, flaw) in add.into_iter().zip(Flaw::ALL.into_iter().rev()) {
            add(&mut standing);
            assert_eq!(standing.worst(), Some(flaw));
            assert_eq!(standing.can_win(), flaw > Flaw::HugeRow, "{flaw:?}");
        }
    }
}
