//! Progress bars of long work, on terminals.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

/// The delay before a bar appears. Shorter work shows none.
const SHOWN_AFTER: Duration = Duration::from_millis(500);

/// Creates a bar for work of a known or unknown length. It disappears when the work is finished.
/// (Nothing is drawn when messages are redirected to a file, or on a dumb terminal.)
pub fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
    let bar = bar.with_style(style).with_finish(ProgressFinish::AndClear);
    let later = bar.downgrade();
    thread::spawn(move || {
        thread::sleep(SHOWN_AFTER);
        if let Some(bar) = later.upgrade()
            && !bar.is_finished()
        {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    });
    bar
}
