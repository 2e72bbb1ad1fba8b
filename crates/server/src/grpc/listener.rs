//! Where clients connect: TCP, a Unix socket, or both.

use std::future::pending;
use std::io;

use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

/// Listens for clients.
#[derive(Debug, Default)]
pub struct Listener {
    /// For clients on any machine that can reach the address.
    pub tcp: Option<TcpListener>,
    /// For programs on this machine that may open the socket.
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
    /// Returns the number of connections, of at most `all`, at which this client is rejected. If
    /// there is a socket, the last eighth is reserved for it, so that other machines cannot lock
    /// out the local user.
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
