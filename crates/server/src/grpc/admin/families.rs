//! Column families and GC rules.

use std::collections::HashMap;

use proto::gc_rule::{Intersection, Rule, Union};
use proto::modify_column_families_request::modification::Mod;
use tabletop_model::{ColumnFamily, FamilyModification, GcRule};
use tonic::Status;

use super::state::TableState;
use super::times::{duration, length};
use super::{Admin, change, no_such_path, paths, protected, proto, value_types};
use crate::grpc::names;
use crate::grpc::status::invalid;

impl Admin {
    pub(super) fn modify_column_families(
        &self,
        request: proto::ModifyColumnFamiliesRequest,
    ) -> Result<proto::Table, Status> {
        let (instance, table) = names::table(&request.name)?;
        self.change_instance(&instance, |known, _| {
            let spec = self.spec(&instance, &table)?;
            if request.modifications.is_empty() {
                return Err(invalid(
                    "Error in field 'modifications' : it is empty: name a family to create, update or drop",
                ));
            }
            let mut state = known.tables.get(&table).cloned().unwrap_or_default();
            let mut modifications = Vec::new();
            for (index, modification) in request.modifications.into_iter().enumerate() {
                let id = modification.id.clone();
                let modified = modify(&mut state, &spec.families, modification).map_err(|status| {
                    let message = format!(
                        "Error in field 'modifications' : Error in element #{index} : {}",
                        status.message()
                    );
                    Status::new(status.code(), message)
                })?;
                if matches!(modified, Some(FamilyModification::Drop { .. }))
                    && state.about.0.deletion_protection
                {
                    return Err(protected("the table of family", &id));
                }
                modifications.extend(modified);
            }
            let served = self.served(&instance)?;
            // An update of the value type alone changes nothing in the engine.
            change(&served, |instance, _| instance.table(&table)?.modify_families(&modifications))?;
            known.tables.insert(table.clone(), state);
            self.describe(&instance, known, &table, proto::table::View::SchemaView)
        })
    }
}

/// Returns the modification for the engine, and applies to the state what the engine does not
/// store.
fn modify(
    state: &mut TableState,
    before: &[ColumnFamily],
    modification: proto::modify_column_families_request::Modification,
) -> Result<Option<FamilyModification>, Status> {
    let proto::modify_column_families_request::Modification { id, update_mask, r#mod } = modification;
    let about = &mut state.about.0;
    let types = &mut about.column_families;
    match r#mod {
        Some(Mod::Create(created)) => {
            if about
                .row_key_schema
                .iter()
                .flat_map(|schema| &schema.fields)
                .any(|field| field.field_name == id)
            {
                return Err(invalid("the row_key_schema has a field of this name: choose another name"));
            }
            let (family, typed_family) = family(&id, created)?;
            types.remove(&id);
            types.extend(typed_family.map(|typed_family| (id, typed_family)));
            Ok(Some(FamilyModification::Create(family)))
        }
        Some(Mod::Update(updated)) => {
            let mut paths = paths(update_mask);
            if paths.is_empty() {
                paths.push("gc_rule".into());
            }
            let mut done = None;
            for path in &paths {
                match path.split('.').next().unwrap_or_default() {
                    "gc_rule" => {
                        let gc_rule = gc_rule(updated.gc_rule.clone())?;
                        done = Some(FamilyModification::Update { family: id.clone(), gc_rule });
                    }
                    "value_type" => {
                        let aggregates =
                            before.iter().any(|family| family.name == id && family.aggregate.is_some());
                        let new =
                            updated.value_type.as_ref().map(value_types::aggregate_of).transpose()?.flatten();
                        if aggregates || new.is_some() {
                            // Production's words come first.
                            return Err(invalid(
                                "Immutable fields 'value_type.aggregate_type' cannot be updated: create another family",
                            ));
                        }
                        if !before.iter().any(|family| family.name == id) && !types.contains_key(&id) {
                            return Err(Status::not_found(format!(
                                "unknown family \"{}\": create it first",
                                id.escape_debug()
                            )));
                        }
                        types.remove(&id);
                        types.extend(
                            updated.value_type.clone().map(|value_type| (id.clone(), typed(value_type))),
                        );
                    }
                    _ => return Err(no_such_path(path, "gc_rule and value_type")),
                }
            }
            Ok(done)
        }
        Some(Mod::Drop(true)) => {
            types.remove(&id);
            Ok(Some(FamilyModification::Drop { family: id }))
        }
        Some(Mod::Drop(false)) => Err(invalid("drop must be true if set")),
        None => Err(invalid("the modification is empty: set create, update or drop")),
    }
}

