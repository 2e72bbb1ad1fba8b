use alloc::string::{String, ToString};
use alloc::vec::Vec;

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::{FieldType, Repeats, ValueType};

/// Prints each field as `number name: type`, and each problem as the text at its position with its
/// message.
fn read(text: &str) -> String {
    let (types, problems) = Types::parse(text);
    let mut out = String::new();
    let type_name = |field: &FieldType| match field.value {
        ValueType::Scalar(scalar) => format!("{scalar:?}"),
        ValueType::Enum(id) => types.enum_of(id).name.clone(),
        ValueType::Message(id) => types.message_of(id).name.clone(),
    };
    for message in &types.messages[types.own..] {
        out.push_str(&format!("{}\n", message.name));
        for field in &message.fields {
            let repeats = if field.repeats == Repeats::Once {
                String::new()
            } else {
                format!("{:?} of ", field.repeats)
            };
            let oneof = field.oneof.map(|oneof| format!(" | {oneof}")).unwrap_or_default();
            out.push_str(&format!(
                "  {} {}: {repeats}{}{oneof}\n",
                field.number,
                field.name,
                type_name(field)
            ));
        }
    }
    for problem in problems {
        let (start, end) = (problem.span.start as usize, problem.span.end as usize);
        out.push_str(&format!("{start} `{}`: {}\n", &text[start..end], problem.message));
    }
    out
}

#[test]
fn the_well_known_messages_have_no_problems() {
    let (types, problems) = Types::parse("");
    assert_eq!(problems, []);
    assert_eq!(types.message_names().count(), 0);
    assert_eq!(declare::read(WELL_KNOWN, &mut declare::Declared::default()), []);
    assert!(types.message("google.protobuf.Timestamp").is_some_and(|of| of.fields.len() == 2));
}

