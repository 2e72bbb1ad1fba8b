//! The families of a table, by number.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::limits::FAMILY_NAME_CHARS_MAX;
use tabletop_model::{
    Aggregate, Code, ColumnFamily, Error, FamilyModification, GcRule, Result, SortedMap, is_family_name,
};

use crate::columns::FamilyId;
use crate::gc::counts_versions;
use crate::groups::Groups;

/// Families in the order of their creation. A number is never reused, so cells of a dropped family
/// stay invisible even after a family of the same name is created again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Families {
    /// `None` for a dropped family.
    all: Vec<Option<ColumnFamily>>,
    /// Empty for a dropped family. No existing family has an empty name.
    names: Vec<String>,
    kinds: Vec<FamilyKind>,
    groups: Groups,
    /// Numbers by name, so that looking up a family stays fast in a table with many families.
    by_name: SortedMap<String, FamilyId>,
}

/// The number of families that can ever be created in a table; each number must fit in a
/// [`FamilyId`].
const FAMILIES_MAX: usize = FamilyId::MAX as usize;

/// The kind of a family: what two of its cells with the same column and time become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FamilyKind {
    /// The newer cell replaces the older one.
    Plain,
    /// The cells are combined.
    Aggregate(Aggregate),
    /// Both cells are removed.
    Dropped,
}

impl FamilyKind {
    /// Returns the kind of a family. An unknown family, which only damaged bytes can name, counts
    /// as dropped.
    #[inline]
    pub fn of(kinds: &[FamilyKind], family: FamilyId) -> FamilyKind {
        kinds.get(usize::from(family)).copied().unwrap_or(FamilyKind::Dropped)
    }
}

impl Families {
    /// Creates the families of a stored table; `None` stands for a dropped family.
    pub fn stored(all: Vec<Option<ColumnFamily>>) -> Families {
        let mut families = Families::default();
        for (id, family) in all.into_iter().enumerate() {
            let kind =
                |family: &ColumnFamily| family.aggregate.map_or(FamilyKind::Plain, FamilyKind::Aggregate);
            families.kinds.push(family.as_ref().map_or(FamilyKind::Dropped, kind));
            families.names.push(family.as_ref().map(|family| family.name.clone()).unwrap_or_default());
            if let Some(family) = &family {
                families.by_name.insert(family.name.clone(), id as FamilyId);
            }
            families.all.push(family);
        }
        families.groups = Groups::new(&families.all);
        families
    }

    /// Returns all families by number; `None` stands for a dropped family.
    pub fn all(&self) -> &[Option<ColumnFamily>] {
        &self.all
    }

    /// Returns the names by number; the name of a dropped family is empty.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the kinds by number.
    pub fn kinds(&self) -> &[FamilyKind] {
        &self.kinds
    }

    /// Returns the locality groups of the families.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the GC rule of a family, or `None` if it was dropped.
    pub fn gc_rule(&self, family: FamilyId) -> Option<&GcRule> {
        self.all.get(usize::from(family))?.as_ref().map(|family| &family.gc_rule)
    }

    /// Returns the GC rules by number. A dropped family has a rule that keeps everything.
    pub fn gc_rules(&self) -> Vec<GcRule> {
        self.all
            .iter()
            .map(|family| family.as_ref().map_or(GcRule::KeepAll, |family| family.gc_rule.clone()))
            .collect()
    }

    /// Returns whether a major compaction can remove more than deleted cells: cells of dropped
    /// families, or cells that a GC rule collects.
    pub fn are_collected(&self) -> bool {
        self.kinds.contains(&FamilyKind::Dropped) || self.have_rules()
    }

    /// Returns whether any family has a GC rule, so that more cells can become collectable over
    /// time: versions grow too many or too old.
    pub fn have_rules(&self) -> bool {
        self.iter().any(|family| family.gc_rule != GcRule::KeepAll)
    }

    /// Returns whether any rule counts versions.
    pub fn count_versions(&self) -> bool {
        self.iter().any(|family| counts_versions(&family.gc_rule))
    }

    /// Returns the existing families, in the order of their creation.
    pub fn iter(&self) -> impl Iterator<Item = &ColumnFamily> {
        self.all.iter().flatten()
    }