/// Converts the families of a new table, sorted by name because a map has no order. The second
/// value holds the parts of them that the engine does not store.
pub(crate) fn families(
    families: HashMap<String, proto::ColumnFamily>,
) -> Result<(Vec<ColumnFamily>, HashMap<String, proto::ColumnFamily>), Status> {
    let mut sorted: Vec<(String, proto::ColumnFamily)> = families.into_iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut made, mut types) = (Vec::new(), HashMap::new());
    for (name, given) in sorted {
        let (family, typed_family) = family(&name, given).map_err(|status| {
            let message = format!(
                "Error in field 'column_families' : Error in element \"{}\" : {}",
                name.escape_debug(),
                status.message()
            );
            Status::new(status.code(), message)
        })?;
        made.push(family);
        types.extend(typed_family.map(|typed_family| (name, typed_family)));
    }
    Ok((made, types))
}

/// Describes families to a client, with their stored value types.
pub(super) fn described(
    families: &[ColumnFamily],
    types: &HashMap<String, proto::ColumnFamily>,
) -> HashMap<String, proto::ColumnFamily> {
    let described = families.iter().map(|family| {
        let known = types.get(&family.name).and_then(|typed_family| typed_family.value_type.clone());
        let value_type =
            known.map(value_types::with_state).or(family.aggregate.map(value_types::of_aggregate));
        let gc_rule = (family.gc_rule != GcRule::KeepAll).then(|| gc_rule_of(&family.gc_rule));
        (family.name.clone(), proto::ColumnFamily { gc_rule, value_type })
    });
    described.collect()
}

fn family(
    name: &str,
    given: proto::ColumnFamily,
) -> Result<(ColumnFamily, Option<proto::ColumnFamily>), Status> {
    let aggregate = given.value_type.as_ref().map(value_types::aggregate_of).transpose()?.flatten();
    let family = ColumnFamily { gc_rule: gc_rule(given.gc_rule)?, aggregate, ..ColumnFamily::new(name) };
    Ok((family, given.value_type.map(typed)))
}

fn typed(value_type: proto::Type) -> proto::ColumnFamily {
    proto::ColumnFamily { gc_rule: None, value_type: Some(value_type) }
}

/// Converts a GC rule. An unset rule keeps all cells. The engine rejects an unset rule within
/// another rule.
fn gc_rule(rule: Option<proto::GcRule>) -> Result<GcRule, Status> {
    let all = |rules: Vec<proto::GcRule>| {
        rules.into_iter().map(|rule| gc_rule(Some(rule))).collect::<Result<Vec<_>, _>>()
    };
    Ok(match rule.and_then(|rule| rule.rule) {
        None => GcRule::KeepAll,
        Some(Rule::MaxNumVersions(versions)) => GcRule::MaxVersions(versions),
        Some(Rule::MaxAge(age)) => {
            let too_long = || {
                invalid(
                    "Error in field 'gc_rule' : Error in field 'max_age' : it is too long for a number of microseconds",
                )
            };
            GcRule::MaxAge { micros: length(&age).ok_or_else(too_long)? }
        }
        Some(Rule::Union(union)) => GcRule::Union(all(union.rules)?),
        Some(Rule::Intersection(intersection)) => GcRule::Intersection(all(intersection.rules)?),
    })
}

fn gc_rule_of(rule: &GcRule) -> proto::GcRule {
    let all = |rules: &[GcRule]| rules.iter().map(gc_rule_of).collect();
    let rule = match rule {
        GcRule::KeepAll => None,
        GcRule::MaxVersions(versions) => Some(Rule::MaxNumVersions(*versions)),
        GcRule::MaxAge { micros } => Some(Rule::MaxAge(duration(*micros))),
        GcRule::Union(rules) => Some(Rule::Union(Union { rules: all(rules) })),
        GcRule::Intersection(rules) => Some(Rule::Intersection(Intersection { rules: all(rules) })),
    };
    proto::GcRule { rule }
}
