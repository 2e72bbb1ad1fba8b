//! Value types. The engine stores types that aggregate. Other types matter only to clients and are
//! stored with the table.

use proto::r#type::aggregate::{self, Aggregator};
use proto::r#type::int64::encoding::{BigEndianBytes, Encoding as Int64Encoding};
use proto::r#type::{Aggregate as AggregateType, Bytes, Int64, Kind, int64};
use tabletop_model::Aggregate;
use tonic::Status;

use super::proto;
use crate::grpc::status::invalid;

/// Returns the aggregate of a family of this type, if it has one.
///
/// # Errors
/// `INVALID_ARGUMENT` for types that production rejects.
pub(super) fn aggregate_of(value_type: &proto::Type) -> Result<Option<Aggregate>, Status> {
    let refused = |problem: &str| Err(invalid(format!("Error in field 'value_type' : {problem}")));
    let Some(kind) = &value_type.kind else {
        return refused("no kind is set: set one, or omit the type for raw bytes");
    };
    let Kind::AggregateType(aggregate) = kind else { return Ok(None) };
    let Some(input) = aggregate.input_type.as_ref().and_then(|input| input.kind.as_ref()) else {
        return refused(
            "Error in field 'aggregate_type' : input_type is missing: sum, min and max take an int64_type",
        );
    };
    let number = |aggregate: Aggregate| match input {
        Kind::Int64Type(_) => Ok(Some(aggregate)),
        _ => refused(
            "Error in field 'aggregate_type' : the input_type of sum, min and max must be an int64_type",
        ),
    };
    match &aggregate.aggregator {
        Some(Aggregator::Sum(_)) => number(Aggregate::Sum),
        Some(Aggregator::Min(_)) => number(Aggregate::Min),
        Some(Aggregator::Max(_)) => number(Aggregate::Max),
        Some(Aggregator::HllppUniqueCount(_)) if matches!(input, Kind::AggregateType(_)) => {
            refused("Error in field 'aggregate_type' : the input_type must not be an aggregate_type itself")
        }
        Some(Aggregator::HllppUniqueCount(_)) => Ok(Some(Aggregate::DistinctCount)),
        None => refused(
            "Error in field 'aggregate_type' : no aggregator is set: set one of sum, min, max, hllpp_unique_count",
        ),
    }
}

/// Adds the type of the stored cells, as production does, for the answer to a client.
pub(super) fn with_state(mut value_type: proto::Type) -> proto::Type {
    if let Some(Kind::AggregateType(aggregate)) = &mut value_type.kind {
        let state = match aggregate.aggregator {
            Some(Aggregator::HllppUniqueCount(_)) => {
                Some(Box::new(of_kind(Kind::BytesType(Bytes::default()))))
            }
            _ => aggregate.input_type.clone(),
        };
        aggregate.state_type = state;
    }
    value_type
}

/// Returns the type of an aggregate family whose type was not stored.
pub(super) fn of_aggregate(aggregate: Aggregate) -> proto::Type {
    let encoding =
        int64::Encoding { encoding: Some(Int64Encoding::BigEndianBytes(BigEndianBytes::default())) };
    let int64 = Kind::Int64Type(Int64 { encoding: Some(encoding) });
    let (aggregator, input) = match aggregate {
        Aggregate::Sum => (Aggregator::Sum(aggregate::Sum {}), int64),
        Aggregate::Min => (Aggregator::Min(aggregate::Min {}), int64),
        Aggregate::Max => (Aggregator::Max(aggregate::Max {}), int64),
        Aggregate::DistinctCount => {
            let count = aggregate::HyperLogLogPlusPlusUniqueCount {};
            (Aggregator::HllppUniqueCount(count), Kind::BytesType(Bytes::default()))
        }
    };
    let input_type = Some(Box::new(of_kind(input)));
    let aggregate = AggregateType { input_type, state_type: None, aggregator: Some(aggregator) };
    with_state(of_kind(Kind::AggregateType(Box::new(aggregate))))
}

fn of_kind(kind: Kind) -> proto::Type {
    proto::Type { kind: Some(kind) }
}
