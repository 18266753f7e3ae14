//! How an answer ends that is not the provider's to end.

use bytes::Bytes;
use http::HeaderValue;

use crate::dialect::Closing;
use crate::guard::Reason;
use crate::guard::notice::Notice;
use crate::observe::event::Ended;

use super::outlet::Head;
use super::rounds::Rounds;

/// Refusals of one choice that its last words tell of.
const TOLD: usize = 16;

const APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

impl Rounds<'_> {
    pub(super) async fn close(&mut self, closing: Closing) {
        if matches!(closing, Closing::Words(_)) {
            self.outlet.account.act(Reason::FellBack);
        }
        self.answer.close(closing);
        let mut out = Vec::new();
        while self.answer.release(&mut out) {}
        self.finish(out).await;
    }

    /// The model will not end in words: they are said in its place.
    pub(super) async fn say_instead(&mut self) {
        self.outlet.account.act(Reason::FellBack);
        let (words, mut out) = (self.last_words(), Vec::new());
        self.answer.say_instead(&words, &mut out);
        self.finish(out).await;
    }

    /// Sends the end of an answer that was held.
    pub(super) async fn finish(&mut self, mut out: Vec<Bytes>) {
        if let Err(broken) = self.answer.end(&mut out) {
            tracing::debug!(%broken, "an answer was closed before its end");
        }
        self.remember();
        self.outlet.account.outcome = Ended::Complete;
        if self.answer.is_whole() {
            let head = self.whole.take().unwrap_or_else(|| Head::own(&APPLICATION_JSON));
            self.outlet.open(&head, Some(out.iter().map(Bytes::len).sum()));
        } else if self.head.is_none() {
            self.head = Some(Head::own(&EVENT_STREAM));
        }
        self.send(out).await;
    }

    /// What is said in the model's place: what was refused, and why.
    pub(super) fn last_words(&self) -> String {
        let refusals = if self.refusals.is_empty() || self.concludes { &self.told } else { &self.refusals };
        self.words(refusals.iter().map(|refusal| refusal.text.as_str()))
    }

    fn words<'t>(&self, refusals: impl Iterator<Item = &'t str>) -> String {
        let texts: Vec<_> = refusals.collect();
        self.exchange.house.plan.rules.notices.text(Notice::FellBack, &[("refusals", &texts.join("\n"))])
    }

    /// A call was refused and nothing is asked again: should all of its choice be, that ends in words of its own.
    pub(super) fn refuse_in(&mut self, choice: u32, text: String) {
        if self.refused_in.iter().filter(|(of, _)| *of == choice).count() == TOLD {
            return;
        }
        self.refused_in.push((choice, text));
        let mine = self.refused_in.iter().filter(|(of, _)| *of == choice).map(|(_, text)| text.as_str());
        let words = self.words(mine);
        self.answer.close_choice(choice, words);
    }
}
