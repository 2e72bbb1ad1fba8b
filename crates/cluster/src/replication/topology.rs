//! The clusters of an instance, the zones in which they are, and the links between them.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{Error, Result, did_you_mean};

use super::region::{Continent, RegionId};
use crate::Nanos;

/// The maximum number of clusters. Google Cloud allows 24: 8 regions with a cluster in each of their
/// zones.
pub const CLUSTERS_MAX: usize = 64;
/// The maximum number of clusters of an instance in Google Cloud.
const GOOGLE_CLOUD_CLUSTERS_MAX: usize = 24;
/// The maximum number of regions of an instance in Google Cloud.
const GOOGLE_CLOUD_REGIONS_MAX: usize = 8;
/// Bytes per second of a link: assumed.
const BANDWIDTH: u64 = 125_000_000;
/// Additional delay of a message, at most, as a share of the one-way delay: assumed.
const JITTER_DIVISOR: Nanos = 20;

/// The longest delay of a link: an hour.
pub(super) const DELAY_MAX: Nanos = 3_600 * crate::SECOND;
/// The highest price of a link, in millionths of a dollar per GB.
const PRICE_MAX: u64 = 1_000_000_000;

/// A cluster of a [`Topology`], by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterId(pub u8);

/// The clusters of an instance, and the links that differ from their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// The clusters, at least one.
    pub clusters: Vec<ClusterSpec>,
    /// Links that differ from their defaults.
    pub links: Vec<LinkSpec>,
}

/// A cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSpec {
    /// A name that no other cluster has: lower-case letters, digits and hyphens.
    pub name: String,
    /// A zone, such as `europe-west1-b`.
    pub zone: String,
    /// At least one node.
    pub nodes: u32,
}

/// What differs from the defaults on the link between two clusters, in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkSpec {
    /// A cluster.
    pub from: String,
    /// Another cluster.
    pub to: String,
    /// The delay of a message without jitter and queueing; by default half of the round trip.
    pub one_way: Option<Nanos>,
    /// Bytes per second, above 0; by default 125 MB/s (assumed).
    pub bandwidth: Option<u64>,
    /// The largest additional delay of a message; by default a twentieth of the one-way delay
    /// (assumed).
    pub jitter: Option<Nanos>,
    /// Millionths of a dollar per GB; by default [`price_per_gb`].
    pub price: Option<u64>,
}

/// A cluster and its region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The cluster's name.
    pub name: String,
    /// The zone.
    pub zone: String,
    /// The region of the zone.
    pub region: RegionId,
    /// The number of nodes.
    pub nodes: u32,
}

/// A link from one cluster to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The delay of a message without jitter and queueing.
    pub one_way: Nanos,
    /// Bytes per second.
    pub bandwidth: u64,
    /// The largest additional delay of a message.
    pub jitter: Nanos,
    /// Millionths of a dollar per GB.
    pub price: u64,
}

impl Link {
    /// Returns how long the link is busy with a message.
    pub fn transmission(&self, bytes: u64) -> Nanos {
        (u128::from(bytes) * 1_000_000_000 / u128::from(self.bandwidth.max(1))) as Nanos
    }
}

/// A topology whose names and numbers are valid.
#[derive(Clone, Debug, PartialEq, Eq)]
// Invariant: a link for each ordered pair of sites.
pub struct Network {
    sites: Vec<Site>,
    links: Vec<Link>,
}

impl Topology {
    /// Returns clusters of one node in these zones, named after them, with default links.
    pub fn of_zones(zones: &[&str]) -> Topology {
        let cluster =
            |zone: &&str| ClusterSpec { name: String::from(*zone), zone: String::from(*zone), nodes: 1 };
        Topology { clusters: zones.iter().map(cluster).collect(), links: Vec::new() }
    }

