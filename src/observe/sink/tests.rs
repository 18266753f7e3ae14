use std::sync::Mutex;

use super::*;
use crate::guard::Reason;
use crate::observe::event::Fact;

fn numbered(count: usize) -> Event {
    Event { exchange: "e1".into(), fact: Fact::Prepared { reason: Reason::Restored, count } }
}

/// An output that can be read, held, and made to fail.
#[derive(Clone, Default)]
struct Output {
    written: Arc<Mutex<Vec<u8>>>,
    held: Arc<Mutex<()>>,
    broken: Arc<Mutex<bool>>,
}

impl Output {
    fn lines(&self) -> Vec<String> {
        String::from_utf8(self.written.lock().unwrap().clone()).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _held = self.held.lock().unwrap();
        if *self.broken.lock().unwrap() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn off_is_the_default_and_swallows_everything() {
    Events::default().emit(numbered(1));
    let (events, guard) = Events::start(&plan::Events::Off).unwrap();
    events.emit(numbered(1));
    drop(guard);
    events.emit(numbered(2));
}

#[test]
fn what_is_collected_comes_in_order() {
    let (events, collected) = Events::collect();
    events.clone().emit(numbered(1));
    events.emit(numbered(2));
    assert_eq!(collected.try_iter().collect::<Vec<_>>(), [numbered(1), numbered(2)]);
    drop(collected);
    events.emit(numbered(3));
}

#[test]
fn each_event_is_one_line_in_order() {
    let output = Output::default();
    let (events, guard) = Events::to(output.clone(), 100).unwrap();
    (0..50).for_each(|count| events.emit(numbered(count)));
    drop(guard);
    let lines = output.lines();
    assert_eq!(lines.len(), 50);
    for (count, line) in lines.iter().enumerate() {
        assert!(
            line.starts_with("{\"time\":\"20") && line.ends_with(&format!("\"count\":{count}}}")),
            "{line}"
        );
    }
}

#[test]
fn a_full_queue_drops_and_counts_and_tells() {
    let output = Output::default();
    let (events, guard) = Events::to(output.clone(), 4).unwrap();
    let held = output.held.lock().unwrap();
    (0..100).for_each(|count| events.emit(numbered(count)));
    drop(held);
    drop(guard);
    let lines = output.lines();
    let told: u64 =
        lines.iter().filter(|line| line.contains("\"type\":\"dropped\"")).map(|line| count(line)).sum();
    let written = lines.iter().filter(|line| line.contains("\"type\":\"prepared\"")).count();
    assert!(written >= 4 && told >= 1, "{lines:?}");
    assert_eq!(written as u64 + told, 100);
}

#[test]
fn what_could_not_be_written_is_told_once_it_can() {
    let output = Output::default();
    *output.broken.lock().unwrap() = true;
    let (events, guard) = Events::to(output.clone(), 1000).unwrap();
    (0..400).for_each(|count| events.emit(numbered(count)));
    let Some(Queue::Writer { dropped, .. }) = &events.queue else { panic!("it writes") };
    while dropped.load(Ordering::Relaxed) == 0 {
        std::thread::yield_now();
    }
    *output.broken.lock().unwrap() = false;
    drop(guard);
    let lines = output.lines();
    let told: u64 =
        lines.iter().filter(|line| line.contains("\"type\":\"dropped\"")).map(|line| count(line)).sum();
    let written = lines.iter().filter(|line| line.contains("\"type\":\"prepared\"")).count();
    assert!(told > 0);
    assert_eq!(written as u64 + told, 400);
}

#[test]
fn emitting_after_the_end_does_no_harm() {
    let output = Output::default();
    let (events, guard) = Events::to(output.clone(), 100).unwrap();
    events.emit(numbered(1));
    drop(guard);
    events.emit(numbered(2));
    assert_eq!(output.lines().len(), 1);
}

#[test]
fn a_file_is_appended_to() {
    let path = std::env::temp_dir().join(format!("remand-events-{}.jsonl", std::process::id()));
    for _ in 0..2 {
        let (events, guard) = Events::start(&plan::Events::File(path.clone())).unwrap();
        events.emit(numbered(1));
        drop(guard);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    std::fs::remove_file(&path).unwrap();
    assert!(Events::start(&plan::Events::File("/nowhere/at/all".into())).is_err());
}

fn count(line: &str) -> u64 {
    line.rsplit_once(':').unwrap().1.trim_end_matches('}').parse().unwrap()
}
