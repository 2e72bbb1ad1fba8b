//! Regions of Google Cloud, and the round trips between them.

use alloc::format;

use tabletop_model::{Error, Result, did_you_mean};

use super::round_trips::{MEASURED, ROUND_TRIP_MILLIS};
use crate::Nanos;

/// The round trip between two zones of one region: assumed.
pub const ZONES_ROUND_TRIP: Nanos = 1_000_000;
/// The round trip of a pair without a measurement, at no distance. Together with
/// [`ROUND_TRIP_PER_KM`] it fits the measured pairs with a median error of 23%.
const ROUND_TRIP_BASE: f64 = 25_000_000.0;
/// Additional nanoseconds for each kilometre of the great circle.
const ROUND_TRIP_PER_KM: f64 = 14_600.0;
const EARTH_RADIUS_KM: f64 = 6_371.0;

/// A region of [`REGIONS`], by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
// Invariant: below the number of regions.
pub struct RegionId(u8);

/// A region of Google Cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Google's name, such as `europe-west1`.
    pub name: &'static str,
    /// The city, or the nearest one.
    pub city: &'static str,
    /// The part of the world, on which prices depend.
    pub continent: Continent,
    /// Tenths of a degree north of the equator.
    pub latitude_tenths: i16,
    /// Tenths of a degree east of Greenwich.
    pub longitude_tenths: i16,
}

/// The part of the world of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Continent {
    /// Africa.
    Africa,
    /// Asia without the Middle East, and Indonesia.
    Asia,
    /// Australia.
    Australia,
    /// Europe.
    Europe,
    /// The Middle East.
    MiddleEast,
    /// The United States, Canada and Mexico.
    NorthAmerica,
    /// South America.
    SouthAmerica,
}

const fn region(
    name: &'static str,
    city: &'static str,
    continent: Continent,
    latitude_tenths: i16,
    longitude_tenths: i16,
) -> Region {
    Region { name, city, continent, latitude_tenths, longitude_tenths }
}

/// All regions: first those with measured round trips, in the order of the measurements.
#[rustfmt::skip]
pub const REGIONS: [Region; 43] = [
    region("asia-east1", "Changhua", Continent::Asia, 240, 1205),
    region("asia-east2", "Hong Kong", Continent::Asia, 223, 1142),
    region("asia-northeast1", "Tokyo", Continent::Asia, 357, 1397),
    region("asia-northeast2", "Osaka", Continent::Asia, 347, 1355),
    region("asia-northeast3", "Seoul", Continent::Asia, 376, 1270),
    region("asia-south1", "Mumbai", Continent::Asia, 191, 729),
    region("asia-south2", "Delhi", Continent::Asia, 286, 772),
    region("asia-southeast1", "Singapore", Continent::Asia, 13, 1037),
    region("asia-southeast2", "Jakarta", Continent::Asia, -62, 1068),
    region("australia-southeast1", "Sydney", Continent::Australia, -339, 1512),
    region("australia-southeast2", "Melbourne", Continent::Australia, -378, 1450),
    region("europe-central2", "Warsaw", Continent::Europe, 522, 210),
    region("europe-north1", "Hamina", Continent::Europe, 606, 272),
    region("europe-west1", "St. Ghislain", Continent::Europe, 505, 38),
    region("europe-west2", "London", Continent::Europe, 515, -1),
    region("europe-west3", "Frankfurt", Continent::Europe, 501, 87),
    region("europe-west4", "Eemshaven", Continent::Europe, 534, 68),
    region("europe-west6", "Zurich", Continent::Europe, 474, 85),
    region("northamerica-northeast1", "Montréal", Continent::NorthAmerica, 455, -736),
    region("northamerica-northeast2", "Toronto", Continent::NorthAmerica, 437, -794),
    region("southamerica-east1", "Osasco", Continent::SouthAmerica, -235, -468),
    region("southamerica-west1", "Santiago", Continent::SouthAmerica, -334, -707),
    region("us-central1", "Council Bluffs", Continent::NorthAmerica, 413, -959),
    region("us-east1", "Moncks Corner", Continent::NorthAmerica, 332, -800),
    region("us-east4", "Ashburn", Continent::NorthAmerica, 390, -775),
    region("us-west1", "The Dalles", Continent::NorthAmerica, 456, -1212),
    region("us-west4", "Las Vegas", Continent::NorthAmerica, 362, -1151),
    region("africa-south1", "Johannesburg", Continent::Africa, -262, 280),
    region("asia-southeast3", "Bangkok", Continent::Asia, 138, 1005),
    region("europe-north2", "Stockholm", Continent::Europe, 593, 181),
    region("europe-southwest1", "Madrid", Continent::Europe, 404, -37),
    region("europe-west8", "Milan", Continent::Europe, 455, 92),
    region("europe-west9", "Paris", Continent::Europe, 489, 24),
    region("europe-west10", "Berlin", Continent::Europe, 525, 134),
    region("europe-west12", "Turin", Continent::Europe, 451, 77),
    region("me-central1", "Doha", Continent::MiddleEast, 253, 515),
    region("me-central2", "Dammam", Continent::MiddleEast, 264, 501),
    region("me-west1", "Tel Aviv", Continent::MiddleEast, 321, 348),
    region("northamerica-south1", "Querétaro", Continent::NorthAmerica, 206, -1004),
    region("us-east5", "Columbus", Continent::NorthAmerica, 400, -830),
    region("us-south1", "Dallas", Continent::NorthAmerica, 328, -968),
    region("us-west2", "Los Angeles", Continent::NorthAmerica, 341, -1182),
    region("us-west3", "Salt Lake City", Continent::NorthAmerica, 408, -1119),
];

