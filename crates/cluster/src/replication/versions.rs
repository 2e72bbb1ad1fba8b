//! The conflict rules: which parts of a write that arrives late still count.
//!
//! A replica stores commit times next to the engine, and only while they matter: of cells and deletes
//! that a write may still precede. Once every low watermark has passed a commit time, no earlier
//! write can arrive. From then on the cell needs no commit time, and the delete is forgotten.
//!
//! ```text
//! late set          counts unless the same cell or a delete around it was committed later
//! late delete       removes what was committed earlier; cells that were committed later are restored
//! late aggregation  is combined with the others, unless a delete was committed later
//! ```

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Mutation, Qualifier, Row, RowKey, Timestamp, TimestampRange};

use super::entry::{Entry, Stamp};
use super::planted::{Fault, Planted};

/// The commit times of a table's recent cells and deletes.
#[derive(Clone, Debug)]
pub(super) struct Versions {
    /// The names of the families; a cell names its family by its index.
    families: Vec<String>,
    rows: BTreeMap<RowKey, RowVersions>,
    /// The rows of recent writes.
    recent: BTreeMap<Stamp, RowKey>,
}

#[derive(Clone, Debug, Default)]
struct RowVersions {
    newest: Stamp,
    cells: BTreeMap<CellKey, CellVersions>,
    deletes: Vec<(Scope, Version)>,
}

/// A mutation's place in the order: its write, and its position in the write.
type Version = (Stamp, usize);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CellKey {
    family: usize,
    qualifier: Qualifier,
    timestamp: Timestamp,
}

#[derive(Clone, Debug)]
enum CellVersions {
    /// The mutation that set the cell.
    Set(Version),
    /// The recent inputs of an aggregate cell. The engine's value has older ones, too.
    Aggregated(Vec<(Version, Mutation)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    Row,
    Family(usize),
    Column { family: usize, qualifier: Qualifier, range: TimestampRange },
}

impl Scope {
    fn has(&self, cell: &CellKey) -> bool {
        match self {
            Scope::Row => true,
            Scope::Family(family) => *family == cell.family,
            Scope::Column { family, qualifier, range } => {
                *family == cell.family
                    && *qualifier == cell.qualifier
                    && range.start <= cell.timestamp
                    && (range.end == 0 || cell.timestamp < range.end)
            }
        }
    }
}

impl Versions {
    pub fn new(families: Vec<String>) -> Versions {
        Versions { families, rows: BTreeMap::new(), recent: BTreeMap::new() }
    }

    /// Returns the commit time of the row's newest recent write.
    pub fn newest(&self, key: &RowKey) -> Option<Timestamp> {
        self.rows.get(key).map(|row| row.newest.commit)
    }

    /// Returns the number of deletes that are kept.
    pub fn deletes(&self) -> usize {
        self.rows.values().map(|row| row.deletes.len()).sum()
    }

    /// Returns the number of cells and inputs whose commit times are kept.
    pub fn cells(&self) -> usize {
        let of = |versions: &CellVersions| match versions {
            CellVersions::Set(_) => 1,
            CellVersions::Aggregated(inputs) => inputs.len(),
        };
        self.rows.values().flat_map(|row| row.cells.values().map(of)).sum()
    }

    /// Adds a write. Returns the mutations that give its effect on the row as it is, or `None` when
    /// it is the row's newest write and its own mutations do. `stored` returns the row as the
    /// engine has it.
    pub fn add(
        &mut self,
        entry: &Entry,
        planted: Planted,
        stored: impl FnOnce() -> Option<Row>,
    ) -> Option<Vec<Mutation>> {
        self.recent.insert(entry.stamp, entry.key.clone());
        let Versions { families, rows, .. } = self;
        if !rows.contains_key(&entry.key) {
            rows.insert(entry.key.clone(), RowVersions::default());
        }
        let row = rows.get_mut(&entry.key).expect("it was inserted");
        let is_newest = row.newest < entry.stamp;
        row.newest = row.newest.max(entry.stamp);
        if is_newest || planted.has(Fault::LastArrivalWins) {
            for (at, mutation) in entry.mutations.iter().enumerate() {
                row.add(families, mutation, (entry.stamp, at));
            }
            return None;
        }
        let mut stored = Stored::Unread(stored);
        let mut effect = Vec::new();
        for (at, mutation) in entry.mutations.iter().enumerate() {
            let version = (entry.stamp, at);
            if row.is_hidden(families, mutation, version) {
                continue;
            }
            let scope = row.add(families, mutation, version);
            effect.push(mutation.clone());
            if let Some(scope) = scope
                && !planted.has(Fault::DeleteRemovesNewer)
            {
                row.restore(families, &scope, &mut stored, &mut effect);
            }
        }
        Some(effect)
    }

