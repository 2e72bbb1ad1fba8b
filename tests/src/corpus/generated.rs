//! The generated files of the corpus. Each is a short declaration, so that its kind is clear.

mod business;
mod devices;
mod people;
mod systems;

use super::generator::{Event, Generated};

type Declaration = fn() -> Generated;

/// The declarations, by the names that entries use.
const ALL: [(&str, Declaration); 41] = [
    ("app_events", systems::app_events),
    ("bank_transactions", business::bank_transactions),
    ("bicycles", devices::bicycles),
    ("cdn_log", systems::cdn_log),
    ("chat", people::chat),
    ("clicks", people::clicks),
    ("container_logs", systems::container_logs),
    ("elections", business::elections),
    ("energy_meters", devices::energy_meters),
    ("facets", people::facets),
    ("flights_with_bars", business::flights_with_bars),
    ("game", people::game),
    ("integer_measures", devices::integer_measures),
    ("library_loans", people::library_loans),
    ("measures_only", devices::measures_only),
    ("meaningless_names", business::meaningless_names),
    ("motes", devices::motes),
    ("no_header", devices::no_header),
    ("one_pump", devices::one_pump),
    ("orders_chinese", business::orders_chinese),
    ("orders_french", business::orders_french),
    ("orders_german", business::orders_german),
    ("orders_japanese", business::orders_japanese),
    ("orders_russian", business::orders_russian),
    ("orders_spanish", business::orders_spanish),
    ("page_views", people::page_views),
    ("parking_fines", business::parking_fines),
    ("posts", people::posts),
    ("quakes", devices::quakes),
    ("ratings", people::ratings),
    ("resent_readings", devices::resent_readings),
    ("sensors_narrow", devices::sensors_narrow),
    ("sensors_wide", devices::sensors_wide),
    ("server_metrics", systems::server_metrics),
    ("server_metrics_nanoseconds", systems::server_metrics_nanoseconds),
    ("ships", devices::ships),
    ("shop_hours", business::shop_hours),
    ("spans", systems::spans),
    ("tickets", business::tickets),
    ("vehicles", devices::vehicles),
    ("vitals", people::vitals),
];

/// Returns the names of all generated files.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// Returns the generated file with this name.
pub fn named(name: &str) -> Option<Generated> {
    ALL.iter().find(|(own, _)| *own == name).map(|(_, make)| make())
}
