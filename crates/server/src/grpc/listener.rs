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
