use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use proptest::collection::vec as some;
use proptest::prelude::*;

use super::super::{lines, one_line};
use super::*;

const PROTO: &str = "
    message M {
        int32 a = 1; sint64 b = 2; string c = 3; repeated uint32 d = 4; M e = 5; repeated M f = 6; map<string, M> g = 7;
        oneof h { bool i = 8; fixed64 j = 9; }
        repeated float k = 10; double l = 11; bytes m = 12; Kind n = 13; repeated sfixed32 o = 14;
        optional group P = 15 { int32 q = 1; }
        enum Kind { NONE = 0; SOME = 1; }
    }";

fn types() -> Types {
    let (types, problems) = Types::parse(PROTO);
    assert_eq!(problems, []);
    types
}

/// Prints the message on one line, then its problems.
fn read(bytes: &[u8]) -> String {
    let types = types();
    let decoded = decode(&types, types.message("M"), bytes, VALUES_MAX);
    let problems: Vec<String> = decoded.problems.iter().map(ToString::to_string).collect();
    [&[one_line(&decoded.message, 1_000)][..], &problems].concat().join(" / ")
}

#[test]
fn scalars_are_read_by_their_types() {
    assert_eq!(read(b"\x08\x96\x01"), "a: 150");
    assert_eq!(read(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x03"), "a: -1 b: -2");
    assert_eq!(read(b"\x40\x01\x68\x01\x68\x07"), "i: true n: 7");
    assert_eq!(read(b"\x59\0\0\0\0\0\0\xf0\x3f\x62\x02\x00\x01"), "l: 1 m: \"\\x00\\x01\"");
}

#[test]
fn what_occurs_again_adds_up_as_in_protobuf() {
    assert_eq!(read(b"\x08\x01\x08\x02"), "a: 2", "the last one counts");
    assert_eq!(read(b"\x20\x01\x22\x02\x02\x03\x20\x04"), "d: [1, 2, 3, 4]", "packed or not");
    assert_eq!(read(b"\x2a\x02\x08\x01\x2a\x02\x10\x02"), "e { a: 1 b: 1 }", "messages are merged");
    assert_eq!(read(b"\x32\x02\x08\x01\x32\x00"), "f: [{ a: 1 }, {  }]");
    assert_eq!(read(b"\x40\x01\x49\x02\0\0\0\0\0\0\0"), "j: 2", "the last one of a oneof");
    assert_eq!(
        read(b"\x3a\x05\x0a\x01x\x12\x00\x3a\x04\x12\x02\x08\x01"),
        "g: [\"x\": {  }, \"\": { a: 1 }]",
        "a key can be omitted"
    );
    assert_eq!(read(b"\x52\x08\0\0\x80\x3f\0\0\0\x40\x55\0\0\0\x3f"), "k: [1, 2, 0.5]");
    assert_eq!(read(b"\x7b\x08\x05\x7c\x08\x01"), "P { q: 5 } a: 1", "a group");
}

#[test]
fn unknown_fields_have_numbers() {
    assert_eq!(read(b"\x98\x06\x07\x92\x06\x02hi\x9b\x06\x08\x01\x9c\x06"), "99: 7 98: \"hi\" 99 { 1: 1 }");
    let (types, message) = (Types::default(), b"\x0a\x01a\x15\0\0\0\0");
    assert_eq!(one_line(&decode(&types, None, message, 10).message, 100), "1: \"a\" 2: 0");
}

#[test]
fn problems_name_the_byte() {
    assert_eq!(read(b"\x08\x01\x08"), "a: 1 / Byte 3: the value ends within a number.");
    assert_eq!(
        read(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
        " / Byte 1: a number has more than 64 bits."
    );
    assert_eq!(read(b"\x00\x01"), " / Byte 0: a field cannot begin with this byte.");
    assert_eq!(read(b"\x0f"), " / Byte 0: there is no wire type 7.");
    assert_eq!(read(b"\x1a\x05ab"), " / Byte 0: 5 bytes should follow, but there are fewer.");
    assert_eq!(read(b"\x0c"), " / Byte 0: a group ends that was never begun.");
    assert_eq!(read(b"\x7b\x08\x05"), "P { q: 5 } / Byte 1: this group is not closed.");
    assert_eq!(read(b"\x1a\x03a\xffb"), "c: \"\\x61\\xff\\x62\" / Byte 3: this text is not UTF-8.");
    assert_eq!(read(b"\x0a\x01a"), "1: \"a\" / Byte 0: the value of field 1 does not fit its type.");
    assert_eq!(read(b"\x52\x05\0\0\x80\x3f\0"), "k: [1] / Byte 6: the value ends within a number.");
}

#[test]
fn a_wrong_message_within_another_hides_nothing_after_it() {
    assert_eq!(read(b"\x2a\x01\x08\x08\x07"), "e {  } a: 7 / Byte 3: the value ends within a number.");
}

#[test]
fn depth_and_number_are_bounded() {
    let mut nested = vec![];
    for _ in 0..70 {
        let mut outer = vec![0x2a];
        push_varint(&mut outer, nested.len() as u64);
        outer.extend(&nested);
        nested = outer;
    }
    assert!(read(&nested).ends_with("messages deeper than 64 are not read."));
    let groups = [0x7b; 100_000];
    assert!(read(&groups).contains("messages deeper than 64 are not read."));
    let known_groups = [0x2b; 100_000];
    assert_eq!(
        read(&known_groups).matches("messages deeper than 64 are not read.").count(),
        1,
        "it is reported once"
    );
    let types = types();
    let many = [&[0x22_u8, 0x88, 0x27][..], &[1; 5_000], &[0x08, 0x01]].concat();
    let decoded = decode(&types, types.message("M"), &many, 100);
    assert!(decoded.is_sound_so_far());
    assert_eq!(decoded.problems, [WireProblem { at: 102, kind: WireProblemKind::TooMany }]);
    assert!(
        matches!(&decoded.message.fields[..], [DecodedField { value: Value::List(list), .. }] if list.len() == 99)
    );
}

#[test]
fn values_of_a_message_with_many_fields_count_more() {
    let fields: String = (1..=1_000).map(|at| format!("bool f{at} = {at}; ")).collect();
    let (types, problems) = Types::parse(&format!("message M {{ {fields} }}"));
    assert_eq!(problems, []);
    let value = |again: usize| {
        let mut bytes = vec![];
        for number in (1..=1_000).chain(core::iter::repeat_n(1_000, again)) {
            push_varint(&mut bytes, number << 3);
            bytes.push(1);
        }
        bytes
    };
    // The first value of each field counts 2,464 in total, and each further value of the last field
    // counts 4.
    for (again, is_whole) in [(634, true), (635, false)] {
        let bytes = value(again);
        let decoded = decode(&types, types.message("M"), &bytes, 5_000);
        assert_eq!(decoded.message.fields.len(), 1_000);
        assert!(decoded.is_sound_so_far());
        assert_eq!(decoded.problems.is_empty(), is_whole, "{again}");
    }
}

/// A message for the encoder below, which is independent of the decoder.
#[derive(Clone, Debug)]
struct Sample {
    a: i32,
    b: i64,
    c: String,
    d: Vec<u32>,
    e: Option<alloc::boxed::Box<Sample>>,
    k: Vec<f32>,
    l: f64,
    m: Vec<u8>,
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn push_bytes(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    push_varint(out, number << 3 | 2);
    push_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

impl Sample {
    fn encode(&self, is_packed: bool) -> Vec<u8> {
        let mut out = Vec::new();
        push_varint(&mut out, 1 << 3);
        push_varint(&mut out, i64::from(self.a) as u64);
        push_varint(&mut out, 2 << 3);
        push_varint(&mut out, ((self.b << 1) ^ (self.b >> 63)) as u64);
        push_bytes(&mut out, 3, self.c.as_bytes());
        let mut packed = Vec::new();
        for value in &self.d {
            if is_packed {
                push_varint(&mut packed, (*value).into());
            } else {
                push_varint(&mut out, 4 << 3);
                push_varint(&mut out, (*value).into());
            }
        }
        if is_packed {
            push_bytes(&mut out, 4, &packed);
        }
        if let Some(e) = &self.e {
            push_bytes(&mut out, 5, &e.encode(is_packed));
        }
        push_bytes(&mut out, 10, &self.k.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        push_varint(&mut out, 11 << 3 | 1);
        out.extend(self.l.to_le_bytes());
        push_bytes(&mut out, 12, &self.m);
        out
    }

    fn is(&self, message: &DecodedMessage<'_>) -> bool {
        let value = |number: u32| {
            message.fields.iter().find(|field| field.number == number).map(|field| &field.value)
        };
        let d: Vec<Value<'_>> = self.d.iter().map(|value| Value::Uint((*value).into())).collect();
        let is_e = match (&self.e, value(5)) {
            (Some(e), Some(Value::Message(message))) => e.is(message),
            (None, None) => true,
            _ => false,
        };
        value(1) == Some(&Value::Int(self.a.into()))
            && value(2) == Some(&Value::Int(self.b))
            && value(3) == Some(&Value::Text(&self.c))
            && value(4).map_or(d.is_empty(), |value| *value == Value::List(d.clone()))
            && is_e
            && value(10) == Some(&Value::Floats(self.k.clone()))
            && value(11) == Some(&Value::Double(self.l))
            && value(12) == Some(&Value::Bytes(&self.m))
    }
}

fn sample() -> impl Strategy<Value = Sample> {
    let one = (
        any::<i32>(),
        any::<i64>(),
        ".{0,9}",
        some(any::<u32>(), 0..5),
        some(-9.0..9.0_f32, 0..5),
        -1e9..1e9_f64,
        some(any::<u8>(), 0..9),
    );
    let leaf = one.prop_map(|(a, b, c, d, k, l, m)| Sample { a, b, c, d, e: None, k, l, m });
    leaf.clone().prop_recursive(4, 5, 1, move |within| {
        (leaf.clone(), within).prop_map(|(sample, e)| Sample { e: Some(alloc::boxed::Box::new(e)), ..sample })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_encoded_is_read_back(sample in sample(), is_packed in any::<bool>()) {
        let types = types();
        let bytes = sample.encode(is_packed);
        let decoded = decode(&types, types.message("M"), &bytes, VALUES_MAX);
        prop_assert_eq!(&decoded.problems, &[]);
        prop_assert!(sample.is(&decoded.message), "{}", one_line(&decoded.message, 1_000));
    }

    #[test]
    fn no_bytes_are_a_panic(bytes in some(any::<u8>(), 0..200), values_max in 0..50_usize) {
        let types = types();
        for of in [types.message("M"), None] {
            let decoded = decode(&types, of, &bytes, values_max);
            prop_assert!(decoded.problems.iter().all(|problem| problem.at <= bytes.len()));
            prop_assert!(one_line(&decoded.message, 60).len() < 4_000 + 12 * bytes.len());
            prop_assert!(lines(&decoded.message).len() < 100_000);
        }
    }

    #[test]
    fn a_message_that_is_cut_or_changed_does_not_panic(sample in sample(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let types = types();
        let mut bytes = sample.encode(true);
        let at = at.index(bytes.len());
        let _ = decode(&types, types.message("M"), &bytes[..at], VALUES_MAX);
        bytes[at] = to;
        let _ = lines(&decode(&types, types.message("M"), &bytes, VALUES_MAX).message);
    }
}
