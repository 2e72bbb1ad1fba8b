//! Shortens names that are too long when a workspace is read: an earlier build of the page accepted
//! them, and a workspace that cannot be opened would be lost work.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{QUERY_NAME_CHARS_MAX, Workspace};
use crate::{STREAM_NAME_CHARS_MAX, StreamKind};

impl Workspace {
    /// Shortens the names of access patterns and streams that [`Workspace::check`] would refuse
    /// because of their length.
    #[inline(never)]
    pub(super) fn shorten_names(&mut self) {
        let patterns =
            shorten(self.queries.iter_mut().map(|named| &mut named.name).collect(), QUERY_NAME_CHARS_MAX);
        let Some(traffic) = self.traffic.as_deref_mut() else { return };
        shorten(traffic.streams.iter_mut().map(|stream| &mut stream.name).collect(), STREAM_NAME_CHARS_MAX);
        for stream in &mut traffic.streams {
            if let StreamKind::Pattern(of) = &mut stream.what
                && let Some((_, short)) = patterns.iter().find(|(long, _)| long == of)
            {
                of.clone_from(short);
            }
        }
    }
}

/// Shortens each name that is longer than `most` characters to a unique name. Returns the long
/// names with the short ones.
fn shorten(mut names: Vec<&mut String>, most: usize) -> Vec<(String, String)> {
    let mut changed = Vec::new();
    for at in 0..names.len() {
        if names[at].chars().count() <= most {
            continue;
        }
        let cut = |room: usize| names[at].chars().take(room).collect::<String>();
        let numbered = (2..).map(|number: u32| {
            let number = format!(" {number}");
            format!("{}{number}", cut(most - number.len()))
        });
        let is_free = |name: &String| names.iter().all(|other| **other != *name);
        let free = core::iter::once(cut(most)).chain(numbered).find(is_free);
        let Some(short) = free else { continue };
        changed.push((core::mem::replace(names[at], short.clone()), short));
    }
    changed
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{NamedQuery, ScalingKeys, StorageMedium, Traffic};

    #[test]
    fn a_workspace_with_names_that_are_too_long_is_read_with_short_ones() {
        let mut workspace = Workspace::default();
        let long = ["x".repeat(101), "x".repeat(150), "\u{e9}".repeat(100)];
        workspace.queries = long.iter().map(|name| NamedQuery::new(name, workspace.query.clone())).collect();
        let mut traffic = Traffic::scaling(ScalingKeys::OneRow, 1, None, StorageMedium::Ssd);
        traffic.streams[0].name = "s".repeat(101);
        traffic.streams[0].what = StreamKind::Pattern(long[1].clone());
        workspace.traffic = Some(traffic.into());
        assert!(workspace.check().is_err());
        let read = Workspace::from_json(&workspace.to_json()).expect("only its names are too long");
        let names: Vec<&str> = read.queries.iter().map(|named| named.name.as_str()).collect();
        let second = format!("{} 2", "x".repeat(98));
        assert_eq!(names, vec![&"x".repeat(100), &second, &long[2]]);
        let stream = &read.traffic.expect("it has traffic").streams[0];
        assert_eq!(
            (&*stream.name, &stream.what),
            (&*"s".repeat(100), &StreamKind::Pattern(second)),
            "it is of the same pattern"
        );
    }
}
