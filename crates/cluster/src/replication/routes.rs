//! The routes of the replication log: direct links, or a minimum spanning tree with proxies.

use alloc::vec;
use alloc::vec::Vec;

use super::topology::{ClusterId, Network};

/// How writes travel from their origin to the other clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// Each cluster sends its writes to every other one. Where a link is cut, they take the way
    /// with the smallest round trip over other clusters.
    #[default]
    Direct,
    /// All writes travel along one tree, the cheapest one; clusters on the way forward them. It
    /// exists only inside Google.
    Tree,
}

/// The links that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
// Invariant: for each ordered pair of clusters, and symmetric.
pub struct Reachable {
    clusters: usize,
    links: Vec<bool>,
}

impl Reachable {
    /// Returns the links for which `is_usable` returns `true`. It is called once for each pair of
    /// clusters.
    pub fn new(clusters: usize, is_usable: impl Fn(ClusterId, ClusterId) -> bool) -> Reachable {
        let mut links = vec![false; clusters * clusters];
        for from in 0..clusters {
            for to in from + 1..clusters {
                let usable = is_usable(ClusterId(from as u8), ClusterId(to as u8));
                links[from * clusters + to] = usable;
                links[to * clusters + from] = usable;
            }
        }
        Reachable { clusters, links }
    }

    fn has(&self, from: usize, to: usize) -> bool {
        self.links[from * self.clusters + to]
    }
}

/// For each link, the clusters whose writes it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    clusters: usize,
    /// Bit masks of clusters, by sender and receiver.
    carried: Vec<u64>,
}

impl Routes {
    /// Returns the routes over links that can be used.
    pub fn new(network: &Network, reachable: &Reachable, routing: Routing) -> Routes {
        let clusters = network.sites().len();
        let mut routes = Routes { clusters, carried: vec![0; clusters * clusters] };
        match routing {
            Routing::Direct => {
                for origin in 0..clusters {
                    routes.add_direct(network, reachable, origin);
                }
            }
            Routing::Tree => {
                let tree = spanning_tree(network, reachable);
                for (from, to) in &tree {
                    for (from, to) in [(*from, *to), (*to, *from)] {
                        let (from, to) = (usize::from(from.0), usize::from(to.0));
                        routes.carried[from * clusters + to] = side_of(&tree, from, to);
                    }
                }
            }
        }
        routes
    }

    /// Returns whether `from` sends the writes of `origin` to `to`.
    pub fn carries(&self, from: ClusterId, to: ClusterId, origin: ClusterId) -> bool {
        self.carried(from, to) & 1 << origin.0 != 0
    }

    /// Returns whether `from` sends writes of any cluster to `to`.
    pub fn is_used(&self, from: ClusterId, to: ClusterId) -> bool {
        self.carried(from, to) != 0
    }

    fn carried(&self, from: ClusterId, to: ClusterId) -> u64 {
        self.carried[usize::from(from.0) * self.clusters + usize::from(to.0)]
    }

    /// Adds the direct links of a cluster, and the ways around those that cannot be used.
    fn add_direct(&mut self, network: &Network, reachable: &Reachable, origin: usize) {
        let before = around(network, reachable, origin);
        for to in (0..self.clusters).filter(|to| *to != origin) {
            if reachable.has(origin, to) {
                self.carried[origin * self.clusters + to] |= 1 << origin;
                continue;
            }
            let mut at = to;
            while let Some(previous) = before[at] {
                self.carried[previous * self.clusters + at] |= 1 << origin;
                at = previous;
            }
        }
    }
}

/// Returns, for each cluster, the previous one on the way from `origin` with the smallest round
/// trip; `None` for the origin itself and where no way leads.
fn around(network: &Network, reachable: &Reachable, origin: usize) -> Vec<Option<usize>> {
    let clusters = network.sites().len();
    let mut best = vec![u64::MAX; clusters];
    let mut before = vec![None; clusters];
    let mut done = vec![false; clusters];
    best[origin] = 0;
    // Dijkstra's algorithm: the nearest cluster that is not done yet is final.
    while let Some(at) =
        (0..clusters).filter(|at| !done[*at] && best[*at] < u64::MAX).min_by_key(|at| best[*at])
    {
        done[at] = true;
        for to in (0..clusters).filter(|to| reachable.has(at, *to)) {
            let through = best[at] + network.link(ClusterId(at as u8), ClusterId(to as u8)).one_way;
            if through < best[to] {
                (best[to], before[to]) = (through, Some(at));
            }
        }
    }
    before
}