    /// Looks up all zones and clusters, and fills in the defaults of the links.
    ///
    /// # Errors
    /// `InvalidArgument` without clusters, for more than [`CLUSTERS_MAX`], a name that is not valid
    /// or not unique, an unknown zone, a cluster without nodes, a link of an unknown cluster, two
    /// specifications of one link, and a bandwidth of 0. The message names the cluster or the link.
    pub fn resolve(&self) -> Result<Network> {
        if self.clusters.is_empty() {
            return Err(Error::invalid("the topology has no clusters: add at least one"));
        }
        if self.clusters.len() > CLUSTERS_MAX {
            return Err(Error::invalid(format!(
                "the topology has {} clusters: the limit is {CLUSTERS_MAX}, remove some",
                self.clusters.len()
            )));
        }
        let mut sites: Vec<Site> = Vec::with_capacity(self.clusters.len());
        for cluster in &self.clusters {
            let site = cluster.resolve()?;
            if sites.iter().any(|other| other.name == site.name) {
                return Err(Error::invalid(format!(
                    "two clusters are called \"{}\": rename one of them",
                    site.name
                )));
            }
            sites.push(site);
        }
        let mut links = vec![Link::default(); sites.len() * sites.len()];
        for (from, site) in sites.iter().enumerate() {
            for (to, other) in sites.iter().enumerate().filter(|(to, _)| *to != from) {
                links[from * sites.len() + to] = default_link(site, other);
            }
        }
        let mut network = Network { sites, links };
        let mut changed: Vec<(ClusterId, ClusterId)> = Vec::new();
        for spec in &self.links {
            let at = |problem: String| {
                Error::invalid(format!("link \"{}\" to \"{}\": {problem}", spec.from, spec.to))
            };
            let from = network.cluster(&spec.from).map_err(|error| at(error.message))?;
            let to = network.cluster(&spec.to).map_err(|error| at(error.message))?;
            if from == to {
                return Err(at("a link joins two different clusters, choose another one".into()));
            }
            let pair = (from.min(to), from.max(to));
            if changed.contains(&pair) {
                return Err(at("the link is specified twice, remove one of the two".into()));
            }
            changed.push(pair);
            if spec.bandwidth == Some(0) {
                return Err(at(
                    "the bandwidth is 0 bytes per second; give it at least 1, or cut the link".into()
                ));
            }
            if spec.one_way.max(spec.jitter) > Some(DELAY_MAX) {
                return Err(at("a delay is longer than an hour; shorten it, or cut the link".into()));
            }
            if spec.price > Some(PRICE_MAX) {
                return Err(at(format!(
                    "a price of {} millionths of a dollar per GB is above {PRICE_MAX}, lower it",
                    spec.price.unwrap_or_default()
                )));
            }
            for (from, to) in [(from, to), (to, from)] {
                let link = network.link_mut(from, to);
                *link = Link {
                    one_way: spec.one_way.unwrap_or(link.one_way),
                    bandwidth: spec.bandwidth.unwrap_or(link.bandwidth),
                    jitter: spec
                        .jitter
                        .unwrap_or(spec.one_way.map_or(link.jitter, |one_way| one_way / JITTER_DIVISOR)),
                    price: spec.price.unwrap_or(link.price),
                };
            }
        }
        Ok(network)
    }
}

impl ClusterSpec {
    fn resolve(&self) -> Result<Site> {
        let at = |problem: &str| Error::invalid(format!("cluster \"{}\": {problem}", self.name));
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.name.is_empty() || self.name.len() > 30 || !self.name.bytes().all(is_allowed) {
            return Err(at("a name has 1 to 30 lower-case letters, digits and hyphens, choose another one"));
        }
        if self.nodes == 0 {
            return Err(at("it has 0 nodes; give it at least 1"));
        }
        let Some((region, letter)) = self.zone.rsplit_once('-') else {
            return Err(at(&format!(
                "\"{}\" is not a zone; a zone is a region and a letter, such as europe-west1-b",
                self.zone
            )));
        };
        let region = RegionId::named(region).map_err(|error| at(&error.message))?;
        if letter.len() != 1 || !letter.bytes().all(|byte| (b'a'..=b'f').contains(&byte)) {
            return Err(at(&format!(
                "\"{}\" is not a zone; write the letter of a zone after the region, such as {}-b",
                self.zone,
                region.region().name
            )));
        }
        Ok(Site { name: self.name.clone(), zone: self.zone.clone(), region, nodes: self.nodes })
    }
}

