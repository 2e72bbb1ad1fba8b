//! The number of events that have arrived: either all loaded events, or as many as playback has
//! released.

use tabletop_model::Timestamp;
use tabletop_protocol::Playback;

use crate::event_clock::EventClock;

/// Maximum number of seconds of playback that one step makes up for. After an hour in a suspended
/// tab, playback resumes where it was.
const CATCH_UP_SECONDS_MAX: f64 = 1.0;

/// The number of events that have arrived, and since when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arrival {
    mode: Mode,
    looked: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// Events arrive as soon as they are loaded.
    AtOnce,
    /// This number of events has arrived, and no more arrive. A fraction is part of an event.
    Paused(f64),
    /// This number of events has arrived, and more arrive with time.
    Playing(f64),
}

impl Arrival {
    /// Every loaded event has arrived.
    pub(crate) fn immediate() -> Self {
        Arrival { mode: Mode::AtOnce, looked: 0 }
    }

    /// This number of events has arrived. The others arrive during playback.
    pub(crate) fn at(events: u32) -> Self {
        Arrival { mode: Mode::Paused(events.into()), looked: 0 }
    }

    /// Returns the number of events that have arrived, given the number of loaded events.
    pub(crate) fn arrived(&self, loaded: u32) -> u32 {
        match self.mode {
            Mode::AtOnce => loaded,
            Mode::Paused(count) | Mode::Playing(count) => loaded.min(count as u32),
        }
    }

    /// Returns whether more events arrive with time.
    pub(crate) fn is_playing(&self) -> bool {
        matches!(self.mode, Mode::Playing(_))
    }

    /// Starts, pauses, moves or finishes playback. `loaded` is the number of loaded events.
    pub(crate) fn play(&mut self, playback: Playback, now: Timestamp, loaded: u32) {
        self.looked = now;
        self.mode = match (playback, self.mode) {
            (Playback::Seek(_) | Playback::Toggle, _) => self.moved(playback, loaded),
            (Playback::Finish, _) => Mode::AtOnce,
            (Playback::Restart, _) => Mode::Playing(0.0),
            // All loaded events have arrived, so there is nothing to play or pause.
            (Playback::Play | Playback::Pause, Mode::AtOnce) => Mode::AtOnce,
            (Playback::Play, Mode::Paused(count) | Mode::Playing(count)) => Mode::Playing(count),
            (Playback::Pause, Mode::Paused(count) | Mode::Playing(count)) => Mode::Paused(count),
        };
    }

    #[inline(never)]
    fn moved(&self, playback: Playback, loaded: u32) -> Mode {
        match (playback, self.mode) {
            (Playback::Seek(events), _) => Mode::Paused(events.into()),
            (_, Mode::Playing(count)) => Mode::Paused(count),
            (_, Mode::Paused(count)) if self.arrived(loaded) < loaded => Mode::Playing(count),
            _ => Mode::Playing(0.0),
        }
    }