/// Returns the links of the minimum spanning tree by price, then round trip, then the names of the
/// clusters. Where the links that can be used do not connect all clusters, each connected part has
/// its own tree.
pub fn spanning_tree(network: &Network, reachable: &Reachable) -> Vec<(ClusterId, ClusterId)> {
    let mut links: Vec<(ClusterId, ClusterId)> = Vec::new();
    for from in network.clusters() {
        let later = network.clusters().filter(|to| *to > from);
        links.extend(later.filter(|to| reachable.has(from.0.into(), to.0.into())).map(|to| (from, to)));
    }
    let order = |(from, to): &(ClusterId, ClusterId)| {
        let (there, back) = (network.link(*from, *to), network.link(*to, *from));
        let (a, b) = (network.site(*from).name.as_str(), network.site(*to).name.as_str());
        (there.price + back.price, there.one_way + back.one_way, a.min(b), a.max(b))
    };
    links.sort_by(|a, b| order(a).cmp(&order(b)));
    // Kruskal's algorithm: the next cheapest link that joins two parts.
    let mut part: Vec<usize> = (0..network.sites().len()).collect();
    links.retain(|(from, to)| {
        let (a, b) = (part[usize::from(from.0)], part[usize::from(to.0)]);
        part.iter_mut().filter(|part| a != b && **part == b).for_each(|part| *part = a);
        a != b
    });
    links
}

