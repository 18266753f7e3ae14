// openai-node against scripts, by the helper that ships.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import test from "node:test";

import OpenAI from "openai";

import { Provider, Unmet, replay } from "../../../replay/clients/remand-replay.mjs";

const SCRIPTS = new URL("../scripts/", import.meta.url);
const ask = (text) => ({ model: "any", messages: [{ role: "user", content: text }] });
const client = (session) => new OpenAI({ baseURL: session.baseURL, apiKey: "none" });

test("a script is played step by step", async (t) => {
  const provider = await replay(t, '[[step]]\n[[step.block]]\ntext = "one"\n[[step]]\n[[step.block]]\ntext = "two"\n');
  for (const said of ["one", "two"]) {
    const answer = await client(provider).chat.completions.create(ask("hi"));
    assert.equal(answer.choices[0].message.content, said);
  }
  assert.deepEqual((await provider.journal()).map((request) => request.step), [0, 1]);
});

test("a miss is one request, and fails though it was swallowed", async () => {
  const provider = await Provider.start('[[step]]\nname = "bye"\nwhen = { last_user_equals = "bye" }\nfinish = "stop"\n');
  try {
    const missed = client(provider).chat.completions.create(ask("hi"));
    await assert.rejects(missed, (error) => error.status === 422 && error.message.includes('expected "bye", got "hi"'));
    assert.equal((await provider.journal()).length, 1);
    await assert.rejects(provider.verify(), (error) => error instanceof Unmet && error.message.includes("never served"));
    await provider.reset();
    assert.deepEqual(await provider.journal(), []);
  } finally {
    await provider.close();
  }
});

test("sessions play apart", async (t) => {
  const provider = await replay(t, '[[step]]\n[[step.block]]\ntext = "mine"\n');
  for (const name of ["a", "b c"]) {
    const session = provider.session(name);
    const answer = await client(session).chat.completions.create(ask("hi"));
    assert.equal(answer.choices[0].message.content, "mine");
    await session.verify();
  }
});

test("a gate holds a stream until it is released", async (t) => {
  const provider = await replay(t, '[[step]]\n[[step.block]]\ntext = "one"\n[[step.block]]\ngate = "g"\n[[step.block]]\ntext = "two"\n');
  const stream = await client(provider).chat.completions.create({ ...ask("hi"), stream: true });
  let text = "";
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (text === "one") {
      await provider.waitForGate("g");
      await provider.release("g");
    }
  }
  assert.equal(text, "onetwo");
});

test("arguments of every script, split at each byte, are assembled", async (t) => {
  const files = (await readdir(SCRIPTS)).filter((file) => file.endsWith(".toml"));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, SCRIPTS), "utf8")));
  const all = texts.flatMap((text) => [...text.matchAll(/arguments = '([^'\n]*)'/g)].map((found) => found[1]));
  // What takes over from the request has no text of its own.
  const own = all.filter((text) => !text.includes("{{"));
  const known = [...new Set([...own, '{"path":"C:\\\\temp\\\\é🌍\\n"}'])];
  assert.ok(known.length > 10);
  const steps = known.flatMap((text) => Array.from({ length: Buffer.byteLength(text) }, (_, at) =>
    `[[step]]\nsplit = ${at}\n[[step.block]]\ncall = { name = "f", arguments = '${text}' }\n`));
  const provider = await replay(t, `ordered = true\n${steps.join("")}`);
  const openai = client(provider);
  for (const text of known) {
    for (let at = 0; at < Buffer.byteLength(text); at++) {
      const stream = await openai.chat.completions.create({ ...ask("hi"), stream: true });
      let assembled = "";
      for await (const chunk of stream) {
        for (const call of chunk.choices[0]?.delta.tool_calls ?? []) assembled += call.function.arguments;
      }
      assert.equal(assembled, text);
    }
  }
});
