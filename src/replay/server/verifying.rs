//! A server that insists: dropped, it panics if something was missed or never served.

use std::ops::Deref;

use super::Server;

#[derive(Debug)]
pub struct Verifying(Server);

// === impl Verifying ===

impl Verifying {
    pub(super) fn new(server: Server) -> Self {
        Self(server)
    }
}

impl Deref for Verifying {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.0
    }
}

impl Drop for Verifying {
    #[expect(clippy::panic, reason = "it is how a test fails")]
    fn drop(&mut self) {
        // Two panics at once would hide the first.
        if let (Err(unmet), false) = (self.0.verify(), std::thread::panicking()) {
            panic!("the script was not played as it is written:\n{unmet}");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::replay::{Script, Server, Step};

    #[tokio::test]
    async fn an_unused_step_fails_the_test() {
        let server = Server::start(Script::new().step(Step::new().say("a"))).unwrap().verifying();
        let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(server)));
        let message = dropped.unwrap_err().downcast::<String>().unwrap();
        assert!(message.ends_with("step 1 never served"), "{message}");
        drop(Server::start(Script::new()).unwrap().verifying());
    }
}
