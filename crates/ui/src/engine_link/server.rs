//! The page's end of the connection to the running server that serves it (`tabletop serve --page`). The view asks and decides when to
//! connect again; the shell sends its requests on the same connection.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_client::{Connection, Server, live_address};
use tabletop_model::{Code, Error, Request, Response};
use tabletop_schema::{LiveHave, LiveServer, LiveTable, LiveTableView};
use tabletop_texts::messages;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::browser;

/// The connection to the server. All clones share one.
#[derive(Clone, Default)]
pub struct ServerLink(Rc<Shared>);

#[derive(Default)]
struct Shared {
    server: RefCell<Option<Rc<Server>>>,
    /// The instance that the view shows.
    instance: RefCell<Option<Rc<str>>>,
    /// Pauses what the view shows, or lets it go on.
    on_pause: RefCell<Callback<()>>,
}

impl PartialEq for ServerLink {
    fn eq(&self, other: &ServerLink) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl ServerLink {
    /// Connects to the server of the page, in place of the connection before. `on_event` may be called before this returns.
    pub fn connect(&self, token: &str, on_event: Callback<Connection>) {
        self.0.server.replace(None);
        let server = Server::connect(&live_address(&browser::origin()), token, move |event| on_event.emit(event));
        self.0.server.replace(Some(Rc::new(server)));
    }

    /// Asks what the server has.
    pub fn look(&self, answer: Callback<Result<LiveServer, Error>>) {
        self.ask(answer, |server| async move { server.look().await });
    }

    /// Asks what clients do to a table.
    pub fn table(&self, table: LiveTable, have: LiveHave, answer: Callback<Result<LiveTableView, Error>>) {
        self.ask(answer, move |server| async move { server.table(table, have).await });
    }

    /// Sends a request to an instance and passes its response on.
    pub fn send(&self, instance: String, request: Request, answer: Callback<Result<Response, Error>>) {
        self.ask(answer, move |server| async move { server.request(instance, request).await });
    }

    /// Sends a request to an instance.
    ///
    /// # Errors
    /// There is no connection, or it ends before the response.
    pub async fn request(&self, instance: String, request: Request) -> Result<Response, Error> {
        let server = self.0.server.borrow().clone();
        server.ok_or_else(not_connected)?.request(instance, request).await
    }

    /// The instance that the view shows, whose tables the commands of the shell are for.
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

    /// Pauses what the view shows, or lets it go on.
    pub fn pause(&self) {
        let on_pause = self.0.on_pause.borrow().clone();
        on_pause.emit(());
    }

    fn ask<T: 'static, F>(&self, answer: Callback<Result<T, Error>>, ask: impl FnOnce(Rc<Server>) -> F + 'static)
    where
        F: Future<Output = Result<T, Error>> + 'static,
    {
        let server = self.0.server.borrow().clone();
        spawn_local(async move {
            answer.emit(match server {
                Some(server) => ask(server).await,
                None => Err(not_connected()),
            });
        });
    }
}

fn not_connected() -> Error {
    Error::new(Code::Unavailable, messages().server.not_connected)
}