    /// Forgets the commit times up to `stable`: no write with such a commit time can arrive any
    /// more.
    pub fn settle(&mut self, stable: Timestamp) {
        // A row with many writes is visited once.
        let mut keys = BTreeSet::new();
        while let Some(first) = self.recent.first_entry()
            && first.key().commit <= stable
        {
            keys.insert(first.remove());
        }
        for key in keys {
            let Some(row) = self.rows.get_mut(&key) else { continue };
            let is_recent = |version: &Version| version.0.commit > stable;
            row.deletes.retain(|(_, version)| is_recent(version));
            row.cells.retain(|_, versions| match versions {
                CellVersions::Set(version) => is_recent(version),
                CellVersions::Aggregated(inputs) => {
                    inputs.retain(|(version, _)| is_recent(version));
                    !inputs.is_empty()
                }
            });
            if row.newest.commit <= stable {
                self.rows.remove(&key);
            }
        }
    }
}

impl RowVersions {
    /// Records a mutation. Returns the scope of a delete.
    fn add(&mut self, families: &[String], mutation: &Mutation, version: Version) -> Option<Scope> {
        match cell_of(families, mutation) {
            Some(cell) if matches!(mutation, Mutation::SetCell { .. }) => {
                self.cells.insert(cell, CellVersions::Set(version));
                None
            }
            Some(cell) => {
                let input = (version, mutation.clone());
                match self.cells.get_mut(&cell) {
                    Some(CellVersions::Aggregated(inputs)) => inputs.push(input),
                    _ => {
                        self.cells.insert(cell, CellVersions::Aggregated(alloc::vec![input]));
                    }
                }
                None
            }
            None => {
                let scope = scope_of(families, mutation);
                self.cells.retain(|cell, versions| {
                    !scope.has(cell)
                        || match versions {
                            CellVersions::Set(set) => *set > version,
                            CellVersions::Aggregated(inputs) => {
                                inputs.retain(|(input, _)| *input > version);
                                !inputs.is_empty()
                            }
                        }
                });
                match self.deletes.iter_mut().find(|(known, _)| *known == scope) {
                    Some((_, known)) => *known = version.max(*known),
                    None => self.deletes.push((scope.clone(), version)),
                }
                Some(scope)
            }
        }
    }

    /// Returns whether later writes leave nothing of a mutation.
    fn is_hidden(&self, families: &[String], mutation: &Mutation, version: Version) -> bool {
        let Some(cell) = cell_of(families, mutation) else { return false };
        let is_replaced = match self.cells.get(&cell) {
            Some(CellVersions::Set(set)) => *set > version,
            _ => false,
        };
        is_replaced || self.deletes.iter().any(|(scope, delete)| *delete > version && scope.has(&cell))
    }

    /// Adds mutations that restore the cells in the scope of a late delete: those that are still
    /// recorded were committed after it.
    fn restore<F: FnOnce() -> Option<Row>>(
        &self,
        families: &[String],
        scope: &Scope,
        stored: &mut Stored<F>,
        effect: &mut Vec<Mutation>,
    ) {
        for (cell, versions) in self.cells.iter().filter(|(cell, _)| scope.has(cell)) {
            match versions {
                CellVersions::Aggregated(inputs) => {
                    effect.extend(inputs.iter().map(|(_, input)| input.clone()));
                }
                CellVersions::Set(_) => {
                    let family = &families[cell.family];
                    // A GC rule may have collected the cell.
                    let found = stored.row().and_then(|row| {
                        row.cells.iter().find(|stored| {
                            stored.family == *family
                                && stored.qualifier == cell.qualifier
                                && stored.timestamp == cell.timestamp
                        })
                    });
                    effect.extend(found.map(|stored| Mutation::SetCell {
                        family: family.clone(),
                        qualifier: cell.qualifier.clone(),
                        timestamp: cell.timestamp,
                        value: stored.value.clone(),
                    }));
                }
            }
        }
    }
}

/// A row of the engine, read when it is needed.
enum Stored<F> {
    Unread(F),
    Read(Option<Row>),
}

impl<F: FnOnce() -> Option<Row>> Stored<F> {
    fn row(&mut self) -> Option<&Row> {
        if let Stored::Unread(_) = self
            && let Stored::Unread(read) = core::mem::replace(self, Stored::Read(None))
        {
            *self = Stored::Read(read());
        }
        match self {
            Stored::Read(row) => row.as_ref(),
            Stored::Unread(_) => None,
        }
    }
}

fn family_at(families: &[String], name: &str) -> usize {
    families.iter().position(|family| family == name).expect("the origin's table has the family")
}

/// Returns the cell that a mutation sets or adds to, or `None` for a delete.
fn cell_of(families: &[String], mutation: &Mutation) -> Option<CellKey> {
    match mutation {
        Mutation::SetCell { family, qualifier, timestamp, .. }
        | Mutation::AddToCell { family, qualifier, timestamp, .. }
        | Mutation::MergeToCell { family, qualifier, timestamp, .. } => Some(CellKey {
            family: family_at(families, family),
            qualifier: qualifier.clone(),
            timestamp: *timestamp,
        }),
        _ => None,
    }
}

/// Returns the cells that a delete removes.
fn scope_of(families: &[String], delete: &Mutation) -> Scope {
    match delete {
        Mutation::DeleteFromColumn { family, qualifier, range } => {
            Scope::Column { family: family_at(families, family), qualifier: qualifier.clone(), range: *range }
        }
        Mutation::DeleteFromFamily { family } => Scope::Family(family_at(families, family)),
        _ => Scope::Row,
    }
}
