use super::*;

fn parsed(line: &str) -> std::result::Result<Task, String> {
    parse(Parser::from_args(line.split_whitespace()))
}

fn options(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[test]
fn commands_have_their_options() {
    let fuzz = |targets: &[&'static str], seconds| Task::Fuzz { targets: targets.to_vec(), seconds };
    let test = |kinds: &[Kind], name: Option<&str>| Task::Test {
        kinds: kinds.to_vec(),
        name: name.map(str::to_string),
    };
    let expected = [
        ("serve", Task::Serve(Serve { port: None, open: false })),
        ("serve --open --port 8080", Task::Serve(Serve { port: Some(8080), open: true })),
        ("serve --port=0", Task::Serve(Serve { port: Some(0), open: false })),
        ("dist", Task::Dist { public_url: "./".into() }),
        ("dist --public-url /a/", Task::Dist { public_url: "/a/".into() }),
        ("format", Task::Format),
        ("check", Task::Check),
        ("test", test(&Kind::ALL, None)),
        ("test e2e", test(&[Kind::EndToEnd], None)),
        ("test native wal", test(&[Kind::Native], Some("wal"))),
        ("fuzz", fuzz(&fuzz::TARGETS, 600)),
        ("fuzz filter --seconds 5", fuzz(&["filter"], 5)),
        ("fuzz --input a/b shell", Task::FuzzInput { target: "shell", input: "a/b".into() }),
        ("clients", Task::Clients { name: None }),
        ("clients python", Task::Clients { name: Some("python".into()) }),
        ("soak", Task::Soak { seconds: 600, seed: None }),
        ("soak --minutes 2 --seed 7", Task::Soak { seconds: 120, seed: Some(7) }),
        ("profile", Task::Profile),
        ("pictures", Task::Pictures { options: options(&[]) }),
        ("pictures a/b share", Task::Pictures { options: options(&["a/b", "share"]) }),
        ("bench", Task::Bench { options: options(&[]) }),
        ("bench --json a.json", Task::Bench { options: options(&["--json", "a.json"]) }),
        (
            "bench engine",
            Task::BenchEngine(Comparison { natively: true, in_browser: true, options: options(&[]) }),
        ),
        (
            "bench engine --only native --events 1_000 --cache 64 --tables wide,row",
            Task::BenchEngine(Comparison {
                natively: true,
                in_browser: false,
                options: options(&[
                    "--only", "native", "--events", "1000", "--cache", "64", "--tables", "wide,row",
                ]),
            }),
        ),
        ("bench serve --rows 1,000", Task::BenchServe { options: options(&["--rows", "1000"]) }),
        ("bench serve --only page", Task::BenchServe { options: options(&["--only", "page"]) }),
        (
            "bench large --gigabytes 10 --values=words",
            Task::BenchLarge { options: options(&["--gigabytes", "10", "--values", "words"]) },
        ),
        ("styles", Task::Styles),
        ("csp", Task::Csp),
    ];
    for (line, task) in expected {
        assert_eq!(parsed(line), Ok(task), "{line}");
    }
}

#[test]
fn help_is_for_all_commands_or_one() {
    for line in ["", "help", "--help", "-h"] {
        assert_eq!(parsed(line), Ok(Task::Help(None)), "{line}");
    }
    for line in ["bench engine --help", "bench engine --rounds 3 -h", "help bench engine"] {
        assert_eq!(parsed(line), Ok(Task::Help(Some("bench engine"))), "{line}");
    }
    assert!(
        help_text(Some("dist")).starts_with("cargo xtask dist [--public-url URL]\n    build the static site")
    );
    assert!(
        COMMANDS
            .iter()
            .all(|command| help_text(None).contains(command.help.lines().next().unwrap_or_default()))
    );
}

#[test]
fn an_error_names_the_argument_and_the_usage() {
    let serve = "\nusage: cargo xtask serve [--port N] [--open]";
    let expected = [
        ("serve --prot 1", format!("xtask serve: invalid option '--prot'{serve}")),
        ("serve --port", format!("xtask serve: missing argument for option '--port'{serve}")),
        (
            "serve --port 65536",
            format!("xtask serve: --port takes a number from 0 to 65535, not \"65536\"{serve}"),
        ),
        ("serve --open=yes", format!("xtask serve: unexpected argument for option '--open': \"yes\"{serve}")),
        ("check all", "xtask check: unexpected argument \"all\"\nusage: cargo xtask check".into()),
        (
            "test all",
            "xtask test: the kinds of tests are native, fuzz, wasm and e2e, not \"all\"\n\
             usage: cargo xtask test [native|fuzz|wasm|e2e [NAME]]"
                .into(),
        ),
        (
            "fuzz filter --seconds 0",
            "xtask fuzz: --seconds takes a number of at least 1, not 0\n\
             usage: cargo xtask fuzz [TARGET] [--seconds N] [--input FILE]"
                .into(),
        ),
        (
            "fuzz --input a",
            "xtask fuzz: --input needs the target that reads the file\n\
             usage: cargo xtask fuzz [TARGET] [--seconds N] [--input FILE]"
                .into(),
        ),
        (
            "bench serve --only native",
            "xtask bench serve: --only takes page, not \"native\"\n\
             usage: cargo xtask bench serve [--rows N] [--only page] [--json FILE]"
                .into(),
        ),
        ("serv", no_command("serv")),
        ("help serv", "xtask help: there is no command \"serv\"\nusage: cargo xtask help [COMMAND]".into()),
    ];
    for (line, message) in expected {
        assert_eq!(parsed(line), Err(message), "{line}");
    }
    let message = parsed("--open serve").unwrap_err();
    assert!(
        message.starts_with("xtask: invalid option '--open'; a command comes first: serve, dist, "),
        "{message}"
    );
}
