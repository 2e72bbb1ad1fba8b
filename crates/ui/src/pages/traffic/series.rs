//! Simulations one after the other, each to its end: a measurement that a person starts.

use gloo::timers::callback::Timeout;
use tabletop_model::{Code, Error};
use tabletop_schema::{HeatMetric, SimulateAsk, SimulationChunk, Traffic};
use yew::Callback;

use super::RETRY_MILLIS;
use crate::actions::SimulateRequest;

/// A series of simulations, of which one is under way.
#[derive(Default)]
pub struct Series {
    /// Counts series, so that answers to earlier ones are ignored.
    turn: u32,
    /// The traffic under way.
    traffic: Option<Traffic>,
    current: Option<SimulationChunk>,
    error: Option<Error>,
}

/// What happens to a series.
pub enum SeriesEvent {
    /// The worker has answered in this turn.
    Answered(u32, Box<Result<Option<SimulationChunk>, Error>>),
    /// It is time to ask again, because the table was not ready.
    Again(u32),
}

/// Where a series is simulated.
pub struct Place<'a> {
    /// Index of the design.
    pub design: usize,
    pub on_simulate: &'a Callback<SimulateRequest>,
    pub on_event: Callback<SeriesEvent>,
}

impl Series {
    /// Whether a simulation is under way.
    pub fn is_running(&self) -> bool {
        self.traffic.is_some()
    }

    /// The error that has ended it.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Ends it, and forgets its error.
    pub fn stop(&mut self, place: &Place) {
        self.turn += 1;
        (self.traffic, self.error) = (None, None);
        if let Some(chunk) = self.current.take() {
            place.end(&chunk);
        }
    }

    /// Begins a simulation. Without one, the series is over.
    pub fn go_on(&mut self, place: &Place, traffic: Option<Traffic>) {
        self.traffic = traffic;
        if let Some(traffic) = &self.traffic {
            place.ask(self.turn, SimulateAsk::Begin { index: place.design as u32, traffic: traffic.clone() });
        }
    }

    /// Takes an event. Returns a simulation that is complete; the next one does not begin by itself.
    pub fn take(&mut self, place: &Place, event: SeriesEvent) -> Option<SimulationChunk> {
        let (SeriesEvent::Answered(turn, _) | SeriesEvent::Again(turn)) = &event;
        if *turn != self.turn {
            return None;
        }
        let chunk = match event {
            SeriesEvent::Again(_) => {
                let traffic = self.traffic.take();
                self.go_on(place, traffic);
                return None;
            }
            SeriesEvent::Answered(_, answer) => match *answer {
                Ok(chunk) => chunk?,
                Err(error) if error.code == Code::FailedPrecondition => {
                    let (on_event, turn) = (place.on_event.clone(), self.turn);
                    Timeout::new(RETRY_MILLIS, move || on_event.emit(SeriesEvent::Again(turn))).forget();
                    return None;
                }
                Err(error) => {
                    self.stop(place);
                    self.error = Some(error);
                    return None;
                }
            },
        };
        let all = match self.current.take() {
            Some(mut all) => {
                all.extend(chunk);
                all
            }
            None => chunk,
        };
        if all.is_complete() {
            place.end(&all);
            return Some(all);
        }
        place.ask(self.turn, SimulateAsk::More(all.have(HeatMetric::Requests)));
        self.current = Some(all);
        None
    }
}

impl Place<'_> {
    fn ask(&self, turn: u32, ask: SimulateAsk) {
        let answer = self.on_event.reform(move |answer| SeriesEvent::Answered(turn, Box::new(answer)));
        self.on_simulate.emit(SimulateRequest { ask, answer });
    }

    fn end(&self, chunk: &SimulationChunk) {
        self.on_simulate.emit(SimulateRequest { ask: SimulateAsk::End(chunk.id), answer: Callback::noop() });
    }
}
