//! What `serve` says once it listens: where, for whom, and how to come in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::config::Plan;
use crate::config::plan::Upstream;
use crate::guard::Rules;
use crate::guard::rules::{Mode, Treatment};

/// Some readable lines, for a proxy that listens on `address`.
pub(super) fn text(plan: &Plan, address: SocketAddr) -> String {
    let scheme = if plan.listen.tls.is_some() { "https" } else { "http" };
    let mode = match plan.rules.mode {
        Mode::Enforce => "enforce",
        Mode::Observe => "observe",
    };
    let mut lines = vec![format!("remand {} listens on {scheme}://{address}", env!("CARGO_PKG_VERSION"))];
    lines.extend(plan.upstreams.iter().map(|upstream| format!("  upstream  {}", describe(upstream))));
    lines.push(format!("  mode      {mode}"));
    if plan.rules.mode == Mode::Observe {
        lines.push(
            "  nothing is held and no byte is changed; what `enforce` would stop goes through:".to_owned(),
        );
        lines.extend(unstopped(&plan.rules).into_iter().map(|what| format!("    - {what}")));
    }
    if !plan.listen.keys.is_empty() {
        lines.push("  an agent must present one of `listen.keys` as its API key".to_owned());
    } else if !address.ip().is_loopback() {
        lines.push("  anyone who can reach this address may use it; `listen.keys` closes it".to_owned());
    }
    lines.push(String::new());
    lines.push("Point an agent here:".to_owned());
    lines.push(format!("  export OPENAI_BASE_URL={scheme}://{}/v1", reachable(address)));
    lines.join("\n") + "\n"
}

fn describe(upstream: &Upstream) -> String {
    let takes = match (&upstream.models, &upstream.paths) {
        (None, None) => "",
        (Some(_), None) => "  (some models)",
        (None, Some(_)) => "  (some paths)",
        (Some(_), Some(_)) => "  (some models on some paths)",
    };
    format!("{}  {}{takes}", upstream.name, upstream.base_url)
}

/// What the rules would stop if they were enforced.
fn unstopped(rules: &Rules) -> Vec<String> {
    let mut list = vec!["arguments that are cut off or cannot be read".to_owned()];
    if rules.calls.unknown_tool == Treatment::Refuse {
        list.push("calls of tools that were not offered".to_owned());
    }
    if rules.calls.invalid == Treatment::Refuse {
        list.push("arguments that do not meet the tool's schema".to_owned());
    }
    if rules.failures.refuse {
        list.push("repeats of a call that has failed".to_owned());
    }
    let denials = rules.tools.iter().map(|tool| tool.deny.len()).sum::<usize>();
    if denials > 0 {
        let rules = if denials == 1 { "rule" } else { "rules" };
        list.push(format!("calls that meet one of {denials} `deny` {rules}"));
    }
    list
}

/// An address that this machine can connect to: nobody connects to "any address".
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Overrides, load};

    fn plan(overrides: Overrides) -> Plan {
        load(None, &overrides).unwrap()
    }

    #[test]
    fn says_where_it_listens_and_how_to_come_in() {
        let text = text(&plan(Overrides::default()), "127.0.0.1:8787".parse().unwrap());
        insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r"
        remand VERSION listens on http://127.0.0.1:8787
          upstream  openai  https://api.openai.com/v1
          mode      enforce

        Point an agent here:
          export OPENAI_BASE_URL=http://127.0.0.1:8787/v1
        ");
    }

    #[test]
    fn an_observer_says_what_it_does_not_stop() {
        let overrides = Overrides { mode: Some(Mode::Observe), ..Overrides::default() };
        let text = text(&plan(overrides), "0.0.0.0:80".parse().unwrap());
        insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r"
        remand VERSION listens on http://0.0.0.0:80
          upstream  openai  https://api.openai.com/v1
          mode      observe
          nothing is held and no byte is changed; what `enforce` would stop goes through:
            - arguments that are cut off or cannot be read
            - calls of tools that were not offered
            - arguments that do not meet the tool's schema
            - repeats of a call that has failed
          anyone who can reach this address may use it; `listen.keys` closes it

        Point an agent here:
          export OPENAI_BASE_URL=http://127.0.0.1:80/v1
        ");
    }

    #[test]
    fn tells_only_what_the_rules_would_stop() {
        let mut rules = Rules::default();
        rules.calls.unknown_tool = Treatment::Forward;
        rules.calls.invalid = Treatment::Forward;
        rules.failures.refuse = false;
        assert_eq!(unstopped(&rules).len(), 1);
    }

    #[test]
    fn an_address_of_ipv6_keeps_its_brackets() {
        let text = text(&plan(Overrides::default()), "[::]:8787".parse().unwrap());
        assert!(text.ends_with("OPENAI_BASE_URL=http://[::1]:8787/v1\n"), "{text}");
    }
}