/// Returns the clusters on the sender's side of a link of a tree.
fn side_of(tree: &[(ClusterId, ClusterId)], from: usize, to: usize) -> u64 {
    let mut side = 1u64 << from;
    loop {
        let before = side;
        for (a, b) in tree.iter().map(|(a, b)| (usize::from(a.0), usize::from(b.0))) {
            if (a, b) != (from, to) && (b, a) != (from, to) && (side & (1 << a | 1 << b)) != 0 {
                side |= 1 << a | 1 << b;
            }
        }
        if side == before {
            return side;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    use crate::random::Random;
    use crate::replication::topology::{LinkSpec, Topology};

    const ZONES: [&str; 7] = [
        "europe-west1-b",
        "us-east1-c",
        "asia-east1-a",
        "australia-southeast1-a",
        "southamerica-east1-a",
        "europe-west3-a",
        "us-west1-b",
    ];

    /// A network with few different prices and delays, so that there are ties.
    fn random_network(random: &mut Random, clusters: usize) -> Network {
        let mut topology = Topology::of_zones(&ZONES[..clusters]);
        for (at, from) in ZONES[..clusters].iter().enumerate() {
            for to in &ZONES[at + 1..clusters] {
                topology.links.push(LinkSpec {
                    from: String::from(*from),
                    to: String::from(*to),
                    one_way: Some((1 + random.below(4)) * 1_000_000),
                    price: Some((1 + random.below(3)) * 10_000),
                    ..LinkSpec::default()
                });
            }
        }
        topology.resolve().unwrap()
    }

    fn total(network: &Network, tree: &[(ClusterId, ClusterId)]) -> (u64, u64) {
        let link = |(from, to): &(ClusterId, ClusterId)| *network.link(*from, *to);
        (tree.iter().map(|pair| link(pair).price).sum(), tree.iter().map(|pair| 2 * link(pair).one_way).sum())
    }

    /// All trees of `clusters` clusters, from their Prüfer sequences.
    fn all_trees(clusters: usize) -> Vec<Vec<(ClusterId, ClusterId)>> {
        let length = clusters - 2;
        (0..clusters.pow(length as u32))
            .map(|number| {
                let sequence: Vec<usize> =
                    (0..length).map(|at| number / clusters.pow(at as u32) % clusters).collect();
                let mut degree = vec![1; clusters];
                sequence.iter().for_each(|at| degree[*at] += 1);
                let mut tree = Vec::new();
                for at in sequence {
                    let leaf = (0..clusters).find(|leaf| degree[*leaf] == 1).unwrap();
                    tree.push((ClusterId(leaf as u8), ClusterId(at as u8)));
                    (degree[leaf], degree[at]) = (0, degree[at] - 1);
                }
                let rest: Vec<usize> = (0..clusters).filter(|at| degree[*at] == 1).collect();
                tree.push((ClusterId(rest[0] as u8), ClusterId(rest[1] as u8)));
                tree
            })
            .collect()
    }

    #[test]
    fn the_tree_is_the_best_of_all_trees() {
        let mut random = Random(7);
        for clusters in 2..=7 {
            let trees = all_trees(clusters);
            assert_eq!(trees.len(), clusters.pow(clusters as u32 - 2));
            for _ in 0..30 {
                let network = random_network(&mut random, clusters);
                // All links, and about half of them.
                let mask = random.below(u64::MAX);
                for reachable in [
                    Reachable::new(clusters, |_, _| true),
                    Reachable::new(clusters, |a, b| {
                        mask >> (usize::from(a.0) * clusters + usize::from(b.0)) & 1 == 0
                    }),
                ] {
                    let usable = |tree: &&Vec<(ClusterId, ClusterId)>| {
                        tree.iter().all(|(a, b)| reachable.has(a.0.into(), b.0.into()))
                    };
                    let best = trees.iter().filter(usable).map(|tree| total(&network, tree)).min();
                    let tree = spanning_tree(&network, &reachable);
                    match best {
                        Some(best) => assert_eq!(total(&network, &tree), best, "{clusters} clusters"),
                        None => assert!(tree.len() < clusters - 1, "the links do not connect all clusters"),
                    }
                }
            }
        }
    }

    /// Follows the routes of a cluster's writes and returns how often each cluster receives them.
    fn deliveries(routes: &Routes, clusters: usize, origin: usize) -> Vec<usize> {
        let mut received = vec![0; clusters];
        for from in 0..clusters {
            for (to, count) in received.iter_mut().enumerate() {
                let [from, to, origin] = [from, to, origin].map(|at| ClusterId(at as u8));
                *count += usize::from(from != to && routes.carries(from, to, origin));
            }
        }
        received
    }

    #[test]
    fn a_tree_delivers_every_write_to_every_cluster_once() {
        let mut random = Random(8);
        for clusters in 2..=7 {
            let network = random_network(&mut random, clusters);
            let all = Reachable::new(clusters, |_, _| true);
            for routing in [Routing::Tree, Routing::Direct] {
                let routes = Routes::new(&network, &all, routing);
                for origin in 0..clusters {
                    let mut expected = vec![1; clusters];
                    expected[origin] = 0;
                    assert_eq!(deliveries(&routes, clusters, origin), expected, "{routing:?}");
                }
            }
        }
    }

    #[test]
    fn writes_take_another_way_where_a_link_is_cut() {
        let network = Topology::of_zones(&ZONES[..3]).resolve().unwrap();
        let [europe, america, asia] = [0, 1, 2].map(ClusterId);
        let cut = Reachable::new(3, |a, b| (a, b) != (europe, asia));
        for routing in [Routing::Tree, Routing::Direct] {
            let routes = Routes::new(&network, &cut, routing);
            assert!(!routes.is_used(europe, asia) && !routes.is_used(asia, europe));
            assert!(routes.carries(europe, america, europe) && routes.carries(america, asia, europe));
            assert!(routes.carries(asia, america, asia) && routes.carries(america, europe, asia));
        }
        let parted = Reachable::new(3, |a, b| (a, b) == (europe, america));
        let routes = Routes::new(&network, &parted, Routing::Tree);
        assert!(routes.is_used(europe, america) && !routes.is_used(america, asia));
    }
}
