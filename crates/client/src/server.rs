//! The connection to a running server that serves this page (`tabletop serve --page`).

use tabletop_model::{Error, Request, Response, Result, wire};
use tabletop_schema::{Answer, Ask, LIVE_PATH, LiveAnswer, LiveAsk, LiveHave, LiveServer, LiveTable, LiveTableView};

use crate::link::{Link, RequestId, SocketTransport, Watch};
use crate::{AnswerOf, unexpected};

/// One connection to a server. It is not renewed: once it has ended, every request fails with the reason. Dropping it ends it.
pub struct Server {
    link: Link,
}

/// What happens to a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The server answers requests.
    Ready,
    /// It has ended, or could not be made: `InvalidArgument` for a wrong token, `ResourceExhausted` for too many connections, else
    /// `Unavailable`.
    Ended(Error),
}

impl Server {
    /// Connects to the server at `url`, such as `ws://127.0.0.1:8087` (see [`live_address`]). Requests wait until it is ready.
    /// `on_event` is called when it is, and once when the connection has ended.
    pub fn connect(url: &str, token: &str, on_event: impl Fn(Connection) + 'static) -> Server {
        let watcher = Box::new(Watcher(Box::new(on_event)));
        Server { link: Link::open(watcher, |line| SocketTransport::open(&format!("{url}{LIVE_PATH}"), token, line)) }
    }

    /// What the server has.
    ///
    /// # Errors
    /// That of the connection, once it has ended.
    pub async fn look(&self) -> Result<LiveServer> {
        match self.ask(&LiveAsk::Server).await? {
            LiveAnswer::Server(server) => Ok(server),
            _ => Err(unexpected()),
        }
    }

    /// What clients do to a table, as far as the page does not have it.
    ///
    /// # Errors
    /// `NotFound` for an instance or a table that does not exist; that of the connection, once it has ended.
    pub async fn table(&self, table: LiveTable, have: LiveHave) -> Result<LiveTableView> {
        match self.ask(&LiveAsk::Table { table, have }).await? {
            LiveAnswer::Table(view) => Ok(view),
            _ => Err(unexpected()),
        }
    }

    /// Sends a request to an instance, as a client would. A read returns slices, each with the place to resume from.
    ///
    /// # Errors
    /// `NotFound` for an instance that does not exist; that of the connection, once it has ended. A refusal of the instance is a response.
    pub async fn request(&self, instance: String, request: Request) -> Result<Response> {
        match self.ask(&LiveAsk::Request { instance, request }).await? {
            LiveAnswer::Response(response) => Ok(response),
            _ => Err(unexpected()),
        }
    }

    /// The reason why the connection has ended, if it has.
    pub fn ended(&self) -> Option<Error> {
        self.link.broken()
    }

    fn ask(&self, ask: &LiveAsk) -> AnswerOf<LiveAnswer> {
        let reply = self.link.ask(&Ask::Live(wire::encode(ask).into()));
        AnswerOf {
            reply,
            kind: |answer| match answer {
                Answer::Live(answer) => wire::decode(&answer).ok(),
                _ => None,
            },
        }
    }
}

/// Returns the address of the server of a page, for [`Server::connect`]: that of the page's origin with the scheme of WebSockets.
pub fn live_address(origin: &str) -> String {
    match origin.split_once("://") {
        Some(("https", host)) => format!("wss://{host}"),
        Some((_, host)) => format!("ws://{host}"),
        None => origin.to_owned(),
    }
}

/// Passes the events of the link to the page.
struct Watcher(Box<dyn Fn(Connection)>);

impl Watch for Watcher {
    fn answered(&self, _: RequestId, _: &Answer) {}

    fn ready(&self) {
        (self.0)(Connection::Ready);
    }

    /// A server has nothing that changes without a request.
    fn changed(&self) {}

    fn broken(&self, error: &Error) {
        (self.0)(Connection::Ended(error.clone()));
    }
}
