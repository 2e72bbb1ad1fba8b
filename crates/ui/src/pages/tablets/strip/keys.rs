//! The keys of the strip.

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Moves the cursor to the tablet at this position.
    To(usize),
    /// Chooses the tablet at this position, or no tablet if it is already chosen.
    Choose(usize),
    /// Chooses no tablet.
    LetGo,
}

/// Returns the effect of a key in a strip of `count` tablets with the cursor at `at`; `None` for
/// keys that the browser handles.
pub fn step(key: &str, at: Option<usize>, count: usize) -> Option<Step> {
    let last = count.checked_sub(1)?;
    Some(match (key, at) {
        ("ArrowRight" | "ArrowDown", at) => Step::To(at.map_or(0, |at| (at + 1).min(last))),
        ("ArrowLeft" | "ArrowUp", at) => Step::To(at.map_or(last, |at| at.saturating_sub(1))),
        ("PageDown", at) => Step::To((at.unwrap_or(0) + 10).min(last)),
        ("PageUp", at) => Step::To(at.unwrap_or(0).saturating_sub(10)),
        ("Home", _) => Step::To(0),
        ("End", _) => Step::To(last),
        ("Enter" | " ", Some(at)) => Step::Choose(at),
        ("Escape", _) => Step::LetGo,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_in_the_strip() {
        for (key, at, expected) in [
            ("ArrowRight", None, Some(Step::To(0))),
            ("ArrowRight", Some(4), Some(Step::To(4))),
            ("ArrowLeft", None, Some(Step::To(4))),
            ("ArrowLeft", Some(0), Some(Step::To(0))),
            ("PageDown", Some(1), Some(Step::To(4))),
            ("PageUp", None, Some(Step::To(0))),
            ("End", Some(2), Some(Step::To(4))),
            ("Enter", None, None),
            (" ", Some(2), Some(Step::Choose(2))),
            ("Escape", None, Some(Step::LetGo)),
            ("a", Some(2), None),
        ] {
            assert_eq!(step(key, at, 5), expected, "{key} at {at:?}");
        }
        assert_eq!(step("Home", None, 0), None, "there is no tablet");
    }
}
