//! The listener: sockets in, connections served, and an end to it all when the process is told to stop.
//!
//! HTTP/1.1 and HTTP/2 on one port, with or without TLS. On shutdown no more connections are taken, what runs may
//! finish for a while, and then is dropped: an open event stream must not hold the process for ever.

mod acceptor;
mod connection;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::timeout;

use super::house::House;
use super::schemas::CompiledSchemas;
use super::tasks::Tasks;
use super::upstream::UpstreamError;
use crate::config::Plan;
use crate::guard::arguments::Schemas;
use crate::observe::event::Events;

pub use acceptor::TlsError;

/// After an error of the listener itself, such as no file handles left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A proxy that has its address, and is not yet serving.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    acceptor: acceptor::Acceptor,
    house: Arc<House>,
}

/// Why the proxy cannot start.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("failed to listen on {address}")]
    Address { address: SocketAddr, source: std::io::Error },
    #[error("`listen.tls` cannot be used")]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
}

// === impl Server ===

impl Server {
    pub async fn bind(plan: Plan, events: Events) -> Result<Self, BindError> {
        Self::bind_with(plan, events, Arc::new(CompiledSchemas::new())).await
    }

    /// With schemas from elsewhere: shared between servers, or, in a test, ones that fail.
    pub async fn bind_with(plan: Plan, events: Events, schemas: Arc<dyn Schemas>) -> Result<Self, BindError> {
        let asked = plan.listen.address;
        let acceptor = acceptor::Acceptor::new(plan.listen.tls.as_ref())?;
        let house = Arc::new(House::new(plan, events, Tasks::default(), schemas)?);
        let unbound = |source| BindError::Address { address: asked, source };
        let listener = TcpListener::bind(asked).await.map_err(unbound)?;
        let address = listener.local_addr().map_err(unbound)?;
        Ok(Self { listener, address, acceptor, house })
    }

    /// Where it listens: the real port, where 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is ready, then for as long as running exchanges take, up to `listen.drain`.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self { listener, acceptor, house, .. } = self;
        tokio::select! {
            () = accept(&listener, &acceptor, &house) => {}
            () = shutdown => {}
        }
        drop(listener);
        let limit = house.plan.listen.drain;
        if timeout(limit, house.tasks.drained()).await.is_err() {
            tracing::info!(?limit, "dropping what is still running");
        }
        house.tasks.stop().await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

async fn accept(listener: &TcpListener, acceptor: &acceptor::Acceptor, house: &Arc<House>) {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                let connection = connection::serve(acceptor.clone(), socket, Arc::clone(house));
                house.tasks.spawn(connection);
            }
            Err(cause) => {
                tracing::warn!(%cause, "failed to accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
