//! Maps whose values are messages, encoded as Google's servers do.
//!
//! A map is a sequence of entries, each with a key (field 1) and a value (field 2). Protobuf allows
//! an entry to omit an empty value, and prost writes such entries. Google's client for Node.js then
//! reads null, and fails. Such entries are therefore completed with an empty value.

use std::any::TypeId;

use prost::Message;

use super::admin::proto;
use super::wire::{Fields, Value, put_head};

/// The number of an entry's value.
const VALUE: u32 = 2;
/// A value of length 0.
const EMPTY: [u8; 2] = [(VALUE as u8) << 3 | 2, 0];

/// The fields of a message that are such maps, or that contain them, by number.
type Places = &'static [(u32, Place)];

#[derive(Clone, Copy)]
enum Place {
    Map,
    Message(Places),
}

/// `cluster_states` and `column_families`.
const TABLE: Places = &[(2, Place::Map), (3, Place::Map)];
/// `subset_view.family_subsets`.
const VIEW: Places = &[(2, Place::Message(&[(2, Place::Map)]))];
/// `authorized_view` of `CreateAuthorizedViewRequest`.
const CREATE_VIEW: Places = &[(3, Place::Message(VIEW))];
/// `authorized_view` of `UpdateAuthorizedViewRequest`.
const UPDATE_VIEW: Places = &[(1, Place::Message(VIEW))];

/// Encodes a message if it has such maps.
pub(crate) fn encoded<M: Message + 'static>(message: &M) -> Option<Vec<u8>> {
    let places = places::<M>()?;
    Some(completed(&message.encode_to_vec(), places))
}

fn places<M: 'static>() -> Option<Places> {
    let known: [(TypeId, Places); 6] = [
        (TypeId::of::<proto::Table>(), TABLE),
        (TypeId::of::<proto::ListTablesResponse>(), &[(1, Place::Message(TABLE))]),
        (TypeId::of::<proto::AuthorizedView>(), VIEW),
        (TypeId::of::<proto::ListAuthorizedViewsResponse>(), &[(1, Place::Message(VIEW))]),
        (TypeId::of::<proto::CreateAuthorizedViewMetadata>(), &[(1, Place::Message(CREATE_VIEW))]),
        (TypeId::of::<proto::UpdateAuthorizedViewMetadata>(), &[(1, Place::Message(UPDATE_VIEW))]),
    ];
    known.into_iter().find(|(of, _)| *of == TypeId::of::<M>()).map(|(_, places)| places)
}

/// Returns prost's encoding of a message with all values of its maps present.
fn completed(message: &[u8], places: Places) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 64);
    let mut fields = Fields::of(message);
    while let Ok(Some((number, value, encoding))) = fields.next_encoded() {
        let place = places.iter().find(|(known, _)| *known == number).map(|(_, place)| place);
        match (place, value) {
            (Some(Place::Message(inner)), Value::Bytes(bytes)) => {
                put(&mut out, number, &completed(bytes, inner));
            }
            (Some(Place::Map), Value::Bytes(entry)) if !has_value(entry) => {
                put(&mut out, number, &[entry, &EMPTY].concat());
            }
            _ => out.extend_from_slice(encoding),
        }
    }
    out
}

fn has_value(entry: &[u8]) -> bool {
    let mut fields = Fields::of(entry);
    while let Ok(Some((number, _))) = fields.next() {
        if number == VALUE {
            return true;
        }
    }
    false
}

fn put(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_head(out, number as u8, bytes.len());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use proto::authorized_view::{AuthorizedView as Kind, FamilySubsets, SubsetView};
    use proto::table::ClusterState;

    use super::*;

    #[test]
    fn an_empty_value_is_written() {
        let table = proto::Table {
            name: "t".into(),
            column_families: [("f".to_string(), proto::ColumnFamily::default())].into(),
            cluster_states: [("c".to_string(), ClusterState::default())].into(),
            ..Default::default()
        };
        let bytes = b"\x0a\x01t\x12\x05\x0a\x01c\x12\x00\x1a\x05\x0a\x01f\x12\x00";
        assert_eq!(encoded(&table).unwrap(), bytes);
        assert_eq!(proto::Table::decode(&bytes[..]).unwrap(), table);
        let list =
            proto::ListTablesResponse { tables: vec![table.clone(), table], next_page_token: "n".into() };
        let both = [b"\x0a\x11", &bytes[..], b"\x0a\x11", bytes, b"\x12\x01n"].concat();
        assert_eq!(encoded(&list).unwrap(), both);
    }

    #[test]
    fn other_values_stay_as_they_are() {
        let rule = proto::GcRule { rule: Some(proto::gc_rule::Rule::MaxNumVersions(1)) };
        let family = proto::ColumnFamily { gc_rule: Some(rule), ..Default::default() };
        let table = proto::Table {
            column_families: [("f".to_string(), family)].into(),
            granularity: 1,
            ..Default::default()
        };
        assert_eq!(encoded(&table), Some(table.encode_to_vec()));
        assert_eq!(encoded(&proto::Instance::default()), None, "its maps have texts as values");
    }

    #[test]
    fn views_and_the_requests_for_them_have_their_values() {
        let subset = SubsetView {
            row_prefixes: vec!["u".into()],
            family_subsets: [("f".to_string(), FamilySubsets::default())].into(),
        };
        let view =
            proto::AuthorizedView { authorized_view: Some(Kind::SubsetView(subset)), ..Default::default() };
        let bytes = encoded(&view).unwrap();
        assert_eq!(bytes, b"\x12\x0a\x0a\x01u\x12\x05\x0a\x01f\x12\x00");
        let list =
            proto::ListAuthorizedViewsResponse { authorized_views: vec![view.clone()], ..Default::default() };
        assert!(encoded(&list).unwrap().ends_with(&bytes));
        let request =
            proto::CreateAuthorizedViewRequest { authorized_view: Some(view.clone()), ..Default::default() };
        let created =
            proto::CreateAuthorizedViewMetadata { original_request: Some(request), ..Default::default() };
        assert!(encoded(&created).unwrap().ends_with(&bytes));
        let request =
            proto::UpdateAuthorizedViewRequest { authorized_view: Some(view), ..Default::default() };
        let updated =
            proto::UpdateAuthorizedViewMetadata { original_request: Some(request), ..Default::default() };
        assert!(encoded(&updated).unwrap().ends_with(&bytes));
    }
}