impl RegionId {
    /// Returns the region with this name.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that Google Cloud does not have, with the nearest ones.
    pub fn named(name: &str) -> Result<RegionId> {
        let at = REGIONS.iter().position(|region| region.name == name);
        at.map(|at| RegionId(at as u8)).ok_or_else(|| {
            let hint = did_you_mean(name, REGIONS.iter().map(|region| region.name));
            Error::invalid(format!("region \"{name}\" is not a region of Google Cloud{hint}"))
        })
    }

    /// Returns all regions, in the order of [`REGIONS`].
    pub fn all() -> impl Iterator<Item = RegionId> {
        (0..REGIONS.len()).map(|at| RegionId(at as u8))
    }

    /// Returns the region's name and place.
    pub fn region(self) -> &'static Region {
        &REGIONS[usize::from(self.0)]
    }

    /// Returns whether the round trip to another region is measured. Otherwise it is computed from
    /// the distance.
    pub fn is_measured_to(self, other: RegionId) -> bool {
        self != other && usize::from(self.0.max(other.0)) < MEASURED
    }

    /// Returns the round trip to another region; to itself, the round trip between two zones.
    pub fn round_trip(self, other: RegionId) -> Nanos {
        if self == other {
            return ZONES_ROUND_TRIP;
        }
        if self.is_measured_to(other) {
            let (low, high) = (usize::from(self.0.min(other.0)), usize::from(self.0.max(other.0)));
            return Nanos::from(ROUND_TRIP_MILLIS[high * (high - 1) / 2 + low]) * 1_000_000;
        }
        (ROUND_TRIP_BASE + ROUND_TRIP_PER_KM * self.kilometres_to(other)) as Nanos
    }

    /// Returns the length of the great circle to another region, in kilometres.
    pub fn kilometres_to(self, other: RegionId) -> f64 {
        let radians = |tenths: i16| f64::from(tenths) / 10.0 * core::f64::consts::PI / 180.0;
        let (from, to) = (self.region(), other.region());
        let (north_from, north_to) = (radians(from.latitude_tenths), radians(to.latitude_tenths));
        let east = radians(to.longitude_tenths) - radians(from.longitude_tenths);
        let half = |angle: f64| {
            let sine = libm::sin(angle / 2.0);
            sine * sine
        };
        let haversine =
            half(north_to - north_from) + libm::cos(north_from) * libm::cos(north_to) * half(east);
        2.0 * EARTH_RADIUS_KM * libm::asin(libm::sqrt(haversine.min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn named(name: &str) -> RegionId {
        RegionId::named(name).expect(name)
    }

    fn millis(from: &str, to: &str) -> u64 {
        named(from).round_trip(named(to)) / 1_000_000
    }

    #[test]
    fn measured_pairs_have_the_figures_of_the_table() {
        assert_eq!(millis("asia-east1", "asia-east2"), 13);
        assert_eq!(millis("asia-east1", "us-west4"), 135);
        assert_eq!(millis("us-west4", "us-west1"), 32);
        assert_eq!(millis("europe-west1", "europe-west2"), 9);
        assert_eq!(millis("asia-south2", "southamerica-east1"), 345);
        assert_eq!(millis("us-east1", "us-east1"), 1, "zones of one region");
        let measured: Vec<RegionId> = RegionId::all().take(MEASURED).collect();
        let pairs = measured.iter().flat_map(|a| measured.iter().map(move |b| (*a, *b)));
        assert_eq!(pairs.filter(|(a, b)| a < b && a.is_measured_to(*b)).count(), 351);
    }

    #[test]
    fn regions_without_measurements_are_as_far_as_the_map_says() {
        let (paris, london) = (named("europe-west9"), named("europe-west2"));
        assert!(!paris.is_measured_to(london));
        let km = paris.kilometres_to(london);
        assert!((330.0..360.0).contains(&km), "{km}");
        assert!((29_900_000..30_000_000).contains(&paris.round_trip(london)), "25 ms and 0.0146 ms per km");
        assert_eq!(paris.round_trip(london), london.round_trip(paris));
        let around = named("africa-south1").kilometres_to(named("us-west2"));
        assert!((16_000.0..17_500.0).contains(&around), "{around}");
    }

    /// The fit for pairs without measurements, applied to those with measurements.
    #[test]
    fn the_fit_is_off_by_a_quarter_at_the_median() {
        let measured: Vec<RegionId> = RegionId::all().take(MEASURED).collect();
        let mut errors = Vec::new();
        for (at, a) in measured.iter().enumerate() {
            for b in &measured[..at] {
                let fit = ROUND_TRIP_BASE + ROUND_TRIP_PER_KM * a.kilometres_to(*b);
                let truth = a.round_trip(*b) as f64;
                errors.push((fit - truth).abs() / truth);
            }
        }
        errors.sort_unstable_by(f64::total_cmp);
        let median = errors[errors.len() / 2];
        assert!((0.21..0.25).contains(&median), "{median}");
    }

    #[test]
    fn no_detour_over_one_region_is_more_than_a_fifth_faster() {
        let measured: Vec<RegionId> = RegionId::all().take(MEASURED).collect();
        for a in &measured {
            for b in &measured {
                for over in &measured {
                    if a != b && a != over && b != over {
                        let detour = a.round_trip(*over) + over.round_trip(*b);
                        assert!(
                            detour * 5 >= a.round_trip(*b) * 4,
                            "{} to {} over {}",
                            a.region().name,
                            b.region().name,
                            over.region().name
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn an_unknown_region_is_refused_with_the_nearest_name() {
        let error = RegionId::named("europe-west99").unwrap_err();
        assert!(error.message.contains("\"europe-west99\" is not a region"), "{}", error.message);
        assert!(error.message.contains("Did you mean europe-west9?"), "{}", error.message);
    }
}
