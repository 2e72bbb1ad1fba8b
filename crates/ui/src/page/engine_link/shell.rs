//! Runs the commands of the shell, one after the other, with requests to the engine or to the
//! running server that serves the page.

use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Date, Function, Promise, Uint8Array};
use tabletop_model::{Code, Error, Request, Response, RowMutation, TableRequest, Timestamp};
use tabletop_shell::{Language, Run, Settings, Step, split};
use tabletop_texts::messages;
use tabletop_workspace::{Design, ViewId};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

use super::EngineLink;
use crate::browser;
use crate::page::state::{Action, CommandStatus, ShellEvent, ShellPlace};

/// Milliseconds after which the screen shows more output of a long command.
const PRINT_MILLIS: f64 = 80.0;
/// Size of the largest file that a command reads, in bytes.
const FILE_BYTES_MAX: f64 = 100e6;

/// The tables that a command uses. They are fixed when it is entered, whatever the user looks at
/// while it waits or runs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// The page's own tables.
    Page,
    /// The tables of an instance of the server, if one was chosen.
    Server(Option<Rc<str>>),
}

impl Target {
    fn place(&self) -> ShellPlace {
        match self {
            Target::Page => ShellPlace::Page,
            Target::Server(_) => ShellPlace::Server,
        }
    }
}

/// A queued command.
struct Waiting {
    language: Language,
    command: String,
    target: Target,
}

/// The running and queued commands of one set of tables.
#[derive(Default)]
pub struct ShellWork {
    /// The queued commands.
    queue: VecDeque<Waiting>,
    /// The tables of the last command, if it has run.
    last: Option<Target>,
    /// Whether the queue is being run.
    running: bool,
    /// Increments when the user cancels the running command.
    given_up: u32,
    /// Resolves the promise of the file that a command waits for.
    file: Option<Function>,
    edited: EditNote,
}

/// Whether a command has changed the table of a design, and whether the shell has explained the
/// effect.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum EditNote {
    #[default]
    Never,
    Unsaid,
    Said,
}

/// The outcome of a command.
type Outcome = Result<CommandStatus, Vec<tabletop_model::Problem>>;

impl EngineLink {
    /// Runs the commands of a text. Returns them for the history.
    pub fn run_shell(&self, language: Language, text: &str) -> Vec<String> {
        let commands: Vec<String> = split(language, text)
            .iter()
            .filter_map(|span| text.get(span.start as usize..span.end as usize))
            .map(|command| command.trim().to_owned())
            .collect();
        let target = self.shell_target();
        let place = target.place();
        let idle = self.shell_work(place, |work| {
            let waiting =
                |command: &String| Waiting { language, command: command.clone(), target: target.clone() };
            work.queue.extend(commands.iter().map(waiting));
            !std::mem::replace(&mut work.running, true)
        });
        if idle {
            let link = self.clone();
            spawn_local(async move { link.run_queue(place).await });
        }
        commands
    }

    /// The tables that a command run by the user now uses: those of the view shown.
    fn shell_target(&self) -> Target {
        let view = self.sync.borrow().view;
        if view == ViewId::Server { Target::Server(self.server.instance()) } else { Target::Page }
    }

    /// Changes the queue of one set of tables.
    fn shell_work<T>(&self, place: ShellPlace, change: impl FnOnce(&mut ShellWork) -> T) -> T {
        let mut sync = self.sync.borrow_mut();
        match place {
            ShellPlace::Page => change(&mut sync.shell),
            ShellPlace::Server => change(&mut sync.server_shell),
        }
    }

    /// Sends a request to the tables of a command.
    async fn shell_request(&self, target: &Target, request: Request) -> Result<Response, Error> {
        match target {
            Target::Page => self.client.request(request).await,
            Target::Server(Some(instance)) => self.server.request(instance.to_string(), request).await,
            Target::Server(None) => Err(Error::new(Code::FailedPrecondition, messages().server.no_instance)),
        }
    }

