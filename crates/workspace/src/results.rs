//! How the user views the results of a design: the columns of its rows, and the decoding of their
//! values. Nothing here changes the table, and only the page uses it.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use tabletop_keys::outlined;
use tabletop_model::Result;
use tabletop_objects::ObjectSchema;

use super::refused::{refuse, within};

/// The maximum number of columns for which the user can have chosen something.
pub const RESULT_COLUMNS_MAX: usize = 500;
/// The maximum length of the name of such a column, in characters.
pub const RESULT_COLUMN_NAME_CHARS_MAX: usize = 1_000;
/// The widths that a column can have, in CSS pixels.
pub const RESULT_COLUMN_WIDTHS: RangeInclusive<f64> = 48.0..=1_200.0;

/// The user's choices for the results of a design.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ResultColumns {
    /// How values are decoded, unless their column overrides it.
    #[serde(default)]
    pub values_as: Decoding,
    /// The columns for which the user has chosen something.
    #[serde(default)]
    pub columns: Vec<ResultColumn>,
    /// What the values of the table mean, once the user has defined it. Then its rows are shown as
    /// objects.
    #[serde(default)]
    pub objects: Option<Box<ObjectSchema>>,
}

outlined!(ResultColumns);

/// The user's choices for one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultColumn {
    /// `family:qualifier`, with escapes for bytes that are not text; or [`ResultColumns::KEY`] and
    /// the other names without a colon, for the columns of a list of cells.
    pub name: String,
    /// How its values are decoded; `None` for the setting of the table.
    #[serde(default)]
    pub values_as: Option<Decoding>,
    /// Whether it is shown; `None` if this depends on the number of its rows.
    #[serde(default)]
    pub shown: Option<bool>,
    /// Whether it stays visible when the other columns scroll.
    #[serde(default)]
    pub pinned: bool,
    /// The width in CSS pixels, within [`RESULT_COLUMN_WIDTHS`]; `None` for the default width.
    #[serde(default)]
    pub width: Option<f64>,
}

/// How values are decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoding {
    /// The message of the family if it has one; otherwise text if the value is text, an integer if
    /// it is eight other bytes, or hexadecimal.
    #[default]
    Auto,
    /// JSON, formatted over several lines.
    Json,
    /// UTF-8, with escapes for other bytes.
    Text,
    /// A big-endian signed integer of eight bytes, as `ReadModifyWriteRow` and aggregates store it.
    Int64,
    /// Two digits per byte.
    Hex,
    /// The message of the family. Without one, the fields are shown by their numbers.
    Protobuf,
}

impl Decoding {
    /// All decodings, in the order of a menu.
    pub const ALL: [Decoding; 6] =
        [Decoding::Auto, Decoding::Json, Decoding::Text, Decoding::Int64, Decoding::Hex, Decoding::Protobuf];
}

impl ResultColumns {
    /// The name of the column of row keys.
    pub const KEY: &str = "key";
    /// The names of the columns in a list of cells. They differ from the columns of a table, whose
    /// names contain a colon.
    pub const OF_CELLS: [&str; 5] = [ResultColumns::KEY, "family", "qualifier", "time", "value"];

    /// Returns the choices for a column.
    pub fn get(&self, name: &str) -> Option<&ResultColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns how the values of a column are decoded.
    pub fn decoding(&self, name: &str) -> Decoding {
        self.get(name).and_then(|column| column.values_as).unwrap_or(self.values_as)
    }

    /// Returns the width of a column, if the user has chosen one.
    pub fn width(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(|column| column.width)
    }