    /// Returns the number of a family.
    ///
    /// # Errors
    /// `NotFound`, with the existing families.
    pub fn find(&self, name: &str) -> Result<FamilyId> {
        self.by_name.get(name).copied().ok_or_else(|| {
            Error::not_found(format!(
                "unknown family \"{name}\": the table {}; create the family first",
                self.known()
            ))
        })
    }

    /// Applies all of the modifications in order, or none of them. Returns whether any family was
    /// dropped.
    ///
    /// # Errors
    /// `InvalidArgument` for a bad name or rule, `AlreadyExists` for a name that is taken,
    /// `NotFound` for a family that does not exist.
    pub fn modify(&mut self, modifications: &[FamilyModification]) -> Result<bool> {
        let mut changed = self.clone();
        let mut drops = false;
        for modification in modifications {
            match modification {
                FamilyModification::Create(family) => changed.create(family)?,
                FamilyModification::Update { family, gc_rule } => {
                    gc_rule.validate()?;
                    let id = changed.find(family)?;
                    if let Some(family) = &mut changed.all[usize::from(id)] {
                        family.gc_rule.clone_from(gc_rule);
                    }
                }
                FamilyModification::Drop { family } => {
                    let id = changed.find(family)?;
                    changed.by_name.remove(family);
                    changed.all[usize::from(id)] = None;
                    changed.names[usize::from(id)].clear();
                    changed.kinds[usize::from(id)] = FamilyKind::Dropped;
                    drops = true;
                }
            }
        }
        changed.groups = Groups::new(&changed.all);
        *self = changed;
        Ok(drops)
    }

    fn create(&mut self, family: &ColumnFamily) -> Result<()> {
        let name = &family.name;
        if !is_family_name(name) {
            return Err(Error::invalid(format!(
                "family name \"{name}\" is not valid: it must have 1 to {FAMILY_NAME_CHARS_MAX} characters of [-_.a-zA-Z0-9]; \
                 choose another"
            )));
        }
        family.gc_rule.validate()?;
        if self.by_name.contains_key(name) {
            return Err(Error::new(
                Code::AlreadyExists,
                format!("family \"{name}\" already exists: use it, or choose another name"),
            ));
        }
        if self.all.len() >= FAMILIES_MAX {
            return Err(Error::new(
                Code::ResourceExhausted,
                format!(
                    "{} families were created, dropped ones included, which is the limit: a table should have about 100, put \
                     more names into qualifiers",
                    self.all.len()
                ),
            ));
        }
        let id = self.all.len() as FamilyId;
        self.by_name.insert(name.clone(), id);
        self.names.push(name.clone());
        self.kinds.push(family.aggregate.map_or(FamilyKind::Plain, FamilyKind::Aggregate));
        self.all.push(Some(family.clone()));
        Ok(())
    }

    /// Lists the families for an error message, at most ten of them.
    fn known(&self) -> String {
        let names: Vec<&str> = self.iter().map(|family| family.name.as_str()).collect();
        let listed = names.iter().take(10).copied().collect::<Vec<_>>().join(", ");
        match names.len() {
            0 => "has no families".into(),
            1..=10 => format!("has {listed}"),
            count => format!("has {listed} and {} more", count - 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tombstones::Tombstones;

    /// Deleting a row is stored as deletes of all families of a group.
    #[test]
    fn the_last_family_that_can_be_created_is_one_like_all_others() {
        let mut families = Families::default();
        let create = |number: u32| {
            let locality_group = (number % 2) as u8;
            FamilyModification::Create(ColumnFamily {
                locality_group,
                ..ColumnFamily::new(format!("f{number}"))
            })
        };
        let all: Vec<_> = (0..65_535).map(create).collect();
        assert_eq!(families.modify(&all), Ok(false));
        let refusal = families.modify(&[create(65_535)]).unwrap_err();
        assert_eq!(
            (refusal.code, families.all().len()),
            (Code::ResourceExhausted, 65_535),
            "{}",
            refusal.message
        );
        let row = Tombstones { row: true, ..Tombstones::default() };
        let hidden = [0, 1].map(|group| families.groups().part(group, &row).families.len());
        assert_eq!(hidden, [32_768, 32_767]);
        assert_eq!(families.groups().needed(|family| family == 65_534), Some(alloc::vec![0]));
        let drop = FamilyModification::Drop { family: "f0".into() };
        assert_eq!(
            families.modify(&[drop, create(0)]).unwrap_err().code,
            Code::ResourceExhausted,
            "no number is used again"
        );
    }
}
