//! Faults that tests plant, to show that the checkers find them.

/// A fault of the implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Remote writes are applied in the order of their arrival.
    LastArrivalWins,
    /// A late delete also removes cells that were committed after it.
    DeleteRemovesNewer,
    /// Deletes are forgotten before older writes have arrived.
    DeletesForgottenEarly,
    /// An entry that arrives twice is applied twice.
    RepeatsApplied,
    /// A low watermark advances before the writes that it promises have arrived.
    PromiseTrusted,
    /// A restarted cluster forgets which commit times it has promised not to use.
    PromiseForgotten,
    /// A consistent read accepts any answer of the nearest replica.
    ConditionsIgnored,
    /// "All writes before now" does not allow for clocks that are ahead.
    ClockErrorIgnored,
    /// A write is acknowledged before the clock of its cluster has reached the commit time.
    AcknowledgedEarly,
    /// Entries that a peer may still lack are removed from the log.
    LogCutEarly,
}

/// The planted fault, which only tests can set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Planted(#[cfg(test)] pub Option<Fault>);

impl Planted {
    /// Returns whether this fault is planted.
    #[cfg(test)]
    pub fn has(self, fault: Fault) -> bool {
        self.0 == Some(fault)
    }

    /// Returns `false`: faults exist only in tests.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "the same signature as in tests")]
    pub const fn has(self, _: Fault) -> bool {
        false
    }
}
