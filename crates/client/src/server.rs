//! The connection to a running server that serves this page (`tabletop serve --page`).

use std::rc::{Rc, Weak};

use tabletop_model::{Code, Error};
use tabletop_protocol::{Answer, Ask, Job, LIVE_PATH};

use crate::job::{JobHost, JobLine, OpenRun};
use crate::link::{Link, Reply, RequestId, SocketTransport, Watch, refused};

/// One connection to a server, which runs the jobs of [`tabletop_protocol::WatchServer`],
/// [`tabletop_protocol::WatchTable`] and [`tabletop_protocol::AskInstance`]. It does not reconnect:
/// once it has ended, every run fails with the reason. Dropping it ends the connection.
pub struct Server {
    link: Rc<Link>,
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The server answers requests.
    Ready,
    /// The server rejects the token. Another attempt would have the same result.
    Refused(Error),
    /// The connection has ended, or could not be made: the server has stopped, or has too many
    /// connections. A later attempt may succeed.
    Ended(Error),
}

impl Server {
    /// Connects to the server at `url`, such as `ws://127.0.0.1:8087` (see [`live_address`]).
    /// Requests wait until it is ready. `on_event` is called when it is ready, and once when the
    /// connection has ended.
    pub fn connect(url: &str, token: &str, on_event: impl Fn(Connection) + 'static) -> Server {
        let watcher = Box::new(Watcher(Box::new(on_event)));
        let link =
            Link::open(watcher, |line| SocketTransport::open(&format!("{url}{LIVE_PATH}"), token, line));
        Server { link: Rc::new(link) }
    }

    /// Returns why the connection has ended, if it has.
    pub fn ended(&self) -> Option<Error> {
        self.link.broken()
    }
}

/// The connection as its runs hold it. They do not keep it alive.
struct Line(Weak<Link>);

impl JobLine for Line {
    fn send(&self, ask: &Ask) -> Reply {
        match self.0.upgrade() {
            Some(link) => link.ask(ask),
            None => refused(Error::new(Code::Cancelled, "the page has closed the connection")),
        }
    }

    /// A connection always has the same server, because it does not reconnect.
    fn epoch(&self) -> u32 {
        0
    }
}

impl JobHost for Server {
    fn run<J: Job>(&self, request: &J::Request) -> OpenRun<J> {
        OpenRun::new(Rc::new(Line(Rc::downgrade(&self.link))), request)
    }
}

/// Returns the address of a page's server, for [`Server::connect`]: the page's origin with the
/// scheme of WebSockets.
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

    /// A server never reports changes without a request.
    fn changed(&self) {}

    fn broken(&self, error: &Error) {
        // This is the code of a connection that was closed because of its token.
        let is_refused = error.code == Code::InvalidArgument;
        (self.0)(if is_refused {
            Connection::Refused(error.clone())
        } else {
            Connection::Ended(error.clone())
        });
    }
}
