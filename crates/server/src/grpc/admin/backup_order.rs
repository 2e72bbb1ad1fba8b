//! The order of ListBackups: `start_time desc, name`. By default, the newest backup comes first.

use prost_types::Timestamp;
use tonic::Status;

use super::proto;
use super::times::micros;
use crate::grpc::status::invalid;

/// An order of backups.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BackupOrder(Vec<(Field, Direction)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    SourceTable,
    ExpireTime,
    StartTime,
    EndTime,
    SizeBytes,
    State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Ascending,
    Descending,
}

impl BackupOrder {
    /// Parses `order_by`: fields separated by commas, each optionally followed by `desc`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for anything else.
    pub fn parse(text: &str) -> Result<BackupOrder, Status> {
        if text.trim().is_empty() {
            return Ok(BackupOrder(vec![(Field::StartTime, Direction::Descending)]));
        }
        let part = |part: &str| {
            let mut words = part.split_whitespace();
            let field = match words.next()? {
                "name" => Field::Name,
                "source_table" => Field::SourceTable,
                "expire_time" => Field::ExpireTime,
                "start_time" => Field::StartTime,
                "end_time" => Field::EndTime,
                "size_bytes" => Field::SizeBytes,
                "state" => Field::State,
                _ => return None,
            };
            let direction = match words.next() {
                None | Some("asc") => Direction::Ascending,
                Some("desc") => Direction::Descending,
                Some(_) => return None,
            };
            words.next().is_none().then_some((field, direction))
        };
        let parts: Option<Vec<_>> = text.split(',').map(part).collect();
        parts.map(BackupOrder).ok_or_else(|| {
            invalid(format!(
                "Error in field 'order_by' : \"{}\" is not an order: write fields of name, source_table, expire_time, start_time, end_time, \
                 size_bytes and state, each optionally with desc: \"start_time desc, name\"",
                text.escape_debug()
            ))
        })
    }

    /// Returns a text for a backup that sorts as the backup does. It is unique, and identifies the
    /// backup in a page token.
    pub fn key(&self, backup: &proto::Backup) -> String {
        let mut key = String::new();
        for (field, direction) in &self.0 {
            let bytes = match field {
                Field::Name => backup.name.as_bytes().to_vec(),
                Field::SourceTable => backup.source_table.as_bytes().to_vec(),
                Field::ExpireTime => time(backup.expire_time.as_ref()),
                Field::StartTime => time(backup.start_time.as_ref()),
                Field::EndTime => time(backup.end_time.as_ref()),
                Field::SizeBytes => number(backup.size_bytes),
                Field::State => number(backup.state.into()),
            };
            // A byte is written as two digits. The end of a text sorts before them, or after them
            // in descending order.
            let (flip, end) = match direction {
                Direction::Ascending => (0, ' '),
                Direction::Descending => (0xff, '~'),
            };
            bytes.iter().for_each(|byte| key.push_str(&format!("{:02x}", byte ^ flip)));
            key.push(end);
        }
        key + &backup.name
    }
}

fn time(at: Option<&Timestamp>) -> Vec<u8> {
    number(at.map_or(0, micros))
}

/// Returns bytes that sort as the numbers do.
fn number(number: i64) -> Vec<u8> {
    (number as u64 ^ 1 << 63).to_be_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_are_ordered_by_any_fields() {
        let backup = |name: &str, start: i64, size_bytes| proto::Backup {
            name: name.into(),
            start_time: Some(Timestamp { seconds: start, nanos: 0 }),
            size_bytes,
            ..Default::default()
        };
        let backups = [backup("a", 5, -1), backup("ab", 7, 3), backup("b", 5, 3), backup("c", 6, 20)];
        let ordered = |order: &str| {
            let order = BackupOrder::parse(order).unwrap();
            let mut sorted: Vec<_> =
                backups.iter().map(|backup| (order.key(backup), backup.name.as_str())).collect();
            sorted.sort();
            sorted.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ordered(""), "ab c a b");
        assert_eq!(ordered("name"), "a ab b c");
        assert_eq!(ordered(" name  desc "), "c b ab a");
        assert_eq!(ordered("size_bytes,start_time desc"), "a ab b c");
        assert_eq!(ordered("start_time, size_bytes desc"), "b a c ab");
        for bad in ["size", "name up", "name desc desc", ",", "name,"] {
            assert!(BackupOrder::parse(bad).unwrap_err().message().contains("order_by"), "{bad}");
        }
    }
}
