//! Timers that end when they are dropped. In a test they never fire: it sends their messages itself.

use std::any::Any;

use gloo::timers::callback::{Interval, Timeout};

/// A timer.
pub struct Timer(#[expect(dead_code, reason = "it runs until it is dropped")] Option<Box<dyn Any>>);

impl Timer {
    /// Calls once after some milliseconds.
    pub fn after(millis: u32, call: impl FnOnce() + 'static) -> Timer {
        Timer((!cfg!(test)).then(|| Box::new(Timeout::new(millis, call)) as Box<dyn Any>))
    }

    /// Calls each time that these milliseconds have passed.
    pub fn every(millis: u32, call: impl FnMut() + 'static) -> Timer {
        Timer((!cfg!(test)).then(|| Box::new(Interval::new(millis, call)) as Box<dyn Any>))
    }
}