    /// Advances playback to `now`. `loaded` is the number of loaded events, `more` whether others
    /// are still being loaded. Events with a clock arrive at their own times, scaled so that all of
    /// them take the time that they would take at this pace. Other events arrive evenly.
    pub(crate) fn pass(
        &mut self,
        now: Timestamp,
        events_per_second: f64,
        clock: Option<&EventClock>,
        loaded: u32,
        more: bool,
    ) {
        let Mode::Playing(count) = &mut self.mode else { return };
        let seconds = ((now - self.looked) as f64 / 1e6).clamp(0.0, CATCH_UP_SECONDS_MAX);
        self.looked = now;
        let before = *count;
        *count = match clock {
            Some(clock) => clock.after(before, seconds * events_per_second / f64::from(loaded.max(1))),
            None => before + seconds * events_per_second,
        };
        if *count >= f64::from(loaded) {
            if more {
                // Playback is ahead of the load, so events arrive as they are loaded.
                *count = before.max(f64::from(loaded));
            } else {
                self.mode = Mode::AtOnce;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Timestamp = 1_000_000;

    #[test]
    fn the_first_part_arrives_immediately_and_the_rest_over_time() {
        let mut arrival = Arrival::at(600);
        assert_eq!(arrival.arrived(1_000), 600);
        arrival.pass(9 * SECOND, 100.0, None, 1_000, false);
        assert_eq!(arrival.arrived(1_000), 600, "paused");
        arrival.play(Playback::Play, 10 * SECOND, 1_000);
        for tenth in 1..=10 {
            arrival.pass(10 * SECOND + tenth * SECOND / 10, 100.0, None, 1_000, false);
        }
        assert_eq!(arrival.arrived(1_000), 700);
        arrival.play(Playback::Pause, 11 * SECOND, 1_000);
        arrival.pass(12 * SECOND, 100.0, None, 1_000, false);
        assert_eq!((arrival.arrived(1_000), arrival.is_playing()), (700, false));
        arrival.play(Playback::Finish, 12 * SECOND, 1_000);
        assert_eq!(arrival.arrived(1_000), 1_000);
    }

    #[test]
    fn playback_resumes_from_any_position() {
        let mut arrival = Arrival::at(400);
        assert_eq!((arrival.arrived(300), arrival.arrived(1_000), arrival.is_playing()), (300, 400, false));
        arrival.play(Playback::Play, 0, 1_000);
        arrival.pass(SECOND, 100.0, None, 1_000, false);
        assert_eq!(arrival.arrived(1_000), 500);
        assert_eq!(Arrival::at(u32::MAX).arrived(1_000), 1_000);
    }

    #[test]
    fn one_key_plays_and_pauses() {
        let mut arrival = Arrival::at(400);
        arrival.play(Playback::Toggle, 0, 1_000);
        assert!(arrival.is_playing());
        arrival.play(Playback::Toggle, 0, 1_000);
        assert_eq!((arrival.is_playing(), arrival.arrived(1_000)), (false, 400));
        arrival.play(Playback::Seek(1_000), 0, 1_000);
        arrival.play(Playback::Toggle, 0, 1_000);
        assert_eq!((arrival.is_playing(), arrival.arrived(1_000)), (true, 0), "from the end it begins again");
        arrival.play(Playback::Seek(7), 0, 1_000);
        assert_eq!((arrival.is_playing(), arrival.arrived(1_000)), (false, 7));
    }

    #[test]
    fn a_tab_that_was_suspended_continues_at_its_position() {
        let mut arrival = Arrival::immediate();
        arrival.play(Playback::Restart, 0, 1_000);
        arrival.pass(3_600 * SECOND, 100.0, None, 10_000, false);
        assert_eq!(arrival.arrived(10_000), 100);
    }

    #[test]
    fn play_waits_for_events_that_are_still_loaded_and_ends_with_the_last() {
        let mut arrival = Arrival::immediate();
        arrival.play(Playback::Restart, 0, 1_000);
        arrival.pass(SECOND, 100.0, None, 50, true);
        assert_eq!((arrival.arrived(80), arrival.is_playing()), (50, true));
        arrival.pass(2 * SECOND, 100.0, None, 80, false);
        assert_eq!((arrival.arrived(80), arrival.is_playing()), (80, false));
    }

    #[test]
    fn a_first_part_that_is_played_before_it_is_loaded_stays_the_first_part() {
        let mut arrival = Arrival::at(600);
        arrival.play(Playback::Play, 0, 1_000);
        arrival.pass(SECOND / 10, 100.0, None, 64, true);
        arrival.pass(SECOND, 100.0, None, 1_000, false);
        assert_eq!(arrival.arrived(1_000), 690);
    }

    #[test]
    fn a_clock_that_goes_back_removes_no_event() {
        let mut arrival = Arrival::immediate();
        arrival.play(Playback::Restart, 5 * SECOND, 1_000);
        arrival.pass(6 * SECOND, 10.0, None, 100, false);
        arrival.pass(SECOND, 10.0, None, 100, false);
        assert_eq!(arrival.arrived(100), 10);
    }
}
