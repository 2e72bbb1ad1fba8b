//! The page's end of the connection to the running server that serves it (`tabletop serve --page`).
//! The view opens runs and decides when to reconnect; the shell sends its requests on the same
//! connection.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_client::{Connection, JobHost, OpenRun, Server, live_address};
use tabletop_model::{Code, Error, Request, Response};
use tabletop_protocol::{AskInstance, InstanceRequest, Job, JobError};
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::job::{JobEvent, UseJob, use_job};
use crate::browser;

/// The connection to the server. All clones share one.
#[derive(Clone, Default)]
pub struct ServerLink(Rc<Shared>);

#[derive(Default)]
struct Shared {
    server: RefCell<Option<Server>>,
    /// The instance that the view shows.
    instance: RefCell<Option<Rc<str>>>,
    /// Pauses what the view shows, or resumes it.
    on_pause: RefCell<Callback<()>>,
}

impl PartialEq for ServerLink {
    fn eq(&self, other: &ServerLink) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl ServerLink {
    /// Connects to the server of the page, in place of the previous connection. `on_event` may be
    /// called before this returns.
    pub fn connect(&self, token: &str, on_event: Callback<Connection>) {
        self.0.server.replace(None);
        let server =
            Server::connect(&live_address(&browser::origin()), token, move |event| on_event.emit(event));
        self.0.server.replace(Some(server));
    }

    /// A hook for runs of a job of the server. `on_event` receives what happens; give each event to
    /// [`UseJob::accept`]. Runs end with the connection on which they were started.
    pub fn use_job<J: Job>(&self, on_event: Callback<JobEvent<J>>) -> UseJob<J> {
        let link = self.clone();
        use_job(move |request| link.run(request), on_event)
    }

    /// Sends a request to an instance and passes its response on.
    pub fn send(&self, instance: String, request: Request, answer: Callback<Result<Response, Error>>) {
        let link = self.clone();
        spawn_local(async move { answer.emit(link.request(instance, request).await) });
    }

    /// Sends a request to an instance.
    ///
    /// # Errors
    /// There is no connection, or it is lost before the response.
    pub async fn request(&self, instance: String, request: Request) -> Result<Response, Error> {
        let mut run =
            self.run::<AskInstance>(&InstanceRequest { instance, request }).map_err(JobError::into_error)?;
        run.next(&()).await.unwrap_or(Err(JobError::Gone)).map_err(JobError::into_error)
    }

    fn run<J: Job>(&self, request: &J::Request) -> Result<OpenRun<J>, JobError> {
        match &*self.0.server.borrow() {
            Some(server) => Ok(server.run(request)),
            None => Err(JobError::Failed(Error::new(Code::Unavailable, messages().server.not_connected))),
        }
    }

    /// The instance that the view shows. Shell commands use its tables.
    pub fn instance(&self) -> Option<Rc<str>> {
        self.0.instance.borrow().clone()
    }

    /// Sets the instance that the view shows.
    pub fn choose(&self, instance: Option<&str>) {
        self.0.instance.replace(instance.map(Rc::from));
    }

    /// Sets what pauses the view.
    pub fn on_pause(&self, on_pause: Callback<()>) {
        self.0.on_pause.replace(on_pause);
    }

    /// Pauses what the view shows, or resumes it.
    pub fn pause(&self) {
        let on_pause = self.0.on_pause.borrow().clone();
        on_pause.emit(());
    }
}
