//! One request of an agent and the one answer it gets, over as many rounds as that takes.
//!
//! Here the request is read, its history completed with what the agent did not see, and a body made that runs
//! the rounds while it is read. Nothing is spawned: an agent that leaves takes all of it along.

mod account;
mod ask;
mod carry;
mod failed;
mod inflow;
mod judge;
mod outlet;
mod overhear;
mod prepare;
mod pulse;
mod rounds;
mod run;
mod words;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;

use crate::dialect::{Dialect, Transcript, Unread};
use crate::guard::inspect;
use crate::guard::mend::Mended;
use crate::guard::{Key, Reason};
use crate::observe::event::Fact;
use crate::wire::splice::Splices;

use super::body::{self, Driven, Reply, Whole};
use super::door::Tenant;
use super::failure::Failure;
use super::house::{Admitted, House};
use super::prefix::Understood;
use super::upstream::{Prepared, Target, Way};
use account::Account;
use outlet::{Outlet, Unconnected};
use rounds::Rounds;

/// Frames that may wait for a slow agent before the provider is read no further.
const IN_FLIGHT: usize = 16;

/// A request that was read, and where it goes.
struct Exchange {
    house: Arc<House>,
    tenant: Tenant,
    /// As the agent sent it.
    transcript: Arc<Transcript>,
    /// As the provider is to be told it, where something in it had to be mended.
    mended: Option<Mended>,
    /// Changes to what is told before the first round.
    edits: Splices,
    target: Arc<Target>,
    prepared: Prepared,
    /// Calls refused in the answers just before this one, beside others that went out.
    refused_before: Vec<Key>,
    /// What was done to the request.
    prepared_for: Vec<Reason>,
}

/// Serves a request on a path of `dialect`.
pub(super) async fn run(
    house: Arc<House>,
    dialect: Dialect,
    admitted: Admitted,
) -> Result<Response<Reply>, Failure> {
    let Admitted { parts, body, entry } = admitted;
    let whole = body::read(body, &parts.headers, house.plan.listen.max_body).await?;
    let (body, way, encoded) = match whole {
        Whole::Plain(body) => (body, Way::Guarded, None),
        Whole::Encoded { bytes, why } => (bytes, Way::Encoded, Some(why.to_string())),
    };
    let mut account = Account::open(&house, body.len());
    let (earlier, trace) = house.prefixes.find(&entry.tenant, &body);
    let read = match encoded {
        Some(why) => Err(why),
        None => read(dialect, body.clone(), earlier.as_deref()).map_err(|unread| unread.to_string()),
    };
    let transcript = read.unwrap_or_else(|detail| {
        account.note(Fact::Unjudged { reason: Reason::Uninspected, detail });
        Transcript::unread(dialect, body)
    });
    let model = transcript.model().map(Cow::into_owned);
    let target = Arc::clone(house.upstreams.route(parts.uri.path(), model.as_deref()));
    account.goes_to(target.name(), model);
    let prepared = target.prepare(&parts, &entry.ours, way)?;
    let exchange = Exchange::new(house, entry.tenant, transcript, target, prepared, &account);
    exchange.house.prefixes.keep(&trace, Arc::clone(&exchange.transcript), !exchange.retells());
    exchange.start(account).await
}

/// Reads a request behind the earlier one that it begins with.
fn read(dialect: Dialect, body: Bytes, earlier: Option<&Understood>) -> Result<Transcript, Unread> {
    let mut transcript = dialect.read_behind(body, earlier.map(|earlier| &*earlier.transcript))?;
    if earlier.is_some_and(|earlier| !earlier.as_it_is) {
        transcript.unsettle();
    }
    Ok(transcript)
}

// === impl Exchange ===

impl Exchange {
    fn new(
        house: Arc<House>,
        tenant: Tenant,
        transcript: Transcript,
        target: Arc<Target>,
        prepared: Prepared,
        account: &Account,
    ) -> Self {
        let mended = prepare::mended(&house, &transcript, account);
        let prepared_for = mended.iter().flat_map(|mended| &mended.done).map(|done| done.reason).collect();
        let (edits, refused_before, transcript) = (Splices::default(), Vec::new(), Arc::new(transcript));
        let mut exchange =
            Self { house, tenant, transcript, mended, edits, target, prepared, refused_before, prepared_for };
        exchange.prepare(account, inspect::told_anew);
        if exchange.house.observes() {
            // What would be done is noted, and not done.
            (exchange.mended, exchange.edits) = (None, Splices::default());
        }
        exchange
    }

    /// The transcript that the provider is told: what is put in goes in here.
    fn told(&self) -> &Transcript {
        self.mended.as_ref().map_or(&self.transcript, |mended| &mended.transcript)
    }

    /// The history is not told as the agent sent it.
    fn retells(&self) -> bool {
        self.prepared_for.iter().any(|reason| reason.is_retold())
    }

    async fn start(self, account: Account) -> Result<Response<Reply>, Failure> {
        let outlet = Unconnected::new(account, &self.prepared_for, self.house.observes());
        let head = outlet.head();
        let driven = Driven::new(IN_FLIGHT, |sender| self.drive(outlet.connect(sender)));
        let driven = driven.first().await?;
        Ok(head.take()?.respond(Reply::driven(driven)))
    }

    async fn drive(self, outlet: Outlet) -> Result<(), Failure> {
        Rounds::new(&self, outlet).run().await
    }

    /// The request's body with what was done to it, and `appended` at the end of its history.
    fn body(&self, appended: &[Bytes], concludes: bool) -> Vec<Bytes> {
        let mut edits = self.edits.clone();
        if !appended.is_empty() {
            self.told().append(appended, &mut edits);
        }
        if concludes {
            self.told().conclude(&mut edits);
        }
        edits.pieces(self.told().body())
    }
}
