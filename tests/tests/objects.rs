//! Protobuf messages: what prost encodes can be read back with the types of a .proto text.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec as some};
use proptest::prelude::*;
use prost::Message;
use tabletop_objects::{DecodedMessage, Types, VALUES_MAX, Value, decode};

const PROTO: &str = "
    syntax = \"proto3\";
    package ads;
    message Profile {
        string name = 1; sint64 balance = 2; repeated float vector = 3; map<string, int32> counts = 4; repeated Interest interests = 5;
        bytes raw = 6; fixed64 at = 7; repeated double doubles = 8 [packed = false]; optional bool is_adult = 9; uint32 visits = 300;
    }
    message Interest { string topic = 1; double score = 2; }";

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(sint64, tag = "2")]
    balance: i64,
    #[prost(float, repeated, tag = "3")]
    vector: Vec<f32>,
    #[prost(btree_map = "string, int32", tag = "4")]
    counts: BTreeMap<String, i32>,
    #[prost(message, repeated, tag = "5")]
    interests: Vec<Interest>,
    #[prost(bytes = "vec", tag = "6")]
    raw: Vec<u8>,
    #[prost(fixed64, tag = "7")]
    at: u64,
    #[prost(double, repeated, packed = "false", tag = "8")]
    doubles: Vec<f64>,
    #[prost(bool, optional, tag = "9")]
    is_adult: Option<bool>,
    #[prost(uint32, tag = "300")]
    visits: u32,
}

#[derive(Clone, PartialEq, Message)]
struct Interest {
    #[prost(string, tag = "1")]
    topic: String,
    #[prost(double, tag = "2")]
    score: f64,
}

fn profile() -> impl Strategy<Value = Profile> {
    let interest = (".{0,9}", -1e3..1e3_f64).prop_map(|(topic, score)| Interest { topic, score });
    let texts =
        (".{0,9}", btree_map(".{0,4}", any::<i32>(), 0..4), some(interest, 0..4), some(any::<u8>(), 0..9));
    let numbers = (
        any::<i64>(),
        some(-9.0..9.0_f32, 0..200),
        any::<u64>(),
        some(-9.0..9.0_f64, 0..4),
        any::<Option<bool>>(),
        any::<u32>(),
    );
    (texts, numbers).prop_map(
        |((name, counts, interests, raw), (balance, vector, at, doubles, is_adult, visits))| Profile {
            name,
            balance,
            vector,
            counts,
            interests,
            raw,
            at,
            doubles,
            is_adult,
            visits,
        },
    )
}

/// Returns the value of a field; `None` if the bytes do not contain it because it has its type's
/// default.
fn value<'m, 'a>(message: &'m DecodedMessage<'a>, number: u32) -> Option<&'m Value<'a>> {
    message.fields.iter().find(|field| field.number == number).map(|field| &field.value)
}

fn interest_of(value: &Value<'_>) -> Interest {
    let Value::Message(message) = value else { panic!("{value:?} is no message") };
    let topic = match self::value(message, 1) {
        Some(Value::Text(topic)) => (*topic).into(),
        None => String::new(),
        other => panic!("{other:?} is no text"),
    };
    let score = match self::value(message, 2) {
        Some(Value::Double(score)) => *score,
        None => 0.0,
        other => panic!("{other:?} is no number"),
    };
    Interest { topic, score }
}

/// Returns the message as a prost value.
fn profile_of(message: &DecodedMessage<'_>) -> Profile {
    let mut profile = Profile::default();
    for field in &message.fields {
        match (field.number, &field.value) {
            (1, Value::Text(name)) => profile.name = (*name).into(),
            (2, Value::Int(balance)) => profile.balance = *balance,
            (3, Value::Floats(vector)) => profile.vector = vector.clone(),
            (4, Value::Map(counts)) => {
                for entry in counts {
                    let (Value::Text(key), Value::Int(count)) = entry else {
                        panic!("{entry:?} is no count")
                    };
                    profile.counts.insert((*key).into(), i32::try_from(*count).expect("a number of 32 bits"));
                }
            }
            (5, Value::List(interests)) => profile.interests = interests.iter().map(interest_of).collect(),
            (6, Value::Bytes(raw)) => profile.raw = raw.to_vec(),
            (7, Value::Uint(at)) => profile.at = *at,
            (8, Value::Doubles(doubles)) => profile.doubles = doubles.clone(),
            (9, Value::Bool(is_adult)) => profile.is_adult = Some(*is_adult),
            (300, Value::Uint(visits)) => {
                profile.visits = u32::try_from(*visits).expect("a number of 32 bits");
            }
            (number, value) => panic!("field {number} is {value:?}"),
        }
    }
    profile
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_prost_encodes_is_read_back(profile in profile()) {
        let (types, problems) = Types::parse(PROTO);
        prop_assert_eq!(problems, vec![]);
        let bytes = profile.encode_to_vec();
        let decoded = decode(&types, types.message("ads.Profile"), &bytes, VALUES_MAX);
        prop_assert_eq!(&decoded.problems, &vec![]);
        prop_assert_eq!(&decoded.message.unknown, &vec![]);
        prop_assert_eq!(profile_of(&decoded.message), profile);
    }

    /// Both readers agree on which bytes are a message, unless ours is stricter.
    #[test]
    fn bytes_that_we_find_sound_are_sound_for_prost(profile in profile(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let (types, _) = Types::parse(PROTO);
        let mut bytes = profile.encode_to_vec();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        let decoded = decode(&types, types.message("ads.Profile"), &bytes, VALUES_MAX);
        // A group in the place of a message, which ends with this byte, is only read by us.
        if decoded.problems.is_empty() && !bytes.contains(&0x2c) {
            prop_assert!(Profile::decode(&bytes[..]).is_ok(), "{:?}", decoded.message);
        }
    }
}
