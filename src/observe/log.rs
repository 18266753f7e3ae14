//! An event in the log, at a level that fits: what the operator should see by default is `info` and above.

use tracing::{debug, error, info, warn};

use super::event::{Ended, Event, Fact, Judged};
use super::line::clip;
use crate::guard::Reason;

/// One event at a level that is only known now.
macro_rules! at {
    ($level:expr, $($rest:tt)*) => {
        match $level {
            tracing::Level::ERROR => error!($($rest)*),
            tracing::Level::WARN => warn!($($rest)*),
            tracing::Level::INFO => info!($($rest)*),
            _ => debug!($($rest)*),
        }
    };
}

/// Tells the log. No content: a tool's name and the reasons.
pub(super) fn tell(event: &Event) {
    let exchange = clip(&event.exchange);
    match &event.fact {
        Fact::Judged { round, tool, verdict, reasons, .. } => {
            let level = match verdict {
                Judged::Forwarded => tracing::Level::DEBUG,
                Judged::Rewritten | Judged::Refused => tracing::Level::INFO,
                Judged::GaveUp => tracing::Level::WARN,
            };
            let reasons = codes(reasons);
            at!(level, exchange, round, tool = clip(tool), reasons, "call {}", verdict.code());
        }
        Fact::Prepared { reason, count } => {
            debug!(exchange, reason = reason.code(), count, "request prepared");
        }
        Fact::Remanded { round, refused } => info!(exchange, round, refused, "remanded to the model"),
        Fact::Ended {
            upstream,
            model,
            rounds,
            status,
            outcome,
            actions,
            input_tokens,
            output_tokens,
            ..
        } => {
            let level = match outcome {
                Ended::Complete | Ended::ProviderError | Ended::Abandoned => tracing::Level::INFO,
                Ended::Broken => tracing::Level::WARN,
                Ended::Failed => tracing::Level::ERROR,
            };
            let model = model.as_deref().map(clip);
            let outcome = outcome.code();
            let actions = (!actions.is_empty()).then(|| codes(actions));
            at!(
                level,
                exchange,
                upstream = clip(upstream),
                model,
                rounds,
                status,
                actions,
                input_tokens,
                output_tokens,
                "exchange {outcome}"
            );
        }
        Fact::Unjudged { reason, detail } => {
            warn!(exchange, reason = reason.code(), detail = clip(detail), "left alone");
        }
    }
}

fn codes(reasons: &[Reason]) -> String {
    let codes: Vec<&str> = reasons.iter().map(|reason| reason.code()).collect();
    codes.join(",")
}
