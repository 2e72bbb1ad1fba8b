//! Exported code reads the values that the layouts write and rejects others, as the engine does.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tabletop_export::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::{
    Encoding, FacetCount, FacetNames, Field, FieldKind, Layout, LayoutKind, Record, Template,
};
use tempfile::TempDir;

use crate::Test;
use crate::programs::{Program, run};

pub const TESTS: &[Test] = &[
    Test::of(Program::Python, "decoders::python", python),
    Test::of(Program::Node, "decoders::node", node),
    Test::of(Program::Rust, "decoders::rust", rust),
    Test::of(Program::Go, "decoders::go", go),
    Test::of(Program::Java, "decoders::java", java),
];

/// A line of counts, in Rust.
const COUNTS: &str = r#"
pub fn line(value: &[u8]) -> Option<String> {
    let hex = |text: &str| crate::hex(text);
    let one = |one: &FacetCount| format!("{} {} {} {}", hex(&one.facet), hex(&one.operator), hex(&one.value), one.count);
    Some(decode_value(value)?.iter().map(one).collect::<Vec<String>>().join(";"))
}
"#;

/// A line of an event, in Rust.
const EVENT: &str = r#"
pub fn line(value: &[u8]) -> Option<String> {
    let mut lines = Vec::new();
    for (name, texts) in decode_value(value)? {
        let texts: Vec<String> = texts.iter().map(|text| crate::hex(text)).collect();
        lines.push(format!("{}={}", crate::hex(&name), texts.join(",")));
    }
    lines.sort();
    Some(lines.join(";"))
}
"#;

/// A line of counts, in Go.
const GO_COUNTS: &str = r#"
func Line(value []byte) (string, error) {
	counts, err := DecodeValue(value)
	var lines []string
	for _, one := range counts {
		lines = append(lines, fmt.Sprintf("%x %x %x %d", one.Facet, one.Operator, one.Value, one.Count))
	}
	return strings.Join(lines, ";"), err
}
"#;

/// A line of an event, in Go.
const GO_EVENT: &str = r#"
func Line(value []byte) (string, error) {
	event, err := DecodeValue(value)
	var lines []string
	for name, texts := range event {
		var hexed []string
		for _, text := range texts {
			hexed = append(hexed, fmt.Sprintf("%x", text))
		}
		lines = append(lines, fmt.Sprintf("%x=%s", name, strings.Join(hexed, ",")))
	}
	slices.Sort(lines)
	return strings.Join(lines, ";"), err
}
"#;

/// The part of the client's class that the code in Java needs.
const BYTE_STRING: &str = r"
import java.nio.ByteBuffer;
import java.nio.charset.*;
public record ByteString(byte[] bytes) {
    public static ByteString copyFrom(byte[] bytes) { return new ByteString(bytes); }
    public ByteBuffer asReadOnlyByteBuffer() { return ByteBuffer.wrap(bytes).asReadOnlyBuffer(); }
    public byte byteAt(int at) { return bytes[at]; }
    public String toStringUtf8() { return new String(bytes, StandardCharsets.UTF_8); }
    public boolean isValidUtf8() {
        try { StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)); } catch (CharacterCodingException e) { return false; }
        return true;
    }
}
";

/// A line of counts, in Java.
const JAVA_COUNTS: &str = r#"
    public static String line(byte[] value) {
        List<String> lines = new ArrayList<>();
        for (FacetCount one : decodeValue(ByteString.copyFrom(value))) {
            lines.add(String.join(" ", Main.hex(one.facet()), Main.hex(one.operator()), Main.hex(one.value()), "" + one.count()));
        }
        return String.join(";", lines);
    }
"#;

/// A line of an event, in Java.
const JAVA_EVENT: &str = r#"
    public static String line(byte[] value) {
        List<String> lines = new ArrayList<>();
        decodeValue(ByteString.copyFrom(value)).forEach(
                (name, texts) -> lines.add(Main.hex(name) + "=" + String.join(",", texts.stream().map(Main::hex).toList())));
        java.util.Collections.sort(lines);
        return String.join(";", lines);
    }
"#;

/// A table, its values, and the output of the code for each value: a line, or "error".
struct Case {
    layout: Layout,
    values: Vec<(Vec<u8>, String)>,
}