    /// Cancels the running command of the shell shown and the queued ones.
    pub fn cancel_shell(&self) {
        self.shell_work(self.shell_target().place(), |work| {
            work.given_up += 1;
            work.queue.clear();
        });
        self.give_file(None);
    }

    /// Clears the output of the shell shown.
    pub fn clear_shell(&self) {
        self.show_in_shell(self.shell_target().place(), ShellEvent::Cleared);
    }

    /// Gives a command the file that it waits for, or none.
    pub fn give_file(&self, file: Option<File>) {
        let taker = self.shell_work(self.shell_target().place(), |work| work.file.take());
        if let Some(taker) = taker {
            // A promise resolves with any value.
            drop(taker.call1(&JsValue::NULL, &file.map_or(JsValue::NULL, JsValue::from)));
        }
    }

    /// Looks up the tables that exist, and their families.
    pub fn learn_tables(&self) {
        self.learn_tables_of(self.shell_target());
    }

    fn learn_tables_of(&self, target: Target) {
        let link = self.clone();
        spawn_local(async move {
            let Ok(Response::Tables(tables)) = link.shell_request(&target, Request::ListTables).await else {
                return;
            };
            let mut known = Vec::new();
            for table in tables {
                let found = link.shell_request(&target, TableRequest::Describe.of(table.clone())).await;
                if let Ok(Response::Spec(spec)) = found {
                    known.push((table, spec));
                }
            }
            link.show_in_shell(target.place(), ShellEvent::Known(known));
        });
    }

    async fn run_queue(&self, place: ShellPlace) {
        loop {
            let next = self.shell_work(place, |work| {
                let next = work.queue.pop_front();
                work.running = next.is_some();
                next
            });
            let Some(Waiting { language, command, target }) = next else { return };
            if command == "clear" {
                self.show_in_shell(place, ShellEvent::Cleared);
                continue;
            }
            self.name_instance(&target);
            self.show_in_shell(place, ShellEvent::Began(language, command.clone()));
            let event = match self.run_command(language, &command, &target).await {
                Ok(end) => ShellEvent::Ended(end),
                Err(problems) => ShellEvent::Refused(problems),
            };
            self.show_in_shell(place, event);
            self.explain_edits();
        }
    }

    /// Prints the instance of the server above a command, unless it is the same as for the previous
    /// command.
    fn name_instance(&self, target: &Target) {
        let last = self.shell_work(target.place(), |work| work.last.replace(target.clone()));
        if let Target::Server(Some(instance)) = target
            && last.as_ref() != Some(target)
        {
            let text = (messages().server.shell_instance)(instance);
            self.show_in_shell(ShellPlace::Server, ShellEvent::Noted(text.into()));
        }
    }

    async fn run_command(&self, language: Language, command: &str, target: &Target) -> Outcome {
        let place = target.place();
        let settings = Settings { language, utc_offset_seconds, now, read_formats: None };
        let mut run = Run::start(&settings, command)?;
        let turn = self.shell_work(place, |work| work.given_up);
        let mut printed_at = browser::now_millis();
        let end = loop {
            match run.step() {
                Step::Done if run.failure().is_some() => break CommandStatus::Failed,
                Step::Done => break CommandStatus::Done,
                Step::Request(request) => {
                    if place == ShellPlace::Page {
                        self.note_edit(&request);
                    }
                    let response =
                        self.shell_request(target, *request).await.unwrap_or_else(Response::Refused);
                    run.answer(response);
                }
                Step::Open(name) => match self.want_file(place, name).await {
                    Ok(bytes) => run.file(Ok(&bytes)),
                    Err(why) => run.file(Err(why)),
                },
            }
            if self.shell_work(place, |work| work.given_up) != turn {
                break CommandStatus::Cancelled;
            }
            let now = browser::now_millis();
            if now - printed_at > PRINT_MILLIS {
                printed_at = now;
                self.show_in_shell(place, ShellEvent::Printed(run.take_output()));
                if run.changes() && place == ShellPlace::Page {
                    self.watch_soon();
                }
            }
        };
        self.show_in_shell(place, ShellEvent::Printed(run.take_output()));
        if place == ShellPlace::Page {
            // Reads count in the tablets, too.
            self.watch_soon();
        }
        if run.changes() {
            self.learn_tables_of(target.clone());
        }
        Ok(end)
    }

