//! Bars of work that takes a while, where somebody looks at them.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// Work that is done before shows no bar.
const SHOWN_AFTER: Duration = Duration::from_millis(500);

/// Whether a terminal may be sent more than text: not where `NO_COLOR` is set, nor to a dumb terminal.
pub fn escapes_are_wanted() -> bool {
    are_wanted(|name| std::env::var(name).ok())
}

fn are_wanted(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("NO_COLOR").is_none_or(|value| value.is_empty()) && variable("TERM").is_none_or(|term| term != "dumb")
}

/// A bar of `length` things, or of something whose end is not known. It goes when the work is done. (None is drawn where nobody
/// looks at it: when messages go to a file.)
pub fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template(template).expect("a template of ours is right").progress_chars("=> ");
    let bar = bar.with_style(style).with_finish(ProgressFinish::AndClear);
    if escapes_are_wanted() {
        let later = bar.downgrade();
        thread::spawn(move || {
            thread::sleep(SHOWN_AFTER);
            if let Some(bar) = later.upgrade()
                && !bar.is_finished()
            {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        });
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_no_escapes_gets_none() {
        let wanted = |variables: &[(&str, &str)]| {
            are_wanted(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| String::from(*value)))
        };
        assert!(wanted(&[]) && wanted(&[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!wanted(&[("TERM", "dumb")]) && !wanted(&[("NO_COLOR", "1"), ("TERM", "xterm")]));
    }
}
