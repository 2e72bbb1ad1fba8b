//! The rate of a load, which the user can change while it runs, and Ctrl-C.

use std::io::BufRead;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tabletop_keys::rate;
use tabletop_model::{Error, Result};
use tabletop_workspace::Traffic;
use tokio::runtime::Runtime;

use crate::commands::style::tell;

/// The longest line that is read from the terminal.
const LINE_BYTES_MAX: usize = 1_000;

/// A rate, of all streams together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rate {
    /// A multiple of the workspace's rate.
    Factor(f64),
    /// Requests per second, ignoring the schedules of streams.
    PerSecond(f64),
}

impl FromStr for Rate {
    type Err = String;

    /// Parses the option `--rate`: a plain number is a factor.
    fn from_str(text: &str) -> std::result::Result<Rate, String> {
        Rate::parse(text, Rate::Factor)
            .ok_or_else(|| "write a factor, 0.5 or 2x, or requests per second, 500/s".into())
    }
}

impl Rate {
    /// Parses what is typed while a load runs: a plain number is in requests per second.
    pub(super) fn typed(text: &str) -> Option<Rate> {
        Rate::parse(text, Rate::PerSecond)
    }

    fn parse(text: &str, alone: fn(f64) -> Rate) -> Option<Rate> {
        let text = text.trim();
        let (number, kind) = match (text.strip_suffix(['x', 'X']), text.strip_suffix("/s")) {
            (Some(number), _) => (number, Rate::Factor as fn(f64) -> Rate),
            (_, Some(number)) => (number, Rate::PerSecond as fn(f64) -> Rate),
            (None, None) => (text, alone),
        };
        let number = number.trim_end().replace(',', "").parse::<f64>().ok()?;
        (number.is_finite() && number >= 0.0).then(|| kind(number))
    }

    /// Returns the factor of a traffic's rates.
    pub(super) fn factor(self, base: &Traffic) -> f64 {
        match self {
            Rate::Factor(factor) => factor,
            Rate::PerSecond(wanted) => wanted / per_second(base).max(f64::MIN_POSITIVE),
        }
    }
}

/// Returns the requests per second of all streams, ignoring their schedules.
pub(super) fn per_second(traffic: &Traffic) -> f64 {
    traffic.streams.iter().map(|stream| stream.per_second).sum()
}

/// Returns a traffic with other rates.
///
/// # Errors
/// `InvalidArgument` when the rates exceed what a traffic can have.
pub(super) fn scaled(base: &Traffic, factor: f64) -> Result<Traffic> {
    let mut traffic = base.clone();
    traffic.streams.iter_mut().for_each(|stream| stream.per_second *= factor);
    traffic.check().map_err(|error| {
        let asked = rate(per_second(base) * factor);
        Error::invalid(format!("{asked} requests per second cannot be sent: {}", error.message))
    })?;
    Ok(traffic)
}

/// The user's wishes for a running load.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// The rate that was typed last, until it is taken.
    rate: Mutex<Option<Rate>>,
    /// How often Ctrl-C was pressed.
    stops: AtomicU32,
}

impl Control {
    /// Listens for Ctrl-C and for lines of the standard input.
    pub(super) fn start(runtime: &Runtime) -> Arc<Control> {
        let control = Arc::new(Control::default());
        let of_signals = control.clone();
        runtime.spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                if of_signals.stops.fetch_add(1, Ordering::Relaxed) == 0 {
                    eprintln!("\nWaiting for answers; press Ctrl-C again to stop immediately.");
                }
            }
        });
        if may_read_input() {
            let of_lines = control.clone();
            // Without the thread, the rate stays as it is. The thread ends with the process.
            let _ = std::thread::Builder::new()
                .name("rate".into())
                .spawn(move || of_lines.read_lines(std::io::stdin().lock()));
        }
        control
    }

    /// Returns the rate that was typed since the last call.
    pub(super) fn take_rate(&self) -> Option<Rate> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns whether the load is to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stops.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the load is to end without waiting for answers.
    pub(super) fn is_aborted(&self) -> bool {
        self.stops.load(Ordering::Relaxed) > 1
    }

    fn read_lines(&self, mut input: impl BufRead) {
        let mut line = Vec::new();
        loop {
            line.clear();
            let piece = std::io::Read::take(&mut input, LINE_BYTES_MAX as u64).read_until(b'\n', &mut line);
            if piece.is_err() || line.is_empty() {
                return;
            }
            let text = String::from_utf8_lossy(&line);
            match Rate::typed(&text) {
                Some(rate) => *self.rate.lock().unwrap_or_else(PoisonError::into_inner) = Some(rate),
                None if text.trim().is_empty() => {}
                None => tell(format!(
                    "{:?} is not a rate: type 500 for 500 requests per second, or 2x for twice the workspace's rate",
                    text.trim()
                )),
            }
        }
    }
}

/// Returns whether lines can be read. A program in the background of a terminal would be stopped by
/// reading.
fn may_read_input() -> bool {
    #[cfg(unix)]
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        let foreground = rustix::termios::tcgetpgrp(std::io::stdin());
        return foreground.is_ok_and(|group| group == rustix::process::getpgrp());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_factor_or_requests_a_second() {
        for (text, option, typed) in [
            ("2", Rate::Factor(2.0), Rate::PerSecond(2.0)),
            ("2x", Rate::Factor(2.0), Rate::Factor(2.0)),
            (" 0.5 x\n", Rate::Factor(0.5), Rate::Factor(0.5)),
            ("1,500/s", Rate::PerSecond(1_500.0), Rate::PerSecond(1_500.0)),
            ("0", Rate::Factor(0.0), Rate::PerSecond(0.0)),
        ] {
            assert_eq!((text.parse(), Rate::typed(text)), (Ok(option), Some(typed)), "{text}");
        }
        for text in ["", "x", "-1", "2y", "inf", "NaN", "1e999", "2xx"] {
            assert!(
                text.parse::<Rate>().is_err_and(|why| why.contains("500/s")) && Rate::typed(text).is_none(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_last_line_counts() {
        let control = Control::default();
        control.read_lines(&b"500\nfast\n\n3x\n"[..]);
        assert_eq!((control.take_rate(), control.take_rate()), (Some(Rate::Factor(3.0)), None));
        control.read_lines(&vec![b'7'; 5_000][..]);
    }
}
