//! Shared by the tests of profiles and of the migration: events of a shop, and an instance that can
//! be killed.

use tabletop_engine::Instance;
use tabletop_keys::{Field, FieldKind};
use tabletop_model::{Code, Error, Request, Response, Timestamp};

use crate::tables::Tables;

/// The time of the instance: 2019-05-28T00:00:00Z.
pub(crate) const NOW: Timestamp = 1_559_001_600_000_000;

/// The fields of a shop's events.
pub(crate) fn fields() -> Vec<Field> {
    [
        ("app_id", FieldKind::Text),
        ("user_token", FieldKind::Text),
        ("timestamp", FieldKind::Time),
        ("event_type", FieldKind::Text),
        ("event_name", FieldKind::Text),
        ("facets", FieldKind::Facets),
    ]
    .map(|(name, kind)| Field::new(name, kind))
    .into()
}

/// An instance that refuses all requests after the first `left` ones, as if the process had been
/// killed.
pub(crate) struct Host {
    pub instance: Instance,
    /// Number of requests that are still answered.
    pub left: u64,
}

impl Host {
    pub(crate) fn new() -> Host {
        Host { instance: Instance::new(), left: u64::MAX }
    }

    pub(crate) fn ask<T>(&mut self, act: impl FnOnce(&mut Tables) -> T) -> T {
        let mut ask = |request: Request| {
            if self.left == 0 {
                return Response::Refused(Error::new(Code::Unavailable, "killed"));
            }
            self.left -= 1;
            self.instance.handle(NOW, request)
        };
        act(&mut Tables::new(&mut ask))
    }
}
