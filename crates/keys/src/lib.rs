//! How events become rows: converts events into row keys and cells, and queries on events into row
//! ranges and filters.
//!
//! This crate does not store anything and does not read tables. The engine never imports it, and
//! only sees bytes. It does not know what a user saves, either: a workspace is made of these types.
//! The page and the worker share it, so that their results agree.
//!
//! A [`Template`] makes row keys of the [fields](Field) of an event, and a [`Layout`] makes cells.
//! A query is planned against both, so a query that the key can answer reads only a range:
//!
//! ```
//! use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, LayoutWriter, Record, RowChoice, Template};
//!
//! let fields = [Field::new("user", FieldKind::Text), Field::new("time", FieldKind::Time)];
//! let (template, problems) = Template::parse("{user}#{time:date}", &fields);
//! assert!(problems.is_empty());
//!
//! let layout = Layout::new(LayoutKind::Narrow);
//! let event = Record { fields: &fields, values: &[Some("ada"), Some("2019-05-28T00:04:34Z")] };
//! let row = LayoutWriter::new(&layout, &fields, &template).write(&event, 0).unwrap();
//! assert_eq!(&*row.key.0, b"ada#2019-05-28");
//!
//! let choice = RowChoice::Fields { equals: vec![("user".into(), "ada".into())], from: None, until: None };
//! let plan = template.plan(&choice, &layout).unwrap();
//! assert_eq!(plan.ranges(), 1);
//! ```
//!
//! Where to begin reading: [`Template`] explains the notation of keys, [`Layout`] the shapes of
//! cells, [`Encoding`] the forms of values, and [`Plan`] the reads of a query.
#![no_std]
extern crate alloc;

pub mod edit;
mod encoding;
pub mod facets;
mod field_role;
mod layout;
mod numbers;
mod outlined;
mod query;
mod record;
mod roles;
pub mod salt;
mod template;
pub mod time;
mod words;
pub mod zorder;

pub use encoding::{EncodedValues, FacetCount, FacetNames};
pub use field_role::FieldRole;
pub use layout::{
    BUCKET_SECONDS_MAX, COLUMNS_MAX, CellTime, Column, ColumnProblem, ColumnText, Encoding, FamilyRule,
    Layout, LayoutKind, LayoutWriter, family_name, is_number, push_csv,
};
pub use numbers::{bytes, many_bytes, many_thousands, rate, thousands};
pub use query::{
    AxisSpan, BOX_DEPTH_MAX, BoxDepth, BoxDepths, Merge, Newest, Plan, PlanKind, Query, RowChoice, RowOrder,
    box_depths,
};
pub use record::{Field, FieldKind, Record, is_placeholder};
pub use roles::{EventRoles, Roles};
pub use template::{
    ChipCost, ChipView, KeyMap, KeySpan, KeyView, Part, Placeholder, Template, Transform, TransformCost,
    complete_template, cut_over_text, parse_cut_over, part_fields,
};
pub use words::words_of;