/// More fields than a byte of MessagePack can count, and names that have a meaning in some
/// language.
fn fields() -> Vec<Field> {
    let mut fields = vec![
        Field::new("user", FieldKind::Text),
        Field::new("event_type", FieldKind::Text),
        Field::new("event_name", FieldKind::Text),
        Field::new("facets", FieldKind::Facets),
        Field::new("constructor", FieldKind::Text),
    ];
    fields.extend((0..15).map(|at| Field::new(format!("f\u{e9}{at}"), FieldKind::Float)));
    fields
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lists of counts with texts and numbers of all lengths.
fn lists() -> Vec<Vec<(String, String, String, u32)>> {
    let one = |length: usize, count: u32| ("n".repeat(length), ">=".to_string(), "v".repeat(length), count);
    vec![
        Vec::new(),
        vec![
            ("brand".into(), ":".into(), "\u{e9}\u{1f600}\0".into(), 1),
            (String::new(), "=".into(), String::new(), 127),
        ],
        vec![
            one(31, 128),
            one(32, 255),
            one(127, 256),
            one(128, 65_535),
            one(256, 65_536),
            one(65_536, u32::MAX),
        ],
        (0..300).map(|at| one(1, at + 1)).collect(),
    ]
}

fn counted(encoding: Encoding, names: FacetNames) -> Vec<(Vec<u8>, String)> {
    let of_list = |list: Vec<(String, String, String, u32)>| {
        let in_value =
            |name: &str| if names == FacetNames::InValue { name.to_string() } else { String::new() };
        let counts: Vec<FacetCount<'_>> = list
            .iter()
            .map(|(name, operator, value, count)| FacetCount {
                name: in_value(name).into(),
                operator: operator.as_str().into(),
                value: value.as_str().into(),
                count: *count,
            })
            .collect();
        let mut value = Vec::new();
        encoding.push_counts(&counts, names, &mut value);
        let line = |one: &FacetCount<'_>| {
            let [name, operator, value] =
                [&one.name, &one.operator, &one.value].map(|text| hex(text.as_bytes()));
            format!("{name} {operator} {value} {}", one.count)
        };
        (value, counts.iter().map(line).collect::<Vec<_>>().join(";"))
    };
    lists().into_iter().map(of_list).collect()
}

fn events(encoding: Encoding) -> Vec<(Vec<u8>, String)> {
    let fields = fields();
    let long = "\u{1f600}".repeat(100);
    let facets: [(Option<&str>, &[&str]); 4] = [
        (Some("a:1|b>=2|a:1"), &["a:1", "b>=2", "a:1"]),
        (Some(""), &[]),
        (None, &[]),
        (Some("a:1"), &["a:1"]),
    ];
    let mut all = Vec::new();
    for (at, (text, list)) in facets.into_iter().enumerate() {
        let others = ["", "9007199254740993", "-1.5e300", "NaN", long.as_str()];
        let value = |index: usize| (at < 3 || index == 1).then_some(others[index % others.len()]);
        let values: Vec<Option<&str>> =
            (0..fields.len()).map(|index| if index == 3 { text } else { value(index) }).collect();
        let mut bytes = Vec::new();
        encoding.push_event(&Record { fields: &fields, values: &values }, &mut bytes);
        let mut lines = Vec::new();
        for (field, value) in fields.iter().zip(&values) {
            let texts = if field.kind == FieldKind::Facets { list.to_vec() } else { Vec::from_iter(*value) };
            if !texts.is_empty() {
                let texts: Vec<String> = texts.iter().map(|text| hex(text.as_bytes())).collect();
                lines.push(format!("{}={}", hex(field.name.as_bytes()), texts.join(",")));
            }
        }
        lines.sort_unstable();
        all.push((bytes, lines.join(";")));
    }
    all
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity] {
        let names = match kind {
            LayoutKind::Narrow => Some(FacetNames::InValue),
            LayoutKind::Wide => Some(FacetNames::InColumn),
            _ => None,
        };
        for encoding in [Encoding::Protobuf, Encoding::CompactList, Encoding::MessagePack] {
            let mut values = names.map_or_else(|| events(encoding), |names| counted(encoding, names));
            let mut damaged: Vec<Vec<u8>> = Vec::new();
            for (value, _) in &values {
                damaged.extend(value.split_last().map(|(_, rest)| rest.to_vec()));
                damaged.push([value.as_slice(), &[0]].concat());
                // A text that is not UTF-8.
                if let Some(at) = value.windows(4).position(|bytes| bytes == "\u{1f600}".as_bytes()) {
                    let mut value = value.clone();
                    value[at + 1] = b'(';
                    damaged.push(value);
                }
            }
            // Invalid MessagePack, a number without an end, and an event that lacks a field.
            damaged.push(vec![0xc0, 0, 0, 0, 0]);
            damaged.push(vec![0xff; 40]);
            if encoding == Encoding::CompactList && names.is_none() {
                let fields = fields();
                let fewer = &fields[1..];
                let mut value = Vec::new();
                encoding.push_event(&Record { fields: fewer, values: &vec![None; fewer.len()] }, &mut value);
                damaged.push(value);
            }
            for value in damaged {
                let is_read = match names {
                    Some(names) => encoding.counts(&value, names).is_some(),
                    None => encoding.event_json(&value, &fields()).is_some(),
                };
                assert!(!is_read, "{encoding:?} {}", hex(&value));
                values.push((value, "error".into()));
            }
            cases.push(Case { layout: Layout { encoding, ..Layout::new(kind) }, values });
        }
    }
    cases
}

