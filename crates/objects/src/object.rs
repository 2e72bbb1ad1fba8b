//! The cells of a row as an object: data types, subtypes, versions.

use alloc::vec::Vec;

use tabletop_model::{Cell, Qualifier, Row};

/// The size below which most objects of the ad personalization system are: 1 MB.
pub const OBJECT_BYTES_MAX: u64 = 1_000_000;
/// The 99th percentile of its read latency: 20 ms, in microseconds.
pub const READ_MICROS_P99_MAX: u64 = 20_000;

/// An object: the row that a read has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// The data types, in the order of the row.
    pub data_types: Vec<DataTypeCells<'a>>,
}

/// The values of a data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTypeCells<'a> {
    /// The family.
    pub family: &'a str,
    /// The subtypes, in the order of the row.
    pub subtypes: Vec<Subtype<'a>>,
}

/// The versions of a subtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtype<'a> {
    /// The qualifier.
    pub qualifier: &'a Qualifier,
    /// At least one version, newest first. An interleave filter may repeat one.
    pub versions: &'a [Cell],
}

impl<'a> Object<'a> {
    /// Groups the cells of a row.
    pub fn of(row: &'a Row) -> Object<'a> {
        let subtypes = |cells: &'a [Cell]| {
            let versions = cells.chunk_by(|one, next| one.qualifier == next.qualifier);
            versions.map(|versions| Subtype { qualifier: &versions[0].qualifier, versions }).collect()
        };
        let families = row.cells.chunk_by(|one, next| one.family == next.family);
        Object {
            data_types: families
                .map(|cells| DataTypeCells { family: &cells[0].family, subtypes: subtypes(cells) })
                .collect(),
        }
    }

    /// Returns the total size of a row's values, to which the limit of 1 MB applies.
    pub fn bytes_of(row: &Row) -> u64 {
        bytes_of(&row.cells)
    }
}

impl DataTypeCells<'_> {
    /// Returns the total size of the object's values, including all versions that the read
    /// returned.
    pub fn bytes(&self) -> u64 {
        self.subtypes.iter().map(|subtype| bytes_of(subtype.versions)).sum()
    }
}

fn bytes_of(cells: &[Cell]) -> u64 {
    cells.iter().map(|cell| cell.value.len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn cells_are_grouped_in_their_order() {
        let cell = |family: &str, qualifier: &str, timestamp| Cell {
            family: family.into(),
            qualifier: qualifier.into(),
            timestamp,
            value: "abc".into(),
            label: None,
        };
        let cells = vec![
            cell("ads", "v1", 2_000),
            cell("ads", "v1", 1_000),
            cell("ads", "v2", 0),
            cell("features", "v1", 0),
        ];
        let row = Row { key: "u1".into(), cells };
        let object = Object::of(&row);
        let shape: Vec<(&str, Vec<(alloc::string::String, usize)>)> = object
            .data_types
            .iter()
            .map(|of| {
                (
                    of.family,
                    of.subtypes.iter().map(|of| (of.qualifier.to_string(), of.versions.len())).collect(),
                )
            })
            .collect();
        assert_eq!(
            shape,
            [("ads", vec![("v1".into(), 2), ("v2".into(), 1)]), ("features", vec![("v1".into(), 1)])]
        );
        assert_eq!((object.data_types[0].bytes(), Object::bytes_of(&row)), (9, 12));
        assert_eq!(Object::of(&Row::default()).data_types, []);
    }
}
