//! The job that the whole is about: profiles of all users from all their events, by a strategy that scores types of events
//! and facets. The profile of a user sums event score times facet score over the distinct values of each event's facets.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use serde_json::Value;
use smallvec::SmallVec;

use crate::events::{FACETS, USER_BYTES};
use crate::fold::fold;
use crate::{Layout, Visitor};

/// What the narrow layout's JSON is decoded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decode {
    /// `serde_json::Value`: what somebody does who does not know what will be in there.
    Generic,
    /// No more than the strings, which lie in known places.
    Typed,
}

/// Counts as it reads.
pub struct Job<'a> {
    layout: Layout,
    decode: Decode,
    facets: &'a [&'a str],
    user: Vec<u8>,
    /// By the strategy's facet, scores of values.
    profile: [Scores; FACETS.len()],
    /// Users so far.
    pub users: u64,
    /// All scores of all users.
    pub total: u64,
    /// Of all profiles.
    pub sum: u64,
}

/// Values lie in the map: an allocation for each would cost more than the read of a store.
type Scores = HashMap<SmallVec<[u8; 24]>, u64, BuildHasherDefault<FoldHasher>>;

impl<'a> Job<'a> {
    /// For a strategy that names these facets.
    pub fn new(layout: Layout, decode: Decode, facets: &'a [&'a str]) -> Self {
        Job { layout, decode, facets, user: Vec::new(), profile: Default::default(), users: 0, total: 0, sum: 0 }
    }

    /// What the store may leave out: the narrow layout has nothing of that kind.
    pub fn wanted(&self) -> &'a [&'a str] {
        if self.layout == Layout::Wide { self.facets } else { &[] }
    }

    /// The last user's events are all there.
    pub fn finish(&mut self) {
        if self.user.is_empty() {
            return;
        }
        let mut sum = 0u64;
        for (facet, scores) in self.profile.iter_mut().enumerate() {
            for (value, score) in scores.iter() {
                sum = sum.wrapping_add(fold(value).wrapping_mul(score * (facet as u64 + 1)));
            }
            scores.clear();
        }
        self.users += 1;
        self.sum = self.sum.rotate_left(5) ^ sum;
        self.user.clear();
    }

    fn narrow(&mut self, score: u64, json: &[u8]) {
        match self.decode {
            Decode::Generic => {
                let filters: Value = serde_json::from_slice(json).expect("JSON");
                for filter in filters.as_array().expect("a list of filters") {
                    let (Some(facet), Some(value)) = (filter[0].as_str(), filter[2].as_str()) else { continue };
                    self.add(facet.as_bytes(), value.as_bytes(), score);
                }
            }
            Decode::Typed => {
                let mut strings = Strings(json);
                while let (Some(facet), Some(_), Some(value)) = (strings.next(), strings.next(), strings.next()) {
                    self.add(facet, value, score);
                }
            }
        }
    }

    fn wide(&mut self, score: u64, facet: &[u8], json: &[u8]) {
        let mut strings = Strings(json);
        while let (Some(_), Some(value)) = (strings.next(), strings.next()) {
            self.add(facet, value, score);
        }
    }

    /// Facets that the strategy does not name count nothing.
    fn add(&mut self, facet: &[u8], value: &[u8], score: u64) {
        let Some(number) = self.facets.iter().position(|wanted| wanted.as_bytes() == facet) else { return };
        let scores = &mut self.profile[number];
        let score = score * (number as u64 + 1);
        self.total += score;
        match scores.get_mut(value) {
            Some(sum) => *sum += score,
            None => {
                scores.insert(value.into(), score);
            }
        }
    }
}

impl Visitor for Job<'_> {
    fn row(&mut self, key: &[u8]) {
        let user = &key[..USER_BYTES];
        if self.user != user {
            self.finish();
            self.user.extend_from_slice(user);
        }
    }

    fn cell(&mut self, family: &[u8], qualifier: &[u8], _: i64, value: &[u8]) {
        match self.layout {
            Layout::Narrow => self.narrow(score(family), value),
            Layout::Wide => {
                let first = memchr::memchr(b',', qualifier).expect("type,name,facet");
                let last = memchr::memrchr(b',', qualifier).expect("type,name,facet");
                self.wide(score(&qualifier[..first]), &qualifier[last + 1..], value);
            }
        }
    }
}

/// How much an event of this type counts.
fn score(kind: &[u8]) -> u64 {
    match kind {
        b"click" => 3,
        b"conversion" => 10,
        b"view" => 1,
        other => panic!("a type of event, not {other:?}"),
    }
}

/// The strings of a JSON text, one after the other. They have no escapes: none of ours needs one.
struct Strings<'a>(&'a [u8]);

impl<'a> Iterator for Strings<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(|byte| *byte == b'"')? + 1;
        let length = self.0[start..].iter().position(|byte| *byte == b'"').expect("a string ends");
        let text = &self.0[start..start + length];
        self.0 = &self.0[start + length + 1..];
        Some(text)
    }
}

/// Values are few and short: a hash of the standard library would be a tenth of the job.
#[derive(Clone, Copy, Debug, Default)]
struct FoldHasher(u64);

impl Hasher for FoldHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = (self.0.rotate_left(5) ^ fold(bytes)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, length: usize) {
        self.0 ^= length as u64;
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