impl Case {
    fn is_event(&self) -> bool {
        self.layout.kind == LayoutKind::RowPerEntity
    }

    /// The part of the code that needs no client.
    fn code(&self, lang: Lang) -> String {
        let (template, _) = Template::parse("{user}", &fields());
        let table = ExportTable {
            id: "t",
            template: &template,
            layout: &self.layout,
            families: &[],
            splits: &[],
            queries: &[],
        };
        let code =
            Export::Queries(lang).write(&ExportInput { project: "p", instance: "i", tables: &[table] });
        let first = match lang {
            Lang::Python => "class Value:",
            Lang::Node => "class Value {",
            Lang::Java => "    private static final class Value {",
            Lang::Rust => "struct Value<'v>(&'v [u8]);",
            Lang::Go => "type valueReader struct {",
        };
        let (_, rest) = code.split_once(first).expect("it decodes values");
        format!("{first}{rest}")
    }

    fn write_values(&self, folder: &Path, at: usize) {
        let values: Vec<String> = self.values.iter().map(|(value, _)| hex(value)).collect();
        fs::write(folder.join(format!("values_{at}")), values.join("\n")).unwrap();
    }
}

/// Runs a program and compares its output: a line for each value of each case.
fn compare(folder: &TempDir, program: &str, arguments: &[&str]) {
    let output = run(folder.path(), program, arguments);
    let mut lines = output.lines();
    for (at, case) in cases().iter().enumerate() {
        for (value, expected) in &case.values {
            let start = hex(&value[..value.len().min(40)]);
            assert_eq!(lines.next(), Some(expected.as_str()), "case {at}, {} bytes: {start}", value.len());
        }
    }
    assert_eq!(lines.next(), None);
}

fn python() {
    let folder = tempfile::tempdir().unwrap();
    let mut main = String::from(
        r#"def hexed(text):
    return text.encode("utf-8").hex()

def line(read):
    if isinstance(read, dict):
        return ";".join(sorted(hexed(name) + "=" + ",".join(map(hexed, texts)) for name, texts in read.items()))
    return ";".join(" ".join([*map(hexed, one[:3]), str(one[3])]) for one in read)

def lines(file, decode):
    for value in open(file).read().split("\n"):
        try:
            print(line(decode(bytes.fromhex(value))))
        except ValueError:
            print("error")

"#,
    );
    for (at, case) in cases().iter().enumerate() {
        case.write_values(folder.path(), at);
        fs::write(folder.path().join(format!("case_{at}.py")), case.code(Lang::Python)).unwrap();
        writeln!(main, "import case_{at}\nlines('values_{at}', case_{at}.decode_value)").unwrap();
    }
    fs::write(folder.path().join("main.py"), main).unwrap();
    compare(&folder, "python3", &["main.py"]);
}

fn node() {
    let folder = tempfile::tempdir().unwrap();
    let mut main = String::from(
        r"import fs from 'node:fs';
const hexed = (text) => Buffer.from(text, 'utf8').toString('hex');
const line = (read) => Array.isArray(read)
  ? read.map((one) => [...one.slice(0, 3).map(hexed), one[3]].join(' ')).join(';')
  : Object.entries(read).map(([name, texts]) => hexed(name) + '=' + texts.map(hexed).join(',')).sort().join(';');
const lines = (file, decode) => {
  for (const value of fs.readFileSync(file, 'utf8').split('\n')) {
    try { console.log(line(decode(Buffer.from(value, 'hex')))); } catch { console.log('error'); }
  }
};
",
    );
    for (at, case) in cases().iter().enumerate() {
        case.write_values(folder.path(), at);
        fs::write(folder.path().join(format!("case_{at}.mjs")), case.code(Lang::Node)).unwrap();
        writeln!(main, "lines('values_{at}', (await import('./case_{at}.mjs')).decodeValue);").unwrap();
    }
    fs::write(folder.path().join("main.mjs"), main).unwrap();
    compare(&folder, "node", &["main.mjs"]);
}

