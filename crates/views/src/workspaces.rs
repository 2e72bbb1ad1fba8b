//! The list of saved workspaces: what it shows of each, without reading the workspace itself.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use tabletop_workspace::{Source, Workspace};

/// The maximum number of characters of a name that the user can choose.
pub const WORKSPACE_NAME_CHARS_MAX: usize = 80;

/// A line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkspaceLine {
    /// The id of the workspace.
    pub id: String,
    /// The description, or why its text is not a workspace.
    pub about: Result<About, String>,
}

/// What the list shows of a workspace. It is stored next to the workspace, as a text.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Length of the workspace's text in UTF-16 units. If the text has another length, another page
    /// has saved it, and this is out of date.
    pub units: usize,
    /// The time of the last change, in milliseconds since 1970; 0 if it is not known.
    pub changed_millis: f64,
    /// The number of designs.
    pub designs: u64,
    /// The source of the events.
    pub events: AboutEvents,
    /// The workspace's name.
    pub name: String,
}

/// The source of a workspace's events.
#[derive(Clone, Debug, PartialEq)]
pub enum AboutEvents {
    /// This many generated events.
    Generated(u64),
    /// A sample with this name.
    Sample(String),
    /// The user's own file with this name.
    Own(String),
}

impl About {
    /// Describes a workspace whose text has this length.
    pub fn new(workspace: &Workspace, units: usize, changed_millis: f64) -> About {
        let events = match &workspace.source {
            Source::Generated(settings) => AboutEvents::Generated(settings.events.into()),
            Source::Sample(name) => AboutEvents::Sample(plain(name)),
            Source::Own(own) => AboutEvents::Own(plain(&own.name)),
        };
        let designs = workspace.designs.iter().filter(|design| design.index_of.is_none()).count() as u64;
        About { units, changed_millis, designs, events, name: plain(&workspace.name) }
    }

    /// Reads the text that [`fmt::Display`] writes; `None` for any other.
    pub fn read(text: &str) -> Option<About> {
        let mut parts = text.splitn(7, '\t');
        let mut next = || parts.next();
        if next()? != VERSION {
            return None;
        }
        let (units, changed_millis, designs) =
            (next()?.parse().ok()?, next()?.parse().ok()?, next()?.parse().ok()?);
        let (kind, source, name) = (next()?, next()?, next()?);
        let events = match kind {
            "generated" => AboutEvents::Generated(source.parse().ok()?),
            "sample" => AboutEvents::Sample(source.into()),
            "own" => AboutEvents::Own(source.into()),
            _ => return None,
        };
        Some(About { units, changed_millis, designs, events, name: name.into() })
    }
}

/// The first part of the text.
const VERSION: &str = "1";

impl fmt::Display for About {
    /// Writes version, length, time, designs, kind of the source, source and name, divided by tabs.
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let (kind, source) = match &self.events {
            AboutEvents::Generated(events) => ("generated", events.to_string()),
            AboutEvents::Sample(name) => ("sample", name.clone()),
            AboutEvents::Own(name) => ("own", name.clone()),
        };
        let About { units, changed_millis, designs, name, .. } = self;
        write!(out, "{VERSION}\t{units}\t{changed_millis}\t{designs}\t{kind}\t{source}\t{name}")
    }
}

/// A text on one line, without tabs.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Returns the lines whose names contain all words of a text, in any order and case.
pub fn lines_with(lines: &[WorkspaceLine], text: &str) -> Vec<WorkspaceLine> {
    let words: Vec<String> = text.to_lowercase().split_whitespace().map(String::from).collect();
    let has = |line: &&WorkspaceLine| {
        let name = line.about.as_ref().map_or(String::new(), |about| about.name.to_lowercase());
        words.iter().all(|word| name.contains(word))
    };
    lines.iter().filter(has).cloned().collect()
}

/// Returns `wanted` as a name, or with the first number that makes it unique in the list: `Shop`,
/// `Shop 2`, `Shop 3`.
pub fn free_name(lines: &[WorkspaceLine], wanted: &str) -> String {
    let is_taken =
        |name: &str| lines.iter().any(|line| line.about.as_ref().is_ok_and(|about| about.name == name));
    let wanted = plain(wanted);
    if !is_taken(&wanted) {
        return wanted;
    }
    // A copy of a copy is not `Shop 2 2`.
    let stem = match wanted.rsplit_once(' ') {
        Some((stem, number)) if number.parse::<u32>().is_ok() => stem,
        _ => &wanted,
    };
    (2..).map(|number: u32| format!("{stem} {number}")).find(|name| !is_taken(name)).unwrap_or(wanted.clone())
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use tabletop_workspace::OwnData;

    fn line(name: &str) -> WorkspaceLine {
        let workspace = Workspace { name: name.into(), ..Workspace::default() };
        WorkspaceLine { id: name.into(), about: Ok(About::new(&workspace, 7, 0.0)) }
    }

    #[test]
    fn what_is_written_is_read() {
        let own = OwnData {
            name: "a\tb.csv".into(),
            format: Default::default(),
            fields: vec![],
            on_bad_line: Default::default(),
            reading: Default::default(),
            content: None,
        };
        for source in [Workspace::default().source, Source::Sample("earthquakes".into()), Source::Own(own)] {
            let workspace =
                Workspace { name: "Orders,\t\"n\u{f6}w\"\n2".into(), source, ..Workspace::default() };
            let about = About::new(&workspace, 1_234, 1_795_000_000_123.0);
            assert_eq!((about.name.as_str(), about.designs), ("Orders, \"n\u{f6}w\" 2", 1));
            assert_eq!(About::read(&about.to_string()), Some(about));
        }
    }

    #[test]
    fn another_text_is_not_read() {
        let good = About::new(&Workspace::default(), 7, 0.0).to_string();
        assert!(About::read(&good).is_some());
        for text in [
            "",
            "1",
            "{}",
            &good.replacen('1', "2", 1),
            &good.replace("generated", "made"),
            &good.replace("\t7\t", "\t-\t"),
        ] {
            assert_eq!(About::read(text), None, "{text}");
        }
        // A name may be empty, but not missing.
        assert!(About::read(good.strip_suffix("Untitled").expect("the name is last")).is_some());
        assert_eq!(About::read(good.strip_suffix("\tUntitled").expect("the name is last")), None);
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let lines = ["Shop", "Shop 2", "Shop 4", "2026", "a"].map(line);
        for (wanted, free) in [
            ("Other", "Other"),
            ("Shop", "Shop 3"),
            ("Shop 2", "Shop 3"),
            ("Shop 4", "Shop 3"),
            ("2026", "2026 2"),
        ] {
            assert_eq!(free_name(&lines, wanted), free);
        }
    }

    #[test]
    fn lines_are_found_by_words() {
        let lines = ["Orders of a shop", "Sensors"].map(line);
        let found = |text: &str| lines_with(&lines, text).into_iter().map(|line| line.id).collect::<Vec<_>>();
        assert_eq!(found(" shop ORD"), ["Orders of a shop"]);
        assert_eq!(found("sors"), ["Sensors"]);
        assert_eq!(found("").len(), 2);
        assert!(found("shop sensors").is_empty());
    }
}
