//! The command `alter`, which needs the families of the table: it creates those that do not exist
//! and changes others.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{ColumnFamily, FamilyModification, Response, Result, TableRequest};

use super::form::FAMILY;
use super::options::{Hash, Input, InputResult, number, text_bytes, utf8, wrong};
use super::ruby::{Literal, Value};
use super::rules::{Attributes, attributes};
use crate::task::{Next, Task, unexpected};

/// A running `alter`.
struct Alter {
    table: String,
    changes: Vec<Change>,
    /// The modifications to send; known once the families are known.
    modifications: Option<Vec<FamilyModification>>,
    is_done: bool,
}

enum Change {
    /// The named attributes of a family.
    Set(String, Hash),
    Drop(String),
}

pub(super) fn alter(input: Input) -> InputResult<Box<dyn Task>> {
    let table = input.text(0)?;
    let changes = input.arguments.iter().skip(1).map(change).collect::<InputResult<Vec<_>>>()?;
    if changes.is_empty() {
        input.text(1)?;
    }
    Ok(Box::new(Alter { table, changes, modifications: None, is_done: false }))
}

fn change(argument: &Literal) -> InputResult<Change> {
    let Value::Hash(pairs) = &argument.value else {
        return Ok(Change::Set(utf8(text_bytes(argument)?, argument.span)?, Hash::default()));
    };
    if let [(name, family)] = pairs.as_slice()
        && name.value == Value::Text(b"delete".to_vec())
    {
        return Ok(Change::Drop(utf8(text_bytes(family)?, family.span)?));
    }
    let hash = Hash::of(argument, FAMILY)?;
    let Some(name) = hash.get("NAME") else {
        return Err(wrong(argument.span, "NAME => 'family' is missing".into()));
    };
    let family = utf8(text_bytes(name)?, name.span)?;
    match hash.bytes("METHOD")? {
        None => {
            // This is checked now, while the position is available.
            changed(Attributes::default(), &hash)?;
            Ok(Change::Set(family, hash))
        }
        Some(method) if method.0 == b"delete" => Ok(Change::Drop(family)),
        Some(_) => Err(wrong(argument.span, "METHOD must be 'delete'".into())),
    }
}

/// Returns a new family. HBase keeps one version by default.
pub(super) fn family(name: String, hash: &Hash) -> InputResult<ColumnFamily> {
    let gc_rule = changed(Attributes::default(), hash)?.rule();
    Ok(ColumnFamily { gc_rule, ..ColumnFamily::new(name) })
}

fn changed(mut attributes: Attributes, hash: &Hash) -> InputResult<Attributes> {
    let versions = |literal: &Literal| -> InputResult<i32> {
        i32::try_from(number(literal)?)
            .map_err(|_| wrong(literal.span, "this number of versions is too large".into()))
    };
    if let Some(literal) = hash.get("VERSIONS") {
        attributes.versions = versions(literal)?;
    }
    if let Some(literal) = hash.get("MIN_VERSIONS") {
        attributes.min_versions = versions(literal)?;
    }
    match hash.get("TTL") {
        None => {}
        Some(literal) if literal.value == Value::Text(b"FOREVER".to_vec()) => attributes.ttl_seconds = None,
        Some(literal) if literal.value == Value::Name("FOREVER".into()) => attributes.ttl_seconds = None,
        // In HBase, the largest number means forever.
        Some(literal) => {
            attributes.ttl_seconds = Some(number(literal)?).filter(|&seconds| seconds != i64::from(i32::MAX));
        }
    }
    Ok(attributes)
}

impl Task for Alter {
    fn next(&mut self, _out: &mut String) -> Next {
        match &self.modifications {
            _ if self.is_done => Next::Done,
            None => Next::Request(Box::new(TableRequest::Describe.of(self.table.clone()))),
            Some(modifications) => {
                let modifications = modifications.clone();
                Next::Request(Box::new(TableRequest::ModifyFamilies(modifications).of(self.table.clone())))
            }
        }
    }

    fn take(&mut self, answer: Response, out: &mut String) -> Result<()> {
        match answer {
            Response::Spec(spec) => {
                let mut modifications = vec![];
                for change in &self.changes {
                    modifications.push(match change {
                        Change::Drop(family) => FamilyModification::Drop { family: family.clone() },
                        Change::Set(name, hash) => {
                            let known = spec.families.iter().find(|family| family.name == *name);
                            let before =
                                known.and_then(|family| attributes(&family.gc_rule)).unwrap_or_default();
                            let gc_rule = changed(before, hash).unwrap_or_default().rule();
                            match known {
                                Some(_) => FamilyModification::Update { family: name.clone(), gc_rule },
                                None => FamilyModification::Create(ColumnFamily {
                                    gc_rule,
                                    ..ColumnFamily::new(name.clone())
                                }),
                            }
                        }
                    });
                }
                self.modifications = Some(modifications);
                Ok(())
            }
            Response::Done => {
                self.is_done = true;
                out.push_str("Updating all regions with the new schema...\nAll regions updated.\nDone.\n");
                Ok(())
            }
            _ => Err(unexpected()),
        }
    }

    fn doing(&self) -> &'static str {
        ""
    }

    fn changes(&self) -> bool {
        true
    }
}