fn rust() {
    let folder = tempfile::tempdir().unwrap();
    let (mut main, mut calls) = (String::new(), String::new());
    for (at, case) in cases().iter().enumerate() {
        case.write_values(folder.path(), at);
        let code = format!("{}{}", case.code(Lang::Rust), if case.is_event() { EVENT } else { COUNTS });
        fs::write(folder.path().join(format!("case_{at}.rs")), code).unwrap();
        writeln!(main, "mod case_{at};").unwrap();
        writeln!(calls, "    lines(\"values_{at}\", case_{at}::line);").unwrap();
    }
    main.push_str(
        r#"
fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn lines(file: &str, line: fn(&[u8]) -> Option<String>) {
    for value in std::fs::read_to_string(file).unwrap().split('\n') {
        let digit = |at: usize| u8::from_str_radix(&value[2 * at..2 * at + 2], 16).unwrap();
        let value: Vec<u8> = (0..value.len() / 2).map(digit).collect();
        println!("{}", line(&value).unwrap_or_else(|| "error".into()));
    }
}

"#,
    );
    writeln!(main, "fn main() {{\n{calls}}}").unwrap();
    fs::write(folder.path().join("main.rs"), main).unwrap();
    run(folder.path(), "rustc", &["--edition", "2024", "main.rs", "-o", "main"]);
    compare(&folder, "./main", &[]);
}

fn go() {
    let folder = tempfile::tempdir().unwrap();
    let (mut imports, mut calls) = (String::new(), String::new());
    for (at, case) in cases().iter().enumerate() {
        case.write_values(folder.path(), at);
        let (line, sort) = if case.is_event() { (GO_EVENT, "\"slices\"; ") } else { (GO_COUNTS, "") };
        let head = format!("package case{at}\n\nimport (\"errors\"; \"fmt\"; {sort}\"strings\")\n\n");
        fs::create_dir(folder.path().join(format!("case{at}"))).unwrap();
        fs::write(
            folder.path().join(format!("case{at}/decode.go")),
            format!("{head}{}{line}", case.code(Lang::Go)),
        )
        .unwrap();
        writeln!(imports, "\t\"values/case{at}\"").unwrap();
        writeln!(calls, "\tlines(\"values_{at}\", case{at}.Line)").unwrap();
    }
    let lines = r#"
func lines(file string, line func([]byte) (string, error)) {
	values, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	for _, value := range strings.Split(string(values), "\n") {
		bytes, err := hex.DecodeString(value)
		if err != nil {
			panic(err)
		}
		text, err := line(bytes)
		if err != nil {
			text = "error"
		}
		fmt.Println(text)
	}
}
"#;
    let head = format!(
        "package main\n\nimport (\n\t\"encoding/hex\"\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n{imports})\n"
    );
    fs::write(folder.path().join("main.go"), format!("{head}{lines}\nfunc main() {{\n{calls}}}\n")).unwrap();
    fs::write(folder.path().join("go.mod"), "module values\ngo 1.22\n").unwrap();
    compare(&folder, "go", &["run", "."]);
}

fn java() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ByteString.java"), BYTE_STRING).unwrap();
    let mut calls = String::new();
    let mut arguments = vec!["-encoding".to_string(), "ascii".into(), "Main.java".into()];
    for (at, case) in cases().iter().enumerate() {
        case.write_values(folder.path(), at);
        let line = if case.is_event() { JAVA_EVENT } else { JAVA_COUNTS };
        let head = format!(
            "import java.util.ArrayList;\nimport java.util.List;\npublic final class Queries {{\n{line}\n"
        );
        let code = format!("{head}{}", case.code(Lang::Java)).replace("Queries", &format!("Case{at}"));
        fs::write(folder.path().join(format!("Case{at}.java")), code).unwrap();
        writeln!(calls, "        lines(\"values_{at}\", Case{at}::line);").unwrap();
        arguments.push(format!("Case{at}.java"));
    }
    let lines = r#"
    static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    static void lines(String file, Function<byte[], String> line) throws Exception {
        for (String value : Files.readString(Path.of(file)).split("\n", -1)) {
            String text;
            try { text = line.apply(HexFormat.of().parseHex(value)); } catch (RuntimeException e) { text = "error"; }
            System.out.println(text);
        }
    }
"#;
    let head = "import java.nio.file.*;\nimport java.util.HexFormat;\nimport java.util.function.Function;\npublic class Main {";
    let main = format!(
        "{head}{lines}    public static void main(String[] a) throws Exception {{\n{calls}    }}\n}}\n"
    );
    fs::write(folder.path().join("Main.java"), main).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(folder.path(), "javac", &arguments);
    compare(&folder, "java", &["-cp", ".", "Main"]);
}
