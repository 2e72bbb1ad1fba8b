//! Programs that make the keys of many events with exported code, one program per language.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tabletop_export::Lang;
use tempfile::TempDir;

use crate::programs::run;

/// The texts of the fields that an event has.
pub type Event = BTreeMap<String, String>;

/// Events, and the code of functions that each make a key of each event.
pub struct KeySet {
    pub events: Vec<Event>,
    /// For a language, the code of each function.
    pub code: Box<dyn Fn(Lang) -> Vec<String>>,
}

/// Returns a line for each function of each set, and each of its events: the key in hexadecimal
/// digits, or "error".
pub fn keys(lang: Lang, sets: &[KeySet]) -> String {
    let folder = tempfile::tempdir().unwrap();
    keys_in(&folder, lang, sets)
}

/// Returns these lines, and leaves the program in a folder.
pub fn keys_in(folder: &TempDir, lang: Lang, sets: &[KeySet]) -> String {
    let path = folder.path();
    match lang {
        Lang::Python => python(path, sets),
        Lang::Node => node(path, sets),
        Lang::Java => java(path, sets),
        Lang::Rust => rust(path, sets),
        Lang::Go => go(path, sets),
    }
}

/// Calls `each` with a number for each function, the number of its set, and its code.
fn each_function(lang: Lang, sets: &[KeySet], mut each: impl FnMut(usize, usize, String)) {
    let functions = sets
        .iter()
        .enumerate()
        .flat_map(|(set, of)| (of.code)(lang).into_iter().map(move |code| (set, code)));
    functions.enumerate().for_each(|(at, (set, code))| each(at, set, code));
}

/// Writes the events of each set to a file, one event per line.
fn write_events(folder: &Path, sets: &[KeySet]) {
    for (at, set) in sets.iter().enumerate() {
        let lines: Vec<String> =
            set.events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        fs::write(folder.join(format!("events_{at}.jsonl")), lines.join("\n")).unwrap();
    }
}

fn python(folder: &Path, sets: &[KeySet]) -> String {
    write_events(folder, sets);
    let mut main = String::from(
        "import json\ndef keys(events, row_key):\n    for line in open(events, encoding='utf-8'):\n        try:\n            \
         print(row_key(json.loads(line)).hex())\n        except ValueError:\n            print('error')\n",
    );
    each_function(Lang::Python, sets, |at, set, code| {
        fs::write(folder.join(format!("row_key_{at}.py")), code).unwrap();
        writeln!(main, "from row_key_{at} import row_key\nkeys('events_{set}.jsonl', row_key)").unwrap();
    });
    fs::write(folder.join("main.py"), main).unwrap();
    run(folder, "python3", &["main.py"])
}

fn node(folder: &Path, sets: &[KeySet]) -> String {
    write_events(folder, sets);
    let mut main = String::from(
        "import fs from 'node:fs';\nconst keys = (file, rowKey) => { for (const line of fs.readFileSync(file, 'utf8').split('\\n')) { try { \
         console.log(rowKey(JSON.parse(line)).toString('hex')); } catch { console.log('error'); } } };\n",
    );
    each_function(Lang::Node, sets, |at, set, code| {
        fs::write(folder.join(format!("row_key_{at}.mjs")), code).unwrap();
        writeln!(main, "keys('events_{set}.jsonl', (await import('./row_key_{at}.mjs')).rowKey);").unwrap();
    });
    fs::write(folder.join("main.mjs"), main).unwrap();
    run(folder, "node", &["main.mjs"])
}