    /// Changes the choices for a column. A column with default settings does not have an entry.
    ///
    /// # Errors
    /// An error if there are too many entries, or if the name is too long. Nothing is changed in
    /// this case.
    pub fn set(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut ResultColumn),
    ) -> core::result::Result<(), ColumnNotKept> {
        let at = self.columns.iter().position(|column| column.name == name);
        let mut column = at.map_or_else(|| usual(name), |at| self.columns[at].clone());
        change(&mut column);
        let is_usual = column == usual(name);
        match at {
            Some(at) if is_usual => drop(self.columns.remove(at)),
            Some(at) => self.columns[at] = column,
            None if is_usual => {}
            None if self.columns.len() >= RESULT_COLUMNS_MAX => return Err(ColumnNotKept::TooMany),
            None if name.chars().count() > RESULT_COLUMN_NAME_CHARS_MAX => {
                return Err(ColumnNotKept::LongName);
            }
            None => self.columns.push(column),
        }
        Ok(())
    }

    /// Returns whether there are no choices.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.values_as == Decoding::Auto && self.objects.is_none()
    }

    #[inline(never)]
    pub(super) fn check(&self, place: &str) -> Result<()> {
        if let Some(objects) = &self.objects {
            objects.check(&format!("{place}.objects"))?;
        }
        let columns = &self.columns;
        if columns.len() > RESULT_COLUMNS_MAX {
            let why = format!("has {} entries; at most {RESULT_COLUMNS_MAX} are allowed", columns.len());
            return refuse(&format!("{place}.columns"), why);
        }
        for (at, column) in columns.iter().enumerate() {
            let place = |part: &str| format!("{place}.columns[{at}].{part}");
            if column.name.is_empty() {
                return refuse(&place("name"), String::from("is empty; it must name a column"));
            }
            if column.name.chars().count() > RESULT_COLUMN_NAME_CHARS_MAX {
                return refuse(
                    &place("name"),
                    format!("is longer than {RESULT_COLUMN_NAME_CHARS_MAX} characters"),
                );
            }
            if let Some(other) = columns[..at].iter().position(|other| other.name == column.name) {
                return refuse(&place("name"), format!("is \"{}\", as in columns[{other}]", column.name));
            }
            if let Some(width) = column.width {
                within(&place("width"), width, RESULT_COLUMN_WIDTHS)?;
            }
        }
        Ok(())
    }
}

/// Why a choice for a column was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNotKept {
    /// There are [`RESULT_COLUMNS_MAX`] others already.
    TooMany,
    /// The name has more than [`RESULT_COLUMN_NAME_CHARS_MAX`] characters.
    LongName,
}

