// The page of the replay server in a browser: what came, which step answered it, and why none did.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import OpenAI from "openai";
import { chromium } from "playwright-core";

import { replay, Provider } from "../../../replay/clients/remand-replay.mjs";

const SCRIPT = `
[[step]]
name = "greeting"
when = { last_user_equals = "hello" }
[[step.block]]
text = "Hello yourself."

[[step]]
name = "held"
when = { last_user_equals = "wait" }
[[step.block]]
gate = "door"
[[step.block]]
text = "At last."
`;

const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** The page of a provider in a browser of its own, and all addresses it asks for. */
async function open(t, provider) {
  const folder = await mkdtemp(join(tmpdir(), "remand-page-"));
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launchPersistentContext(folder, { executablePath, args: QUIET, viewport: { width: 1200, height: 760 } });
  t.after(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });
  const page = await browser.newPage();
  const asked = [], faults = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`${provider.url}/__replay/`);
  await page.getByRole("status").filter({ hasText: "unused" }).waitFor();
  return { page, asked, faults };
}

const client = (session) => new OpenAI({ baseURL: session.baseURL, apiKey: "none" });
const say = (session, text, options = {}) =>
  client(session).chat.completions.create({ model: "any", messages: [{ role: "user", content: text }], ...options });

test("the page tells what came, and why a request missed", async (t) => {
  const provider = await Provider.start(SCRIPT);
  t.after(() => provider.close());
  const { page, asked, faults } = await open(t, provider);
  const list = page.getByRole("list", { name: "Requests" });

  await say(provider, "hello");
  await list.getByRole("button", { name: "step 1" }).waitFor();

  // It comes without a reload, and says at first sight what was expected and what came.
  await assert.rejects(say(provider, "good bye"));
  const missed = list.getByRole("button", { name: "missed" });
  await missed.click();
  const detail = page.locator("#detail");
  await detail.getByText('expected "hello", got "good bye"').first().waitFor();
  assert.equal(await detail.getByRole("row", { name: "greeting" }).count(), 1);
  assert.ok((await detail.locator("pre").first().innerText()).includes('"good bye"'), "the body is shown");
  assert.match(await page.getByRole("status").innerText(), /^1 missed, 1 step unused$/);

  await page.getByRole("checkbox", { name: "only misses" }).check();
  assert.equal(await list.getByRole("button").count(), 1);
  await page.getByRole("checkbox", { name: "only misses" }).uncheck();

  // Which step would answer a request that never came.
  await page.getByRole("button", { name: "Try a request" }).click();
  await page.getByRole("textbox", { name: "Body of a request" }).fill('{"model":"m","messages":[{"role":"user","content":"wait"}]}');
  await page.getByRole("button", { name: "Which step would answer?" }).click();
  await detail.getByRole("row", { name: "held" }).getByText("answers", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Body of a request" }).fill("no json");
  await page.getByRole("button", { name: "Which step would answer?" }).click();
  await detail.locator(".bad").first().waitFor();

  if (process.env.REMAND_PICTURE) {
    await missed.click();
    await detail.getByText('got "good bye"').first().waitFor();
    await page.screenshot({ path: process.env.REMAND_PICTURE });
  }
  assert.deepEqual(faults, []);
  assert.deepEqual(asked.filter((url) => !url.startsWith(provider.url) && !url.startsWith("data:")), [], "nothing from elsewhere");
});

test("a gate is opened on the page, and sessions are told apart", async (t) => {
  const provider = await replay(t, SCRIPT);
  const session = provider.session("one");
  const { page } = await open(t, provider);
  const waits = say(session, "wait");
  await page.getByRole("button", { name: "Open gate door" }).click();
  assert.equal((await waits).choices[0].message.content, "At last.");
  await page.getByRole("button", { name: "Open gate door" }).waitFor({ state: "detached" });

  await say(session, "hello");
  await Promise.all(["hello", "wait"].map(async (text) => {
    if (text === "wait") await provider.release("door");
    await say(provider, text);
  }));
  const list = page.getByRole("list", { name: "Requests" });
  await page.getByRole("combobox", { name: "Session" }).selectOption("one");
  await list.getByRole("button").nth(2).waitFor({ state: "detached" });
  assert.equal(await list.getByRole("button").count(), 2);
  await page.getByRole("status").filter({ hasText: "all steps served, nothing missed" }).waitFor();
});