    /// Waits until the user has chosen the file with this name.
    async fn want_file(&self, place: ShellPlace, name: String) -> Result<Vec<u8>, String> {
        self.show_in_shell(place, ShellEvent::Wants(Some(name)));
        let chosen = Promise::new(&mut |take, _| self.shell_work(place, |work| work.file = Some(take)));
        let file = JsFuture::from(chosen).await.ok().and_then(|file| file.dyn_into::<File>().ok());
        self.show_in_shell(place, ShellEvent::Wants(None));
        let file = file.ok_or(messages().shell.no_file_chosen)?;
        if file.size() > FILE_BYTES_MAX {
            return Err(messages().shell.file_too_large.into());
        }
        let bytes =
            JsFuture::from(file.array_buffer()).await.map_err(|_| messages().shell.file_unreadable)?;
        Ok(Uint8Array::new(&bytes).to_vec())
    }

    /// Writes to a row of the table shown. The timeline has the write, and replays it at its
    /// position.
    pub fn write_row(&self, row: RowMutation) {
        self.act(|link| async move {
            let table = {
                let sync = link.sync.borrow();
                let is_asked = |(index, asked): &(u32, Design)| {
                    *index == sync.design
                        && sync
                            .desired
                            .designs
                            .get(*index as usize)
                            .is_some_and(|now| now.has_same_table(asked))
                };
                if !sync.asked_design.as_ref().is_some_and(is_asked) {
                    return Err(Error::new(
                        Code::FailedPrecondition,
                        messages().results.details.other_design,
                    ));
                }
                sync.desired.table_ids().swap_remove(sync.design as usize)
            };
            match link.client.request(TableRequest::MutateRows(vec![row]).of(table)).await? {
                Response::Mutated(mut outcomes) => outcomes.pop().flatten().map_or(Ok(()), Err)?,
                Response::Refused(error) => return Err(error),
                _ => {}
            }
            link.act.emit(Action::Say(messages().results.details.written.into()));
            link.ask();
            Ok(())
        });
    }

    /// Notes whether a request changes the table of a design.
    fn note_edit(&self, request: &Request) {
        let Request::Table { table, request } = request else { return };
        if !request.edits() {
            return;
        }
        let mut sync = self.sync.borrow_mut();
        if sync.shell.edited == EditNote::Never && sync.desired.table_ids().contains(table) {
            sync.shell.edited = EditNote::Unsaid;
        }
    }

    /// Explains the effect of such changes once.
    fn explain_edits(&self) {
        let unsaid = {
            let edited = &mut self.sync.borrow_mut().shell.edited;
            let unsaid = *edited == EditNote::Unsaid;
            if unsaid {
                *edited = EditNote::Said;
            }
            unsaid
        };
        if unsaid {
            self.show_in_shell(ShellPlace::Page, ShellEvent::Noted(messages().shell.design_changed.into()));
        }
    }

    fn show_in_shell(&self, place: ShellPlace, event: ShellEvent) {
        self.act.emit(Action::Shell(place, event));
    }
}

/// Returns the microseconds since 1970.
fn now() -> Timestamp {
    Date::now() as Timestamp * 1_000
}

/// Returns the seconds that the local time is ahead of UTC at a moment.
fn utc_offset_seconds(at: Timestamp) -> i32 {
    let date = Date::new(&(at as f64 / 1e3).into());
    // A time outside the calendar has the offset 0.
    -(date.get_timezone_offset() * 60.0) as i32
}
