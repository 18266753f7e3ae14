//! All tasks that serve agents, so that shutdown can wait for them, and end them.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Runs tasks, and knows which still run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    /// Set when connections should finish what runs and take nothing more.
    draining: CancellationToken,
    /// Set when whatever still runs is dropped.
    stopped: CancellationToken,
}

// === impl Tasks ===

impl Tasks {
    /// Runs `task` until it ends or everything is stopped.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // What is moved into a future is held twice by it, and here three futures lie one in the other.
        let (task, stopped) = (Box::pin(task), self.stopped.clone());
        self.tracker.spawn(async move {
            stopped.run_until_cancelled_owned(task).await;
        });
    }

    /// Ready once connections should come to an end.
    pub(super) async fn draining(&self) {
        self.draining.cancelled().await;
    }

    /// Asks connections to come to an end, and waits until all have.
    pub(super) async fn drained(&self) {
        self.draining.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Drops whatever still runs.
    pub(super) async fn stop(&self) {
        self.stopped.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}

/// The streams of HTTP/2 connections are tasks too.
impl<F> hyper::rt::Executor<F> for Tasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        self.spawn(task);
    }
}
