//! Runs the commands of the shell, one after the other, with requests to the engine.

use std::collections::VecDeque;

use js_sys::{Date, Function, Promise, Uint8Array};
use tabletop_model::{Code, Error, Request, Response, RowMutation, TableRequest, Timestamp};
use tabletop_schema::Design;
use tabletop_shell::{Language, Run, Settings, Step, split};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

use super::EngineLink;
use crate::browser;
use crate::messages::messages;
use crate::state::{Action, CommandStatus, ShellEvent};

/// Milliseconds after which the screen shows more output of a long command.
const PRINT_MILLIS: f64 = 80.0;
/// Size of the largest file that a command reads, in bytes.
const FILE_BYTES_MAX: f64 = 100e6;

/// The commands that run and wait.
#[derive(Default)]
pub struct ShellWork {
    /// Commands that wait.
    queue: VecDeque<(Language, String)>,
    /// The queue is being run.
    running: bool,
    /// Goes up when the person cancels the running command.
    given_up: u32,
    /// Resolves the promise of the file that a command waits for.
    file: Option<Function>,
    edited: EditNote,
}

/// Whether a command has changed the table of a design, and whether the shell has explained the effect.
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
        let idle = {
            let work = &mut self.sync.borrow_mut().shell;
            work.queue.extend(commands.iter().map(|command| (language, command.clone())));
            !std::mem::replace(&mut work.running, true)
        };
        if idle {
            let link = self.clone();
            spawn_local(async move { link.run_queue().await });
        }
        commands
    }

    /// Cancels the running command and those that wait.
    pub fn cancel_shell(&self) {
        {
            let work = &mut self.sync.borrow_mut().shell;
            work.given_up += 1;
            work.queue.clear();
        }
        self.give_file(None);
    }

    /// Gives a command the file that it waits for, or none.
    pub fn give_file(&self, file: Option<File>) {
        let taker = self.sync.borrow_mut().shell.file.take();
        if let Some(taker) = taker {
            // A promise resolves with any value.
            drop(taker.call1(&JsValue::NULL, &file.map_or(JsValue::NULL, JsValue::from)));
        }
    }

    /// Looks up which tables there are, and their families.
    pub fn learn_tables(&self) {
        let link = self.clone();
        spawn_local(async move {
            let Ok(Response::Tables(tables)) = link.client.request(Request::ListTables).await else { return };
            let mut known = Vec::new();
            for table in tables {
                let found = link.client.request(TableRequest::Describe.of(table.clone())).await;
                if let Ok(Response::Spec(spec)) = found {
                    known.push((table, spec));
                }
            }
            link.show_in_shell(ShellEvent::Known(known));
        });
    }

    async fn run_queue(&self) {
        loop {
            let next = {
                let work = &mut self.sync.borrow_mut().shell;
                let next = work.queue.pop_front();
                work.running = next.is_some();
                next
            };
            let Some((language, command)) = next else { return };
            if command == "clear" {
                self.show_in_shell(ShellEvent::Cleared);
                continue;
            }
            self.show_in_shell(ShellEvent::Began(language, command.clone()));
            self.show_in_shell(match self.run_command(language, &command).await {
                Ok(end) => ShellEvent::Ended(end),
                Err(problems) => ShellEvent::Refused(problems),
            });
            self.explain_edits();
        }
    }

    async fn run_command(&self, language: Language, command: &str) -> Outcome {
        let settings = Settings { language, utc_offset_seconds, now, read_formats: None };
        let mut run = Run::start(&settings, command)?;
        let turn = self.sync.borrow().shell.given_up;
        let mut printed_at = browser::now_millis();
        let end = loop {
            match run.step() {
                Step::Done if run.failure().is_some() => break CommandStatus::Failed,
                Step::Done => break CommandStatus::Done,
                Step::Request(request) => {
                    self.note_edit(&request);
                    let response = self.client.request(*request).await.unwrap_or_else(Response::Refused);
                    run.answer(response);
                }
                Step::Open(name) => match self.want_file(name).await {
                    Ok(bytes) => run.file(Ok(&bytes)),
                    Err(why) => run.file(Err(why)),
                },
            }
            if self.sync.borrow().shell.given_up != turn {
                break CommandStatus::Cancelled;
            }
            let now = browser::now_millis();
            if now - printed_at > PRINT_MILLIS {
                printed_at = now;
                self.show_in_shell(ShellEvent::Printed(run.take_output()));
                if run.changes() {
                    self.watch_soon();
                }
            }
        };
        self.show_in_shell(ShellEvent::Printed(run.take_output()));
        // Even a read counts in the tablets.
        self.watch_soon();
        if run.changes() {
            self.learn_tables();
        }
        Ok(end)
    }

    /// Waits until the person has chosen the file with this name.
    async fn want_file(&self, name: String) -> Result<Vec<u8>, String> {
        self.show_in_shell(ShellEvent::Wants(Some(name)));
        let chosen = Promise::new(&mut |take, _| self.sync.borrow_mut().shell.file = Some(take));
        let file = JsFuture::from(chosen).await.ok().and_then(|file| file.dyn_into::<File>().ok());
        self.show_in_shell(ShellEvent::Wants(None));
        let file = file.ok_or(messages().shell.no_file_chosen)?;
        if file.size() > FILE_BYTES_MAX {
            return Err(messages().shell.file_too_large.into());
        }
        let bytes = JsFuture::from(file.array_buffer()).await.map_err(|_| messages().shell.file_unreadable)?;
        Ok(Uint8Array::new(&bytes).to_vec())
    }

    /// Writes to a row of the table on the screen. The timeline has the write, and does it again at its moment.
    pub fn write_row(&self, row: RowMutation) {
        self.act(|link| async move {
            let table = {
                let sync = link.sync.borrow();
                let is_asked = |(index, asked): &(u32, Design)| {
                    *index == sync.design
                        && sync.desired.designs.get(*index as usize).is_some_and(|now| now.has_same_table(asked))
                };
                if !sync.asked_design.as_ref().is_some_and(is_asked) {
                    return Err(Error::new(Code::FailedPrecondition, messages().results.details.other_design));
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
            self.show_in_shell(ShellEvent::Noted(messages().shell.design_changed));
        }
    }

    fn show_in_shell(&self, event: ShellEvent) {
        self.act.emit(Action::Shell(event));
    }
}

/// Returns the microseconds since 1970.
fn now() -> Timestamp {
    Date::now() as Timestamp * 1_000
}

/// Returns the seconds that the local time is ahead of UTC at a moment.
fn utc_offset_seconds(at: Timestamp) -> i32 {
    let date = Date::new(&(at as f64 / 1e3).into());
    // A moment outside of the calendar has the offset 0.
    -(date.get_timezone_offset() * 60.0) as i32
}