impl Network {
    /// Returns the clusters in the order of the topology.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Returns a cluster.
    pub fn site(&self, cluster: ClusterId) -> &Site {
        &self.sites[usize::from(cluster.0)]
    }

    /// Returns the IDs of all clusters.
    pub fn clusters(&self) -> impl Iterator<Item = ClusterId> + use<> {
        (0..self.sites.len()).map(|at| ClusterId(at as u8))
    }

    /// Returns the cluster with this name.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown name, with the nearest ones.
    pub fn cluster(&self, name: &str) -> Result<ClusterId> {
        let found = self.sites.iter().position(|site| site.name == name);
        found.map(|at| ClusterId(at as u8)).ok_or_else(|| {
            let hint = did_you_mean(name, self.sites.iter().map(|site| site.name.as_str()));
            Error::invalid(format!("cluster \"{name}\" is not in the topology{hint}"))
        })
    }

    /// Returns the link from one cluster to another.
    pub fn link(&self, from: ClusterId, to: ClusterId) -> &Link {
        &self.links[usize::from(from.0) * self.sites.len() + usize::from(to.0)]
    }

    fn link_mut(&mut self, from: ClusterId, to: ClusterId) -> &mut Link {
        &mut self.links[usize::from(from.0) * self.sites.len() + usize::from(to.0)]
    }

    /// Returns whether Google Cloud offers such a topology to customers: at most 8 regions and 24
    /// clusters, one in each zone. Larger ones exist only inside Google.
    pub fn is_in_google_cloud(&self) -> bool {
        let mut regions: Vec<RegionId> = self.sites.iter().map(|site| site.region).collect();
        regions.sort_unstable();
        regions.dedup();
        let mut zones: Vec<&str> = self.sites.iter().map(|site| site.zone.as_str()).collect();
        zones.sort_unstable();
        zones.dedup();
        regions.len() <= GOOGLE_CLOUD_REGIONS_MAX
            && self.sites.len() <= GOOGLE_CLOUD_CLUSTERS_MAX
            && zones.len() == self.sites.len()
    }
}

fn default_link(from: &Site, to: &Site) -> Link {
    let one_way = from.region.round_trip(to.region) / 2;
    Link {
        one_way,
        bandwidth: BANDWIDTH,
        jitter: one_way / JITTER_DIVISOR,
        price: price_per_gb(from.region, to.region),
    }
}