fn java(folder: &Path, sets: &[KeySet]) -> String {
    let mut main = String::from(
        "import java.nio.file.*;\nimport java.util.*;\nimport java.util.function.*;\npublic class Main {\n\
         static void keys(String file, Function<Map<String, String>, byte[]> rowKey) throws Exception {\n for (var event : events(file)) { try { \
         System.out.println(HexFormat.of().formatHex(rowKey.apply(event))); } catch (IllegalArgumentException | java.time.DateTimeException e) { \
         System.out.println(\"error\"); } } }\n\
         static List<Map<String, String>> events(String file) throws Exception {\n List<Map<String, String>> events = new ArrayList<>();\n for \
         (String line : Files.readAllLines(Path.of(file))) { Map<String, String> event = new HashMap<>(); if (!line.isEmpty()) for (String pair : \
         line.split(\",\")) { String[] sides = pair.split(\":\", -1); event.put(text(sides[0]), text(sides[1])); } events.add(event); }\n return \
         events; }\n\
         static String text(String hex) { return new String(HexFormat.of().parseHex(hex), java.nio.charset.StandardCharsets.UTF_8); }\n\
         public static void main(String[] a) throws Exception {\n",
    );
    // Java has no JSON parser.
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = |event: &Event| {
        event
            .iter()
            .map(|(name, text)| format!("{}:{}", hex(name), hex(text)))
            .collect::<Vec<String>>()
            .join(",")
    };
    for (at, set) in sets.iter().enumerate() {
        let lines: Vec<String> = set.events.iter().map(line).collect();
        fs::write(folder.join(format!("events_{at}.hex")), lines.join("\n")).unwrap();
    }
    let mut arguments = vec!["-encoding".to_string(), "ascii".into(), "Main.java".into()];
    each_function(Lang::Java, sets, |at, set, code| {
        fs::create_dir(folder.join(format!("case{at}"))).unwrap();
        fs::write(folder.join(format!("case{at}/RowKey.java")), format!("package case{at};\n{code}"))
            .unwrap();
        writeln!(main, "keys(\"events_{set}.hex\", case{at}.RowKey::rowKey);").unwrap();
        arguments.push(format!("case{at}/RowKey.java"));
    });
    main.push_str("}\n}\n");
    fs::write(folder.join("Main.java"), main).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(folder, "javac", &arguments);
    run(folder, "java", &["-cp", ".", "Main"])
}

fn rust(folder: &Path, sets: &[KeySet]) -> String {
    let mut main = String::from("use std::collections::HashMap;\n");
    let (mut calls, mut called) = (String::new(), None);
    each_function(Lang::Rust, sets, |at, set, code| {
        fs::write(folder.join(format!("case_{at}.rs")), code).unwrap();
        writeln!(main, "mod case_{at};").unwrap();
        if called.replace(set) != Some(set) {
            writeln!(calls, "let events = events_{set}();").unwrap();
        }
        writeln!(calls, "keys(&events, case_{at}::row_key);").unwrap();
    });
    write!(
        main,
        "fn keys(events: &[HashMap<String, String>], row_key: fn(&HashMap<String, String>) -> Result<Vec<u8>, String>) {{\n for event in events {{ \
         match row_key(event) {{ Ok(key) => println!(\"{{}}\", key.iter().map(|byte| format!(\"{{byte:02x}}\")).collect::<String>()), Err(_) => \
         println!(\"error\") }} }} }}\nfn event(pairs: &[(&str, &str)]) -> HashMap<String, String> {{ pairs.iter().map(|(name, text)| \
         (name.to_string(), text.to_string())).collect() }}\n"
    )
    .unwrap();
    for (at, set) in sets.iter().enumerate() {
        writeln!(main, "fn events_{at}() -> Vec<HashMap<String, String>> {{ vec![").unwrap();
        for event in &set.events {
            let pairs: Vec<String> =
                event.iter().map(|(name, text)| format!("({name:?}, {text:?})")).collect();
            writeln!(main, "event(&[{}]),", pairs.join(", ")).unwrap();
        }
        main.push_str("] }\n");
    }
    writeln!(main, "fn main() {{\n{calls}}}").unwrap();
    fs::write(folder.join("main.rs"), main).unwrap();
    run(folder, "rustc", &["--edition", "2024", "-D", "warnings", "main.rs", "-o", "main"]);
    run(folder, "./main", &[])
}

fn go(folder: &Path, sets: &[KeySet]) -> String {
    write_events(folder, sets);
    let mut main = String::from("package main\nimport (\"bufio\"; \"encoding/json\"; \"fmt\"; \"os\"\n");
    let mut calls = String::new();
    each_function(Lang::Go, sets, |at, set, code| {
        fs::create_dir(folder.join(format!("case{at}"))).unwrap();
        fs::write(folder.join(format!("case{at}/row_key.go")), code).unwrap();
        writeln!(main, "case{at} \"keys/case{at}\"").unwrap();
        writeln!(calls, "keys(\"events_{set}.jsonl\", case{at}.RowKey)").unwrap();
    });
    write!(
        main,
        ")\nfunc keys(name string, rowKey func(map[string]string) ([]byte, error)) {{\nfile, _ := os.Open(name)\nlines := \
         bufio.NewScanner(file)\nfor lines.Scan() {{ event := map[string]string{{}}; if json.Unmarshal(lines.Bytes(), &event) != nil {{ panic(1) \
         }}; key, err := rowKey(event); if err != nil {{ fmt.Println(\"error\") }} else {{ fmt.Printf(\"%x\\n\", key) }} }} }}\nfunc main() \
         {{\n{calls}}}\n"
    )
    .unwrap();
    fs::write(folder.join("main.go"), main).unwrap();
    fs::write(folder.join("go.mod"), "module keys\ngo 1.22\n").unwrap();
    run(folder, "go", &["run", "."])
}
