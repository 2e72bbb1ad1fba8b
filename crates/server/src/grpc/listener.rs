//! Where clients connect: TCP, a socket of Unix, or both.

use std::future::pending;
use std::io;

use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// Listens for clients.
#[derive(Debug, Default)]
pub struct Listener {
    /// For clients of any machine that reaches the address.
    pub tcp: Option<TcpListener>,
    /// For programs of this machine that may open the socket.
    #[cfg(unix)]
    pub unix: Option<UnixListener>,
}

/// A client that has connected.
pub(super) enum Client {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl From<TcpListener> for Listener {
    fn from(tcp: TcpListener) -> Listener {
        Listener { tcp: Some(tcp), ..Listener::default() }
    }
}

impl Listener {
    /// Returns the number of connections, of at most `all`, at which this client is refused. The last eighth is for the socket, if
    /// there is one: other machines cannot keep this user out.
    pub(super) fn connections_max(&self, client: &Client, all: usize) -> usize {
        #[cfg(unix)]
        if self.unix.is_some() && matches!(client, Client::Tcp(_)) {
            return all - all.div_ceil(8);
        }
        #[cfg(not(unix))]
        let Client::Tcp(_) = client;
        all
    }

    /// Waits for the next client.
    pub(super) async fn accept(&self) -> io::Result<Client> {
        tokio::select! {
            client = self.accept_tcp() => client,
            client = self.accept_unix() => client,
        }
    }

    async fn accept_tcp(&self) -> io::Result<Client> {
        match &self.tcp {
            Some(listener) => listener.accept().await.map(|(stream, _)| Client::Tcp(stream)),
            None => pending().await,
        }
    }

    #[cfg(unix)]
    async fn accept_unix(&self) -> io::Result<Client> {
        match &self.unix {
            Some(listener) => listener.accept().await.map(|(stream, _)| Client::Unix(stream)),
            None => pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn accept_unix(&self) -> io::Result<Client> {
        pending().await
    }
}
