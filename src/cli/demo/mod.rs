//! `remand demo`: scenes that show what the proxy does, without a key and without a network.
//!
//! A scripted provider, the proxy and a small agent run in this process, over real sockets. What is told comes
//! from what the provider was asked and what the agent heard; if any of it is not as it should be, the demo
//! says so and fails.

mod agent;
mod page;
mod scene;
mod story;
mod tool;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;

use self::agent::Agent;
use self::page::Page;
use self::scene::{SCENES, Scene};
use self::story::Story;
use super::Exit;
use crate::config::{self, Overrides, Plan};
use crate::observe::Events;
use crate::{proxy, replay};

const SCRIPT: &str = include_str!("../../../replay/demo.toml");
const RULES: &str = include_str!("../../../replay/demo-config.toml");
const MODEL: &str = "scripted";

/// Characters of this program's name that fit into a line of the page.
const LONGEST_NAME: usize = 32;

#[derive(clap::Args, Debug)]
#[command(
    after_help = "Ends with 0 only if all went as told. REMAND_LOG=info shows the proxy's log beside it."
)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments) -> anyhow::Result<Exit> {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let differences = runtime.block_on(show(RULES, Page { colour }, &mut io::stdout()))?;
    Ok(end(&differences, &mut io::stderr())?)
}

/// How the demo ends, and what it says of what did not go as told.
fn end(differences: &[String], out: &mut impl Write) -> io::Result<Exit> {
    for difference in differences {
        writeln!(out, "not as told: {difference}")?;
    }
    Ok(if differences.is_empty() { Exit::Fine } else { Exit::Ours })
}

/// Plays and tells all scenes. What is returned did not go as it should.
async fn show(rules: &str, page: Page, out: &mut impl Write) -> anyhow::Result<Vec<String>> {
    let script = replay::Script::parse("replay/demo.toml", SCRIPT)?;
    let provider = replay::Server::start(script).context("failed to start the scripted provider")?;
    let plan = plan(rules, &provider.base_url())?;
    let proxy = proxy::server::Server::bind(plan, Events::default()).await?;
    let agent = Agent::new(format!("http://{}/v1", proxy.address()), MODEL);
    let telling = tell(page, &provider, &agent, out);
    let differences = tokio::select! {
        told = telling => told?,
        () = proxy.run(std::future::pending()) => anyhow::bail!("the proxy ended before the demo"),
    };
    provider.stop().await;
    Ok(differences)
}

fn plan(rules: &str, base_url: &str) -> anyhow::Result<Plan> {
    let overrides = Overrides {
        listen: Some(([127, 0, 0, 1], 0).into()),
        upstream: Some(base_url.parse().map_err(anyhow::Error::msg)?),
        ..Overrides::default()
    };
    let environment = |_: &str| None;
    Ok(config::parse("replay/demo-config.toml", rules, Path::new(""), &overrides, &environment)?)
}

/// This program as it was called: after `cargo run` there is no `remand` to be found by its name alone.
fn program() -> String {
    let called = std::env::args().next().filter(|called| called.chars().count() <= LONGEST_NAME);
    called.unwrap_or_else(|| "remand".to_owned())
}

async fn tell(
    page: Page,
    provider: &replay::Server,
    agent: &Agent,
    out: &mut impl Write,
) -> anyhow::Result<Vec<String>> {
    let mut stories = Vec::new();
    let mut differences = Vec::new();
    out.write_all(page.opening().as_bytes())?;
    for (number, scene) in SCENES.iter().enumerate() {
        let number = number + 1;
        match play(scene, provider, agent).await {
            Ok(story) => {
                out.write_all(page.scene(number, scene, &story).as_bytes())?;
                let found = story.differences(scene).into_iter();
                differences.extend(found.map(|difference| format!("scene {number}: {difference}")));
                stories.push(story);
            }
            Err(error) => differences.push(format!("scene {number}: {error:#}")),
        }
    }
    if let Err(unmet) = provider.verify() {
        differences.push(unmet.to_string());
    }
    if differences.is_empty() {
        out.write_all(page.table(&stories).as_bytes())?;
        out.write_all(page.closing(&program()).as_bytes())?;
    }
    Ok(differences)
}

async fn play(scene: &Scene, provider: &replay::Server, agent: &Agent) -> anyhow::Result<Story> {
    let mut turns = Vec::new();
    let mut from = provider.requests().len();
    agent
        .converse(scene.cancelled.as_ref(), scene.user, |turn| {
            let to = provider.requests().len();
            turns.push((turn, from..to));
            from = to;
        })
        .await?;
    Story::tell(provider, scene.cancelled.as_ref(), turns)
}
