//! The profile job: computes profiles of all users from all their events, with a strategy that
//! scores types of events and facets. The profile of a user sums event score times facet score over
//! the distinct values of each event's facets.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use serde_json::Value;
use smallvec::SmallVec;

use crate::events::{FACETS, USER_BYTES};
use crate::fold::fold;
use crate::{Columns, Layout, Visitor};

/// The decoder of the narrow layout's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decode {
    /// `serde_json::Value`, for JSON of an unknown form.
    Generic,
    /// Only the strings, which are in known positions.
    Typed,
}

/// A visitor that computes the profiles while it reads.
pub struct Job<'a> {
    layout: Layout,
    decode: Decode,
    facets: &'a [&'a str],
    user: Vec<u8>,
    /// The scores of values, by the strategy's facet.
    profile: [Scores; FACETS.len()],
    /// The number of users so far.
    pub users: u64,
    /// The sum of all users' scores.
    pub total: u64,
    /// The checksum of all profiles.
    pub sum: u64,
}

/// Values are stored inline: an allocation per value would take longer than the store's read.
type Scores = HashMap<SmallVec<[u8; 24]>, u64, BuildHasherDefault<FoldHasher>>;

impl<'a> Job<'a> {
    /// Creates a job for a strategy with these facets.
    pub fn new(layout: Layout, decode: Decode, facets: &'a [&'a str]) -> Self {
        Job {
            layout,
            decode,
            facets,
            user: Vec::new(),
            profile: Default::default(),
            users: 0,
            total: 0,
            sum: 0,
        }
    }

    /// Returns the columns that the store must return. The narrow layout cannot filter by facet.
    pub fn wanted(&self) -> Columns<'a> {
        if self.layout == Layout::Wide { Columns::Facets(self.facets) } else { Columns::All }
    }

    /// Completes the profile of the last user.
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
                    let (Some(facet), Some(value)) = (filter[0].as_str(), filter[2].as_str()) else {
                        continue;
                    };
                    self.add(facet.as_bytes(), value.as_bytes(), score);
                }
            }
            Decode::Typed => {
                let mut strings = Strings(json);
                while let (Some(facet), Some(_), Some(value)) =
                    (strings.next(), strings.next(), strings.next())
                {
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

    /// Adds a score, unless the facet is not in the strategy.
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

/// Returns the score of an event type.
fn score(kind: &[u8]) -> u64 {
    match kind {
        b"click" => 3,
        b"conversion" => 10,
        b"view" => 1,
        other => panic!("an unknown type of event: {other:?}"),
    }
}

/// An iterator over the strings of a JSON text. Our strings have no escapes.
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

/// A hasher for short values. The standard library's hasher would take a tenth of the job's time.
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