/// Returns the price of a GB between two regions, in millionths of a dollar. It is an assumption
/// that the user may change, from Skyplane's table of 2024: $0.01 within a region and within North
/// America, $0.02 within Europe, $0.05 within Asia, $0.15 to and from Australia and Jakarta, $0.08
/// within other continents and between any two.
pub fn price_per_gb(from: RegionId, to: RegionId) -> u64 {
    let (a, b) = (from.region(), to.region());
    let is_remote = |name: &str, continent| continent == Continent::Australia || name == "asia-southeast2";
    match (a.continent, b.continent) {
        _ if from == to => 10_000,
        (Continent::Australia, Continent::Australia) => 80_000,
        _ if is_remote(a.name, a.continent) || is_remote(b.name, b.continent) => 150_000,
        (Continent::NorthAmerica, Continent::NorthAmerica) => 10_000,
        (Continent::Europe, Continent::Europe) => 20_000,
        (Continent::Asia, Continent::Asia) => 50_000,
        _ => 80_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Topology), parts: &[&str]) {
        let mut topology = Topology::of_zones(&["europe-west1-b", "us-east1-c", "us-east1-d"]);
        change(&mut topology);
        let message = topology.resolve().unwrap_err().message;
        for part in parts {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn clusters_get_the_delays_and_prices_of_their_regions() {
        let zones = ["europe-west1-b", "us-east1-c", "us-east1-d", "australia-southeast1-a"];
        let network = Topology::of_zones(&zones).resolve().unwrap();
        let [belgium, carolina, carolina_d, sydney] = [0, 1, 2, 3].map(ClusterId);
        assert_eq!(network.link(belgium, carolina).one_way, 46_000_000);
        assert_eq!(network.link(carolina, belgium).one_way, 46_000_000);
        assert_eq!(network.link(carolina, carolina_d).one_way, 500_000);
        assert_eq!(network.link(belgium, carolina).price, 80_000);
        assert_eq!(network.link(carolina, carolina_d).price, 10_000);
        assert_eq!(network.link(sydney, belgium).price, 150_000);
        assert_eq!(network.cluster("us-east1-d"), Ok(carolina_d));
        assert!(network.is_in_google_cloud());
        let same_zone = Topology {
            clusters: [
                &Topology::of_zones(&zones).clusters[..],
                &[ClusterSpec { name: "other".into(), zone: "us-east1-c".into(), nodes: 3 }],
            ]
            .concat(),
            ..Topology::default()
        };
        assert!(!same_zone.resolve().unwrap().is_in_google_cloud());
    }

    #[test]
    fn a_link_specification_changes_both_directions_and_nothing_else() {
        let mut topology = Topology::of_zones(&["europe-west1-b", "us-east1-c"]);
        topology.links.push(LinkSpec {
            from: "us-east1-c".into(),
            to: "europe-west1-b".into(),
            bandwidth: Some(1_000),
            ..LinkSpec::default()
        });
        let network = topology.resolve().unwrap();
        for (from, to) in [(0, 1), (1, 0)] {
            let link = network.link(ClusterId(from), ClusterId(to));
            assert_eq!((link.bandwidth, link.one_way, link.price), (1_000, 46_000_000, 80_000));
            assert_eq!(link.transmission(500), 500_000_000);
        }
    }

    #[test]
    fn bad_input_is_refused_with_what_where_and_what_to_do() {
        refused(|topology| topology.clusters.clear(), &["no clusters", "add at least one"]);
        refused(
            |topology| topology.clusters[1].zone = "us-esat1-c".into(),
            &["cluster \"us-east1-c\"", "region \"us-esat1\"", "Did you mean us-east1?"],
        );
        refused(|topology| topology.clusters[1].zone = "us-east1-q".into(), &["us-east1-q", "us-east1-b"]);
        refused(|topology| topology.clusters[1].zone = String::new(), &["is not a zone"]);
        refused(|topology| topology.clusters[0].nodes = 0, &["europe-west1-b", "0 nodes", "at least 1"]);
        refused(|topology| topology.clusters[0].name = "A b".into(), &["\"A b\"", "lower-case"]);
        refused(
            |topology| topology.clusters[2].name = "us-east1-c".into(),
            &["two clusters", "us-east1-c", "rename"],
        );
        let spec = |from: &str, to: &str, bandwidth| LinkSpec {
            from: from.into(),
            to: to.into(),
            bandwidth,
            ..LinkSpec::default()
        };
        refused(
            |topology| topology.links.push(spec("us-east1-c", "us-east1-d", Some(0))),
            &["\"us-east1-c\" to \"us-east1-d\"", "bandwidth is 0", "cut the link"],
        );
        let delayed = LinkSpec { one_way: Some(u64::MAX), ..spec("us-east1-c", "us-east1-d", None) };
        refused(|topology| topology.links.push(delayed), &["longer than an hour"]);
        let priced = LinkSpec { price: Some(u64::MAX), ..spec("us-east1-c", "us-east1-d", None) };
        refused(|topology| topology.links.push(priced), &["dollar per GB", "lower it"]);
        refused(
            |topology| topology.links.push(spec("us-east1-c", "us-east1-e", None)),
            &["cluster \"us-east1-e\" is not in the topology", "Did you mean"],
        );
        refused(
            |topology| topology.links.push(spec("us-east1-c", "us-east1-c", None)),
            &["two different clusters"],
        );
        refused(
            |topology| {
                topology.links.push(spec("us-east1-c", "us-east1-d", None));
                topology.links.push(spec("us-east1-d", "us-east1-c", None));
            },
            &["specified twice"],
        );
        refused(
            |topology| {
                let cluster = topology.clusters[0].clone();
                let numbered = |at| ClusterSpec { name: format!("c{at}"), ..cluster.clone() };
                topology.clusters = (0..65).map(numbered).collect();
            },
            &["65 clusters", "64"],
        );
    }
}
