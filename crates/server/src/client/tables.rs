//! google.bigtable.admin.v2: tables and families.

use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as proto;
use proto::gc_rule::{Intersection, Rule, Union};
use proto::modify_column_families_request::{Modification, modification::Mod};
use proto::r#type::aggregate::{Aggregator, HyperLogLogPlusPlusUniqueCount, Max, Min, Sum};
use proto::r#type::{Aggregate as AggregateType, Int64, Kind};
use tabletop_model::{
    Aggregate, ColumnFamily, DropRowRange, FamilyModification, GcRule, Response, Result, TableRequest,
    TableSpec,
};

use super::{ADMIN, Client, unsupported};
use crate::grpc::admin::families::families;

impl Client {
    pub(super) fn list_tables(&mut self) -> Result<Response> {
        let request = proto::ListTablesRequest { parent: self.instance.clone(), ..Default::default() };
        let answer: proto::ListTablesResponse = self.ask(ADMIN, "ListTables", &request)?;
        let id = |table: proto::Table| table.name.rsplit('/').next().unwrap_or_default().into();
        Ok(Response::Tables(answer.tables.into_iter().map(id).collect()))
    }

    /// Handles requests about a table as a whole.
    pub(super) fn administer(&mut self, table: &str, request: TableRequest) -> Result<Response> {
        match request {
            TableRequest::Create(spec) => self.create(table, spec),
            TableRequest::Delete => {
                let name = self.table_name(table);
                self.ask::<()>(ADMIN, "DeleteTable", &proto::DeleteTableRequest { name })?;
                Ok(Response::Done)
            }
            TableRequest::Describe => self.describe(table).map(Response::Spec),
            TableRequest::ModifyFamilies(modifications) => self.modify(table, modifications),
            TableRequest::DropRowRange(range) => {
                use proto::drop_row_range_request::Target;
                let target = match range {
                    DropRowRange::Prefix(prefix) => Target::RowKeyPrefix(prefix.0),
                    DropRowRange::All => Target::DeleteAllDataFromTable(true),
                };
                let request =
                    proto::DropRowRangeRequest { name: self.table_name(table), target: Some(target) };
                self.ask::<()>(ADMIN, "DropRowRange", &request)?;
                Ok(Response::Done)
            }
            _ => Err(unsupported("this request for a table")),
        }
    }

    /// Returns the families, sorted by name. The API returns neither splits nor thresholds.
    fn describe(&mut self, table: &str) -> Result<TableSpec> {
        let request = proto::GetTableRequest {
            name: self.table_name(table),
            view: proto::table::View::SchemaView.into(),
        };
        let answer: proto::Table = self.ask(ADMIN, "GetTable", &request)?;
        let (families, _) = families(answer.column_families)
            .map_err(|status| super::error(status.code(), status.message()))?;
        Ok(TableSpec { families, ..TableSpec::default() })
    }

    /// Creates families one at a time, because a protobuf map has no order. The API has no
    /// thresholds.
    fn create(&mut self, table: &str, spec: TableSpec) -> Result<Response> {
        let key = |key: tabletop_model::RowKey| proto::create_table_request::Split { key: key.0 };
        let request = proto::CreateTableRequest {
            parent: self.instance.clone(),
            table_id: table.into(),
            table: Some(proto::Table::default()),
            initial_splits: spec.initial_splits.into_iter().map(key).collect(),
        };
        self.ask::<proto::Table>(ADMIN, "CreateTable", &request)?;
        let done = self.modify(table, spec.families.into_iter().map(FamilyModification::Create).collect());
        if done.is_err() {
            self.administer(table, TableRequest::Delete)?;
        }
        done
    }

    fn modify(&mut self, table: &str, modifications: Vec<FamilyModification>) -> Result<Response> {
        let modifications: Vec<Modification> = modifications.into_iter().map(modification).collect();
        if modifications.is_empty() {
            return Ok(Response::Done);
        }
        let request = proto::ModifyColumnFamiliesRequest {
            name: self.table_name(table),
            modifications,
            ignore_warnings: true,
        };
        self.ask::<proto::Table>(ADMIN, "ModifyColumnFamilies", &request)?;
        Ok(Response::Done)
    }
}

fn modification(modification: FamilyModification) -> Modification {
    let (id, change) = match modification {
        FamilyModification::Create(family) => {
            let message = family_message(&family);
            (family.name, Mod::Create(message))
        }
        FamilyModification::Update { family, gc_rule } => {
            (family, Mod::Update(proto::ColumnFamily { gc_rule: rule(&gc_rule), value_type: None }))
        }
        FamilyModification::Drop { family } => (family, Mod::Drop(true)),
    };
    Modification { id, update_mask: None, r#mod: Some(change) }
}

/// Returns the message of a family, without its name.
pub fn family_message(family: &ColumnFamily) -> proto::ColumnFamily {
    proto::ColumnFamily { gc_rule: rule(&family.gc_rule), value_type: family.aggregate.map(value_type) }
}

/// Returns the message of a rule, or `None` if the rule keeps everything.
fn rule(rule: &GcRule) -> Option<proto::GcRule> {
    let all = |rules: &[GcRule]| rules.iter().map(|one| self::rule(one).unwrap_or_default()).collect();
    let rule = match rule {
        GcRule::KeepAll => return None,
        GcRule::MaxVersions(count) => Rule::MaxNumVersions(*count),
        GcRule::MaxAge { micros } => Rule::MaxAge(prost_types::Duration {
            seconds: micros.div_euclid(1_000_000),
            nanos: (micros.rem_euclid(1_000_000) * 1_000) as i32,
        }),
        GcRule::Union(rules) => Rule::Union(Union { rules: all(rules) }),
        GcRule::Intersection(rules) => Rule::Intersection(Intersection { rules: all(rules) }),
    };
    Some(proto::GcRule { rule: Some(rule) })
}

fn value_type(aggregate: Aggregate) -> proto::Type {
    let aggregator = match aggregate {
        Aggregate::Sum => Aggregator::Sum(Sum {}),
        Aggregate::Min => Aggregator::Min(Min {}),
        Aggregate::Max => Aggregator::Max(Max {}),
        Aggregate::DistinctCount => Aggregator::HllppUniqueCount(HyperLogLogPlusPlusUniqueCount {}),
    };
    let input = proto::Type { kind: Some(Kind::Int64Type(Int64::default())) };
    let aggregate =
        AggregateType { input_type: Some(Box::new(input)), state_type: None, aggregator: Some(aggregator) };
    proto::Type { kind: Some(Kind::AggregateType(Box::new(aggregate))) }
}
