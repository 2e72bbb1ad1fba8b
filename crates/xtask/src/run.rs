//! Finds, runs and times other programs, and reads and copies files.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;

/// Makes a command in the workspace's folder that never waits for input.
pub fn command(program: impl Into<OsString>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.into());
    command.args(arguments).current_dir(crate::root()).stdin(Stdio::null());
    command
}

/// Makes a call of the cargo that runs this program.
pub fn cargo(arguments: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Runs a command to its end and shows its output.
///
/// # Errors
/// When it cannot be started or ends with a failure.
pub fn run(mut command: Command) -> Result<()> {
    let line = show(&command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed ({status})")),
        Err(error) => Err(format!("`{line}` could not be started: {error}")),
    }
}

/// Runs a command to its end, shows its output, and passes each line of its standard output to
/// `read`.
///
/// # Errors
/// When it cannot be started or ends with a failure.
pub fn run_and_read(mut command: Command, mut read: impl FnMut(&str)) -> Result<()> {
    let line = show(&command);
    let failed = |error: io::Error| format!("`{line}` could not be run: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut output = BufReader::new(child.stdout.take().ok_or_else(|| format!("`{line}` has no output"))?);
    let mut bytes = Vec::new();
    while output.read_until(b'\n', &mut bytes).map_err(failed)? > 0 {
        // A reader of our output that has gone does not end the command.
        io::stdout().write_all(&bytes).ok();
        read(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed ({status})")),
        Err(error) => Err(failed(error)),
    }
}

/// Returns the output of a command such as `--version`; `None` if it does not exist or fails.
pub fn ask(mut command: Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Finds the first of these programs on the given search path.
pub fn find(names: &[&str], path: &OsString) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        let name = Path::new(name);
        if name.is_absolute() {
            return name.is_file().then(|| name.to_path_buf());
        }
        // On Windows, the programs of npm are scripts.
        let kinds: &[&str] = if cfg!(windows) { &["exe", "cmd"] } else { &[""] };
        std::env::split_paths(path)
            .flat_map(|folder| kinds.iter().map(move |kind| folder.join(name).with_extension(kind)))
            .find(|file| file.is_file())
    })
}

/// Does some work, and prints its name before and its duration after it.
pub fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("xtask: {what} …");
    let start = Instant::now();
    let result = work();
    if result.is_ok() {
        eprintln!("xtask: {what}: done in {}", seconds(start.elapsed()));
    }
    result
}

/// Formats a duration: "7.3 s" or "2 min 5 s".
pub fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    if whole < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| cannot("read", path, &error))
}

/// Writes a text file, and creates its folder if it does not exist.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| cannot("write", path, &error))
}

/// Returns the paths of the files and folders in a folder, in the order of their names.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| cannot("list", folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Copies a file, or a folder with its content, and creates missing folders above the target.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        let copied = |path: PathBuf| copy(&path, &to.join(path.file_name().unwrap_or_default()));
        return files_in(from)?.into_iter().try_for_each(copied);
    }
    let folder = to.parent().unwrap_or(to);
    let copied = std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(from, to));
    copied.map(drop).map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))
}

/// Returns cargo's target folder.
pub fn target_folder() -> Result<PathBuf> {
    let facts = ask(cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap_or_default();
    target_of(&facts).ok_or_else(|| "cargo metadata does not name the target folder".to_string())
}

/// Returns the target folder in the output of `cargo metadata`.
fn target_of(facts: &str) -> Option<PathBuf> {
    let facts: serde_json::Value = serde_json::from_str(facts).ok()?;
    facts["target_directory"].as_str().map(PathBuf::from)
}

fn cannot(verb: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {verb} {}: {error}", path.display())
}

fn show(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_failures_reported() {
        let mut lines = Vec::new();
        assert_eq!(run_and_read(cargo(&["--version"]), |line| lines.push(line.to_string())), Ok(()));
        assert!(
            matches!(&lines[..], [line] if line.starts_with("cargo ") && line.ends_with('\n')),
            "{lines:?}"
        );
        let failed = run_and_read(cargo(&["no-such-command"]), |_| {}).unwrap_err();
        assert!(failed.starts_with("`cargo no-such-command` failed"), "{failed}");
    }

    #[test]
    fn the_target_folder_may_have_backslashes_and_quotes() {
        let facts = r#"{"packages":[],"target_directory":"C:\\Users\\\"A\"\\target","version":1}"#;
        assert_eq!(target_of(facts), Some(PathBuf::from(r#"C:\Users\"A"\target"#)));
        assert_eq!(target_of("not JSON"), None);
        assert_eq!(target_of("{}"), None);
    }
}