fn usual(name: &str) -> ResultColumn {
    ResultColumn { name: name.into(), ..ResultColumn::default() }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::Workspace;
    use tabletop_objects::DataTypePart;

    fn with(columns: Vec<ResultColumn>) -> Workspace {
        let mut workspace = Workspace::default();
        workspace.designs[0].results =
            Some(Box::new(ResultColumns { values_as: Decoding::Hex, columns, objects: None }));
        workspace
    }

    fn refused(columns: Vec<ResultColumn>) -> String {
        with(columns).check().expect_err("it is wrong").message
    }

    #[test]
    fn a_column_as_usual_has_no_entry() {
        let mut results = ResultColumns::default();
        assert_eq!(results.set("e:price", |column| column.values_as = Some(Decoding::Int64)), Ok(()));
        assert_eq!(results.set("e:price", |column| column.pinned = true), Ok(()));
        assert_eq!(results.set("e:name", |column| column.width = None), Ok(()));
        assert_eq!((results.columns.len(), results.decoding("e:price")), (1, Decoding::Int64));
        results.values_as = Decoding::Text;
        assert_eq!(
            (results.decoding("e:name"), results.decoding("e:price")),
            (Decoding::Text, Decoding::Int64)
        );
        assert_eq!(results.set("e:price", |column| *column = usual("e:price")), Ok(()));
        assert!(!results.is_empty() && results.columns.is_empty());
    }

    #[test]
    fn there_is_no_room_for_any_number_of_columns() {
        let mut results = ResultColumns::default();
        for at in 0..RESULT_COLUMNS_MAX {
            assert_eq!(results.set(&format!("f:{at}"), |column| column.shown = Some(false)), Ok(()));
        }
        assert_eq!(results.set("f:more", |column| column.pinned = true), Err(ColumnNotKept::TooMany));
        assert_eq!(results.set("f:0", |column| column.pinned = true), Ok(()), "one that has an entry");
        assert_eq!(with(results.columns).check(), Ok(()));
        let long = "x".repeat(RESULT_COLUMN_NAME_CHARS_MAX + 1);
        let refused = ResultColumns::default().set(&long, |column| column.pinned = true);
        assert_eq!(refused, Err(ColumnNotKept::LongName));
    }

    #[test]
    fn each_wrong_column_is_reported_with_its_position() {
        let column = |name: &str, width| ResultColumn { name: name.into(), width, ..ResultColumn::default() };
        assert_eq!(with(vec![column("key", Some(48.0)), column("f:", Some(1_200.0))]).check(), Ok(()));
        assert_eq!(
            refused(vec![column("key", None), column("f:a", Some(47.0))]),
            "designs[0].results.columns[1].width is 47; it must be from 48 to 1200."
        );
        assert!(
            refused(vec![column("f:a", Some(f64::NAN))])
                .starts_with("designs[0].results.columns[0].width is NaN;")
        );
        assert_eq!(
            refused(vec![column("f:a", None), column("f:a", None)]),
            "designs[0].results.columns[1].name is \"f:a\", as in columns[0]."
        );
        assert_eq!(
            refused(vec![column("", None)]),
            "designs[0].results.columns[0].name is empty; it must name a column."
        );
        assert_eq!(
            refused(vec![column(&"\u{e9}".repeat(1_001), None)]),
            "designs[0].results.columns[0].name is longer than 1000 characters."
        );
        let many = (0..=RESULT_COLUMNS_MAX).map(|at| column(&format!("f:{at}"), None)).collect();
        assert_eq!(refused(many), "designs[0].results.columns has 501 entries; at most 500 are allowed.");
    }

    #[test]
    fn a_workspace_carries_the_columns_of_its_results() {
        let column = ResultColumn {
            name: "e:price".into(),
            values_as: Some(Decoding::Int64),
            shown: Some(true),
            pinned: true,
            width: Some(90.5),
        };
        let workspace = with(vec![column]);
        let json = workspace.to_json();
        assert!(json.contains(r#""results":{"values_as":"hex","columns":[{"name":"e:price","values_as":"int64","shown":true,"pinned":true,"width":90.5}],"objects":null}"#), "{json}");
        assert_eq!(Workspace::from_json(&json), Ok(workspace.clone()));
        let other = Workspace::default();
        assert!(workspace.designs[0].has_same_table(&other.designs[0]));
        assert!(workspace.designs[0].differs_at_most_in_results(&other.designs[0]));
        let by_hand = json.replace(r#","shown":true,"pinned":true,"width":90.5"#, "");
        let read = Workspace::from_json(&by_hand).expect("what is omitted is usual");
        let results = read.designs[0].results.as_deref().expect("there are some");
        assert_eq!((results.decoding("e:price"), results.width("e:price")), (Decoding::Int64, None));
        let unknown =
            Workspace::from_json(&json.replace("\"width\"", "\"with\"")).expect_err("wrong").message;
        assert!(unknown.contains("unknown field `with`"), "{unknown}");
    }

    #[test]
    fn a_workspace_carries_what_its_values_mean() {
        let mut schema = ObjectSchema { proto: "message M {}".into(), ..ObjectSchema::default() };
        schema.set("ads", DataTypePart::Message, "M".into());
        let mut workspace = with(vec![]);
        let results = workspace.designs[0].results.as_mut().expect("there are some");
        results.objects = Some(Box::new(schema));
        assert!(!results.is_empty());
        let json = workspace.to_json();
        let expected = r#""objects":{"proto":"message M {}","data_types":[{"family":"ads","message":"M","owner":"","provenance":""}]}"#;
        assert!(json.contains(expected), "{json}");
        assert_eq!(Workspace::from_json(&json), Ok(workspace.clone()));
        let by_hand = json.replace(r#","owner":"","provenance":"""#, "");
        assert_eq!(Workspace::from_json(&by_hand), Ok(workspace.clone()), "what is omitted is empty");
        let wrong = Workspace::from_json(&json.replace("\"family\":\"ads\"", "\"family\":\"\""))
            .expect_err("wrong")
            .message;
        assert_eq!(
            wrong,
            "designs[0].results.objects.data_types[0].family is empty; it must name a column family."
        );
        assert!(workspace.designs[0].differs_at_most_in_results(&Workspace::default().designs[0]));
    }
}