#[test]
fn all_that_the_wire_depends_on_is_read() {
    let text = r#"
        syntax = "proto3";
        package ads.v1;
        import public "google/protobuf/timestamp.proto";
        option java_package = "com.example";
        option (custom).part = { a: 1; b: "}" };
        /* A profile. */
        message Profile {
            reserved 7, 9 to 11; reserved "old";
            string name = 0x1 [deprecated = true, (x) = { y: [1, 2] }];
            repeated .ads.v1.Profile.Interest interests = 02;
            map<string, google.protobuf.Timestamp> seen = 3;
            oneof key { int64 id = 4; Other other = 5; }
            oneof more { option (a) = 1; bytes b = 12; }
            message Interest { Kind kind = 1; double score = 2; enum Kind { NONE = 0; NEGATIVE = -1; } }
            Interest.Kind kind = 6;
            optional Level level = 8;
        }
        message Other {}
        enum Level { option allow_alias = true; LOW = 0; SMALL = 0 [deprecated = true]; reserved 3; }
        service Profiles { rpc Get(Profile) returns (Profile) { option (a) = { b: "c" }; } }
        extend google.protobuf.FieldOptions { string note = 50000; }
        syntax = "proto2";
        message Old { required group Part = 1 { optional uint32 n = 2; } extensions 100 to max; }
    "#;
    expect![[r#"
        ads.v1.Profile
          1 name: Text
          2 interests: List of ads.v1.Profile.Interest
          3 seen: Map of ads.v1.Profile.seen.Entry
          4 id: Int64 | 1
          5 other: ads.v1.Other | 1
          6 kind: ads.v1.Profile.Interest.Kind
          8 level: ads.v1.Level
          12 b: Bytes | 2
        ads.v1.Profile.seen.Entry
          1 key: Text
          2 value: google.protobuf.Timestamp
        ads.v1.Profile.Interest
          1 kind: ads.v1.Profile.Interest.Kind
          2 score: Double
        ads.v1.Other
        Old
          1 Part: Old.Part
        Old.Part
          2 n: Uint32
    "#]]
    .assert_eq(&read(text));
    let (types, _) = Types::parse(text);
    assert_eq!(
        types.message_names().collect::<Vec<_>>(),
        ["ads.v1.Profile", "ads.v1.Profile.Interest", "ads.v1.Other", "Old", "Old.Part"]
    );
}

#[test]
fn a_wrong_statement_is_left_out_and_named() {
    let text = "message A { int32 a = 1 int32 b = 2; int32 c = 0; strng d = 4; int32 e = 19500; int32 e2 = 5; int32 e2 = 6;\n\
                int32 f = 5; map<float, int32> g = 7; int32 }\n} message A {} enum E { X = 99999999999; } hello; message B { Zebra z = 1;";
    expect![[r#"
        A
          5 e2: Int32
        A
        B
        24 `int32`: Expected ; here.
        47 `0`: A field number must be 1 to 536870911, except 19000 to 19999.
        50 `strng`: strng is not declared here. Did you mean string?
        73 `19500`: A field number must be 1 to 536870911, except 19000 to 19999.
        100 `e2`: The name e2 is used by an earlier field of A, which takes precedence.
        114 `f`: The number 5 is used by an earlier field of A, which takes precedence.
        125 `float`: The key of a map must be an integer, a bool or a string.
        152 `}`: Expected a name here.
        154 `}`: There is no opening brace for this one.
        164 `A`: A is declared twice: the first declaration is used.
        182 `99999999999`: The number of an enum value must fit into 32 bits.
        197 `hello`: Expected a message or an enum here.
        212 `B`: The brace after this name is not closed.
        216 `Zebra`: Zebra is not declared here: paste the text of its file below this one.
    "#]]
    .assert_eq(&read(text));
}

#[test]
fn a_missing_semicolon_does_not_hide_what_follows() {
    expect![[r#"
        B
        18 `message`: Expected ; here.
    "#]]
    .assert_eq(&read("syntax = 'proto3'\nmessage A {} message B {}"));
    assert!(
        read("import public 'a.proto'\npackage p; message B {}").contains("24 `package`: Expected ; here.")
    );
}

#[test]
fn a_missing_semicolon_of_an_option_is_reported() {
    expect![[r#"
        B
        15 `message`: Expected ; here.
    "#]]
    .assert_eq(&read("option x = 'y'\nmessage A {} message B {}"));
    let within = [
        "message A { option (a).b = { c: 1 } bool b = 1; bool c = 2; }",
        "message A { option a = true bool b = 1; bool c = 2; }",
        "message A { oneof o { option a = -1.5e-3 bool b = 1; } bool c = 2; }",
        "message A { reserved 7, 9 to max bool b = 1; bool c = 2; }",
        "message A { reserved 'x', y bool b = 1; bool c = 2; }",
        "message A { enum E { option a = 1 B = 0; } bool c = 2; }",
        "message A { enum E { reserved -3 to -2 B = 0; } bool c = 2; }",
    ];
    for text in within {
        let found = read(text);
        assert!(found.starts_with("A\n  2 c: Bool\n"), "{text}: {found}");
        assert_eq!(found.matches("Expected ; here.").count(), 1, "{text}: {found}");
    }
    let sound = "option a = .5; option b = -inf; option c = 'x' \"y\"; option features.(d).e = SPEED; \
                 option (.f) = { g: [ { h: 1 } ] }; \
                 message A { reserved -1, 2 to 3, max; reserved i, 'j' 'k'; }";
    assert_eq!(read(sound), "A\n");
    assert!(read("option a = { b: 1; message B {}").contains("11 `{`: This bracket is not closed."));
}

#[test]
fn messages_and_names_of_numbers_are_found_by_their_order() {
    let text = "message B { bool b = 1; } message A {} message C {} message B { bool c = 1; } \
                enum E { TWO = 2; ZERO = 0; MINUS = -1; NULL = 0; }";
    let (types, _) = Types::parse(text);
    let first_field =
        |name: &str| types.message(name).map(|of| of.fields.first().map(|field| field.name.as_str()));
    assert_eq!(
        ["A", "B", "C", "D", ""].map(first_field),
        [Some(None), Some(Some("b")), Some(None), None, None]
    );
    assert!(types.by_name.is_sorted_by_key(|id| &types.message_of(*id).name));
    let of = &types.enums[types.enums.len() - 1];
    assert_eq!(
        [-2, -1, 0, 1, 2, 3].map(|number| of.name_of(number)),
        [None, Some("MINUS"), Some("ZERO"), None, Some("TWO"), None]
    );
    assert!(of.values.is_sorted_by_key(|value| value.1), "{:?}", of.values);
}

#[test]
fn a_block_in_brackets_does_not_end_a_statement() {
    let of_extensions = "message A { extensions 4 to 9 [declaration = { number: 4, full_name: '.p.x' }, verification = UNVERIFIED]; \
                         int32 b = 1; } message C {}";
    assert_eq!(read(of_extensions), "A\n  1 b: Int32\nC\n");
    // A bracket that is not closed does not affect what follows the semicolon.
    assert_eq!(
        read("message A { extensions 4 to 9 [a = 1; int32 b = 1; } message C {}"),
        "A\n  1 b: Int32\nC\n"
    );
}

#[test]
fn the_words_of_edition_2024_before_declarations_are_skipped() {
    expect![[r#"
        A
          1 b: A.B
          2 c: C
        A.B
    "#]]
    .assert_eq(&read(
        "edition = '2024'; import option 'o.proto'; export message A { local message B {} B b = 1; C c = 2; } local enum C { D = 0; }",
    ));
}

#[test]
fn names_are_bounded_and_the_first_unknown_ones_are_reported() {
    let long = "n".repeat(201);
    let texts = [
        format!("message {long} {{ int32 a = 1; }} message B {{}}"),
        format!("enum {long} {{ A = 0; }} message B {{}}"),
        format!("package {}a; message B {{}}", "a.".repeat(100)),
        format!("message B {{ {long} a = 1; }}"),
        format!("message B {{ optional group {long} = 1 {{ }} }}"),
    ];
    for text in texts {
        let (types, problems) = Types::parse(&text);
        assert_eq!(types.message_names().collect::<Vec<_>>(), ["B"], "{text}");
        assert!(
            matches!(&problems[..], [problem] if problem.message.starts_with("A name has at most 200")),
            "{problems:?}"
        );
    }
    let fields: String = (1..1_000).map(|at| format!("Unknown{at} f{at} = {at}; ")).collect();
    let problems = Types::parse(&format!("message M {{ {fields} }}")).1;
    assert_eq!(problems.len(), PROBLEMS_MAX);
    assert!(problems[0].message.starts_with("Unknown1 is not declared"), "{:?}", problems[0]);
    assert!(problems[19].message.starts_with("Unknown20 is not declared"), "{:?}", problems[19]);
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = "message M { ".repeat(1_000) + &"}".repeat(1_000);
    assert!(read(&deep).contains("at most 32 deep"));
    let long = " ".repeat(PROTO_BYTES_MAX + 1);
    assert!(read(&long).contains("has 65537 bytes; at most 65536 are read"));
    let groups = "message M { optional group G = 1 { ".to_string() + &"optional group G = 1 { ".repeat(1_000);
    assert!(!Types::parse(&groups).1.is_empty());
}

/// Texts made of tokens, which get further in the parser than arbitrary texts.
fn tokens() -> impl Strategy<Value = String> {
    let words = [
        "message", "enum", "oneof", "map", "<", ">", "{", "}", "{", "}", "=", ";", ";", "1", "-", "[", "]",
        ",", ".", "M", "a", "string", "repeated", "group", "option", "reserved", "syntax", "package",
        "import", "\"x\"", "extend", "\"", "/*", "//", "0x", "\n",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..60)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_a_panic(text in prop_oneof![".{0,80}", tokens()]) {
        let (types, problems) = Types::parse(&text);
        prop_assert!(problems.len() <= PROBLEMS_MAX);
        for problem in problems {
            prop_assert!(text.get(problem.span.start as usize..problem.span.end as usize).is_some(), "{:?} in {:?}", problem, text);
        }
        for message in &types.messages {
            prop_assert!(message.fields.is_sorted_by(|one, next| one.number < next.number));
        }
    }
}
