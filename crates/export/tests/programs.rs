//! The programs that run exported code, and what happens to a test on a machine that lacks its
//! program.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::Test;

pub const TESTS: &[Test] = &[Test::new(
    "programs::a_missing_program_fails_in_ci_unless_it_is_listed",
    a_missing_program_fails_in_ci_unless_it_is_listed,
)];

/// The comma-separated names of programs that a CI machine may lack.
const WITHOUT: &str = "TABLETOP_WITHOUT";

/// A program that compiles or runs exported code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Bash,
    Go,
    Java,
    Node,
    Python,
    Rust,
}

/// What happens to a test.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    Run,
    /// The test is reported as ignored, for this reason.
    Skip(String),
    /// The test fails with this message.
    Fail(String),
}

impl Program {
    const ALL: [Program; 6] =
        [Program::Bash, Program::Go, Program::Java, Program::Node, Program::Python, Program::Rust];

    /// Returns its name in `TABLETOP_WITHOUT`.
    fn name(self) -> &'static str {
        match self {
            Program::Bash => "bash",
            Program::Go => "go",
            Program::Java => "java",
            Program::Node => "node",
            Program::Python => "python",
            Program::Rust => "rust",
        }
    }

    /// Returns what happens to a test that needs the program, on this machine and in its
    /// environment.
    pub fn fate(self) -> Fate {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let is_ci = !matches!(variable("CI").as_str(), "" | "false");
        self.fate_in(self.missing(), is_ci, &variable(WITHOUT))
    }

    fn fate_in(self, missing: Option<String>, is_ci: bool, without: &str) -> Fate {
        let mut listed = without.split(',').map(str::trim).filter(|name| !name.is_empty());
        let unknown = listed.clone().find(|name| Program::ALL.iter().all(|program| program.name() != *name));
        if let Some(name) = unknown {
            let known = Program::ALL.map(Program::name).join(", ");
            return Fate::Fail(format!("{WITHOUT} lists {name}; it may list {known}"));
        }
        let Some(missing) = missing else { return Fate::Run };
        if is_ci && !listed.any(|name| name == self.name()) {
            return Fate::Fail(format!("{missing}: install it, or list {} in {WITHOUT}", self.name()));
        }
        Fate::Skip(missing)
    }

    /// Returns what the machine lacks, or `None` if it has the program.
    fn missing(self) -> Option<String> {
        let commands: &[[&str; 2]] = match self {
            Program::Bash => &[["bash", "--version"]],
            Program::Go => &[["go", "version"]],
            Program::Java => &[["javac", "-version"], ["java", "-version"]],
            Program::Node => &[["node", "--version"]],
            Program::Python => &[["python3", "--version"]],
            Program::Rust => &[["rustc", "--version"]],
        };
        let is_there = |[program, argument]: &[&str; 2]| {
            let mut command = Command::new(program);
            command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        match commands.iter().find(|command| !is_there(command)) {
            Some([program, _]) => Some(format!("no {program}")),
            None if self == Program::Go => old_go(&run(Path::new("."), "go", &["env", "GOVERSION"])),
            None => None,
        }
    }
}

/// Exported code calls `slices.Concat`, which Go 1.22 added.
fn old_go(version: &str) -> Option<String> {
    let minor =
        version.trim().strip_prefix("go1.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    minor.filter(|minor| *minor < 22).map(|minor| format!("no go 1.22, only 1.{minor}"))
}

/// Runs a program to its end, and returns its output.
pub fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// A missing program skips its tests on a developer's machine and fails them in CI, unless it is
/// listed there.
fn a_missing_program_fails_in_ci_unless_it_is_listed() {
    let missing = || Some("no go".to_string());
    let fate = |missing, is_ci, without| Program::Go.fate_in(missing, is_ci, without);
    assert_eq!(fate(missing(), false, ""), Fate::Skip("no go".into()));
    assert_eq!(fate(missing(), true, "java, go"), Fate::Skip("no go".into()));
    let fails = |without| match fate(missing(), true, without) {
        Fate::Fail(why) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(fails(""), "no go: install it, or list go in TABLETOP_WITHOUT");
    assert_eq!(fails("java"), fails(""));
    assert!(fails("golang").starts_with("TABLETOP_WITHOUT lists golang; it may list bash, go"));
    assert_eq!(fate(None, true, ""), Fate::Run);
    assert_eq!(fate(None, true, "go"), Fate::Run, "a program that is there is used");
    assert_eq!(old_go("go1.19.8\n"), Some("no go 1.22, only 1.19".into()));
    assert_eq!([old_go("go1.22\n"), old_go("go2.0"), old_go("devel")], [None, None, None]);
}
