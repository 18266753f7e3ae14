//! Where events go: a bounded queue, and one thread that writes lines from it.
//!
//! Whoever emits never waits. When the writer cannot follow, events are dropped and counted, and the count is
//! written before the next line and at the end, so that a gap can be seen.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError, TrySendError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::event::Event;
use super::{line, log};
use crate::config::plan;

/// Events that may wait for the writer: some megabytes at most.
const QUEUE: usize = 8192;

/// How long the end of the process waits for a writer that is stuck.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where events go. Cheap to clone; [`Events::emit`] never waits. By default they go to the log alone.
#[derive(Clone, Debug, Default)]
pub struct Events {
    queue: Option<Queue>,
}

/// Ends the writer once it has written what waits. Dropping it does the same.
#[derive(Debug)]
#[must_use = "what waits is written when this is dropped, and nothing after"]
pub struct Guard {
    queue: Option<Queue>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Clone, Debug)]
enum Queue {
    Writer {
        sender: SyncSender<Message>,
        /// Events since the last that was queued or told missing.
        dropped: Arc<AtomicU64>,
    },
    Collector(mpsc::Sender<Event>),
}

#[derive(Debug)]
enum Message {
    Event(SystemTime, Event),
    Close,
}

struct Writer<W: Write> {
    messages: Receiver<Message>,
    dropped: Arc<AtomicU64>,
    output: BufWriter<W>,
    /// The last write failed: it is told once, not for each line.
    failing: bool,
}

// === impl Events ===

impl Events {
    /// Starts the writer that the plan asks for. A file is appended to.
    pub fn start(plan: &plan::Events) -> io::Result<(Self, Guard)> {
        match plan {
            plan::Events::Off => Ok((Self::default(), Guard { queue: None, writer: None })),
            plan::Events::Stdout => Self::to(io::stdout(), QUEUE),
            plan::Events::File(path) => {
                Self::to(OpenOptions::new().create(true).append(true).open(path)?, QUEUE)
            }
        }
    }

    /// Events that can be looked at, in the order emitted.
    pub fn collect() -> (Self, Receiver<Event>) {
        let (sender, receiver) = mpsc::channel();
        (Self { queue: Some(Queue::Collector(sender)) }, receiver)
    }

    /// Tells the log, and puts the event in the queue. A full queue drops it and counts.
    pub fn emit(&self, event: Event) {
        log::tell(&event);
        match &self.queue {
            None => {}
            Some(Queue::Writer { sender, dropped }) => {
                let queued = sender.try_send(Message::Event(SystemTime::now(), event));
                dropped.fetch_add(u64::from(queued.is_err()), Ordering::Relaxed);
            }
            // Nobody may be looking any more.
            Some(Queue::Collector(sender)) => drop(sender.send(event)),
        }
    }

    fn to(output: impl Write + Send + 'static, capacity: usize) -> io::Result<(Self, Guard)> {
        let (sender, messages) = mpsc::sync_channel(capacity);
        let dropped = Arc::new(AtomicU64::new(0));
        let writer =
            Writer { messages, dropped: dropped.clone(), output: BufWriter::new(output), failing: false };
        let thread = std::thread::Builder::new().name("events".to_owned()).spawn(move || writer.run())?;
        let queue = Some(Queue::Writer { sender, dropped });
        Ok((Self { queue: queue.clone() }, Guard { queue, writer: Some(thread) }))
    }
}

// === impl Writer ===

impl<W: Write> Writer<W> {
    fn run(mut self) {
        loop {
            let message = match self.messages.try_recv() {
                Ok(message) => message,
                // A reader of the file should see what there is before the next event comes.
                Err(TryRecvError::Empty) => {
                    let flushed = self.output.flush();
                    self.note(flushed, 0);
                    let Ok(message) = self.messages.recv() else { break };
                    message
                }
                Err(TryRecvError::Disconnected) => break,
            };
            let Message::Event(time, event) = message else { break };
            self.tell_dropped(time);
            let written = self.output.write_all(&line::event(time, &event));
            self.note(written, 1);
        }
        self.tell_dropped(SystemTime::now());
        let flushed = self.output.flush();
        self.note(flushed, 0);
    }

    fn tell_dropped(&mut self, time: SystemTime) {
        let count = self.dropped.swap(0, Ordering::Relaxed);
        if count > 0 {
            tracing::warn!(count, "events were dropped");
            let written = self.output.write_all(&line::dropped(time, count));
            self.note(written, count);
        }
    }

    /// Notes how writing went; `lost` events are missing where it failed.
    fn note(&mut self, result: io::Result<()>, lost: u64) {
        match result {
            Ok(()) => self.failing = false,
            Err(error) => {
                self.dropped.fetch_add(lost, Ordering::Relaxed);
                if !self.failing {
                    tracing::error!(%error, "events cannot be written");
                }
                self.failing = true;
            }
        }
    }
}

// === impl Guard ===

impl Drop for Guard {
    fn drop(&mut self) {
        let (Some(Queue::Writer { sender, .. }), Some(writer)) = (self.queue.take(), self.writer.take())
        else {
            return;
        };
        let deadline = Instant::now() + PATIENCE;
        let mut closed = false;
        while !writer.is_finished() && Instant::now() < deadline {
            closed = closed || !matches!(sender.try_send(Message::Close), Err(TrySendError::Full(_)));
            std::thread::sleep(Duration::from_millis(1));
        }
        if writer.is_finished() && writer.join().is_err() {
            tracing::error!("the writer of events has died");
        }
    }
}

#[cfg(test)]
mod tests;
