//! The reasons why there is no table, the most important first.

use tabletop_protocol::LoadState;
use tabletop_texts::messages;
use tabletop_workspace::Source;

use super::{EngineState, PageState};

/// The reason why there is no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTable {
    /// The engine has not answered yet.
    Starting,
    /// The events are being loaded.
    Loading,
    /// The file has no bytes.
    EmptyFile,
    /// The file has bytes, but none of them form an event.
    NoEvents,
    /// The template has problems, and the table was never built with another one.
    Template,
    /// None of the events that arrived could be written.
    Refused {
        /// The number of such events.
        events: u32,
        /// Why the first of them could not be written.
        first: String,
    },
}

impl NoTable {
    /// Returns the headline.
    pub fn title(&self) -> &'static str {
        let says = &messages().tablets;
        match self {
            NoTable::Starting => says.starting,
            NoTable::Loading => says.loading,
            NoTable::EmptyFile => says.empty_file,
            NoTable::NoEvents => says.no_events,
            NoTable::Template => says.template_invalid,
            NoTable::Refused { .. } => says.nothing_written,
        }
    }

    /// Returns what the user can do about it, or the cause.
    pub fn advice(&self) -> String {
        let says = &messages().tablets;
        match self {
            NoTable::Starting | NoTable::Loading => says.rows_are_coming.into(),
            NoTable::EmptyFile | NoTable::NoEvents => says.choose_another_file.into(),
            NoTable::Template => says.see_template.into(),
            NoTable::Refused { events, first } => (messages().design.refused)((*events).into(), first),
        }
    }
}

impl PageState {
    /// Returns why the design shown has no table; `None` if it has one, or will have one shortly.
    pub fn no_table(&self) -> Option<NoTable> {
        if self.engine == EngineState::Starting {
            return Some(NoTable::Starting);
        }
        if self.events_are_coming {
            return Some(NoTable::Loading);
        }
        if let Some(first) =
            self.view.refusal.as_ref().filter(|_| self.view.events_refused >= self.view.events_built)
        {
            return Some(NoTable::Refused { events: self.view.events_refused, first: first.message.clone() });
        }
        if self.view.events_built > 0 || self.own_missing {
            return None;
        }
        match self.data.state {
            LoadState::Loading | LoadState::Awaited => Some(NoTable::Loading),
            // Generated events and samples are never empty: the first events will follow.
            LoadState::Loaded
                if self.data.events == 0 && !matches!(self.workspace.source, Source::Own(_)) =>
            {
                Some(NoTable::Loading)
            }
            _ if self.data.events == 0 => Some(if self.data.bytes == 0 && self.data.bad_lines == 0 {
                NoTable::EmptyFile
            } else {
                NoTable::NoEvents
            }),
            _ => (!self.shown.problems.is_empty()).then_some(NoTable::Template),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use tabletop_keys::{Field, FieldKind};
    use tabletop_model::Error;
    use tabletop_protocol::{DataView, DesignView};
    use tabletop_workspace::{Format, OnBadLine, OwnData, Workspace};

    use super::super::{Action, Edit};
    use super::*;

    fn page() -> PageState {
        let mut state = PageState::new(Workspace::default());
        state.apply(Action::Ready(Vec::new()));
        let own = OwnData {
            name: "a.csv".into(),
            format: Format::Csv,
            fields: Vec::new(),
            on_bad_line: OnBadLine::Skip,
            reading: Default::default(),
            content: None,
        };
        state.apply(Action::Edit(Edit::Source(Source::Own(own), None), 0.0));
        state
    }

    fn with(data: DataView) -> Option<NoTable> {
        let mut state = page();
        state.apply(Action::Data(data));
        state.no_table()
    }

    #[test]
    fn a_file_that_is_on_its_way_is_loading() {
        assert_eq!(page().no_table(), Some(NoTable::Loading), "as soon as it was chosen");
        assert_eq!(
            with(DataView { state: LoadState::Loading, ..DataView::default() }),
            Some(NoTable::Loading)
        );
        assert_eq!(PageState::new(Workspace::default()).no_table(), Some(NoTable::Starting));
    }

    #[test]
    fn generated_events_are_loading_until_the_first_is_there() {
        let mut state = PageState::new(Workspace::default());
        state.apply(Action::Ready(Vec::new()));
        state.apply(Action::Data(DataView { state: LoadState::Loaded, ..DataView::default() }));
        assert_eq!(state.no_table(), Some(NoTable::Loading));
        state.apply(Action::Data(DataView { state: LoadState::Loaded, events: 3, ..DataView::default() }));
        assert_eq!(state.no_table(), None);
    }

    #[test]
    fn a_file_without_events_says_so() {
        let loaded = DataView { state: LoadState::Loaded, ..DataView::default() };
        assert_eq!(with(loaded.clone()), Some(NoTable::EmptyFile));
        assert_eq!(with(DataView { bytes: 20, bad_lines: 1, ..loaded }), Some(NoTable::NoEvents));
        let failed = LoadState::Failed(Error::invalid("This is not UTF-8"));
        assert_eq!(
            with(DataView { state: failed, bytes: 20, ..DataView::default() }),
            Some(NoTable::NoEvents)
        );
    }

    #[test]
    fn the_template_is_to_blame_only_when_there_are_events() {
        let mut state = page();
        let fields = vec![Field::new("a", FieldKind::Text)];
        state.apply(Action::Data(DataView {
            state: LoadState::Loaded,
            events: 3,
            bytes: 9,
            fields,
            ..DataView::default()
        }));
        assert_eq!(state.no_table(), None, "it is about to be built");
        state.apply(Action::Edit(Edit::Template("{b}".into()), 0.0));
        assert_eq!(state.no_table(), Some(NoTable::Template));
        state.apply(Action::View(Rc::new(DesignView { events_built: 3, ..DesignView::default() })));
        assert_eq!(state.no_table(), None, "it keeps the last one");
    }

    #[test]
    fn events_that_were_all_refused_are_the_cause() {
        let mut state = page();
        let fields = vec![Field::new("a", FieldKind::Text)];
        state.apply(Action::Data(DataView {
            state: LoadState::Loaded,
            events: 3,
            bytes: 9,
            fields,
            ..DataView::default()
        }));
        let refused = |events_refused| DesignView {
            events_built: 3,
            events_refused,
            refusal: Some(Error::invalid("a is too long")),
            ..DesignView::default()
        };
        state.apply(Action::View(Rc::new(refused(3))));
        let why = state.no_table().expect("there are no rows");
        assert_eq!(why.advice(), "3 events could not be written. First reason: a is too long");
        state.apply(Action::View(Rc::new(refused(2))));
        assert_eq!(state.no_table(), None, "one of them is in the table");
    }

    #[test]
    fn a_template_has_its_problems_before_there_are_fields() {
        let mut state = page();
        state.apply(Action::Edit(Edit::Template("{a:iso},{b:pad(3)}#{c".into()), 0.0));
        let said: Vec<&str> = state.shown.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("brace"), "{said:?}");
    }
}
