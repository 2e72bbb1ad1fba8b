//! Progress bars of long work, on terminals.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// The delay of a bar. Shorter work shows none.
const SHOWN_AFTER: Duration = Duration::from_millis(500);

/// Reports whether escape sequences may be printed: not if `NO_COLOR` is set, nor on a dumb terminal.
pub fn escapes_are_enabled() -> bool {
    are_wanted(|name| std::env::var(name).ok())
}

fn are_wanted(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("NO_COLOR").is_none_or(|value| value.is_empty()) && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Makes a bar for work of a known length, or of an unknown one. It disappears when the work is done. (Nothing is drawn when
/// messages are redirected to a file.)
pub fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
    let bar = bar.with_style(style).with_finish(ProgressFinish::AndClear);
    if escapes_are_enabled() {
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
    fn escapes_are_omitted_where_the_environment_forbids_them() {
        let wanted = |variables: &[(&str, &str)]| {
            are_wanted(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| String::from(*value)))
        };
        assert!(wanted(&[]) && wanted(&[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!wanted(&[("TERM", "dumb")]) && !wanted(&[("NO_COLOR", "1"), ("TERM", "xterm")]));
    }
}
