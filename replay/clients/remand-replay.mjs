// A scripted provider for tests with node:test. One file: copy it beside your tests, it needs nothing but `remand`.
//
//     import test from "node:test";
//     import { replay } from "./remand-replay.mjs";
//
//     test("agent", async (t) => {
//       const provider = await replay(t, "scripts/order.toml");
//       await runMyAgent({ baseURL: provider.baseURL });
//     });
//
// When the test ends, it fails if a request came that no step answers, or if a step never served. The program is the
// one that REMAND_BIN names, or `remand` on the path.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The script was not played as it is written. */
export class Unmet extends Error {}

/** A play of the script from its beginning, apart from all others. */
export class Session {
  constructor(url, name = "") {
    this.url = url;
    this.name = name;
    this.baseURL = name ? `${url}/s/${encodeURIComponent(name)}/v1` : `${url}/v1`;
  }

  /** The requests so far, as they came: `journal({ outcome: "missed" })`, `journal({ step: 0 })`. */
  journal(filters = {}) {
    return this.#ask("GET", "journal", filters);
  }

  /** Resolves once an answer has come to the gate so often. */
  async waitForGate(gate, times = 1) {
    await this.#ask("GET", "gates/wait", { name: gate, times });
  }

  /** Opens a gate, now and for all who come later. */
  async release(gate) {
    await this.#ask("POST", "gates/release", { name: gate });
  }

  /** Plays the script from its beginning, and forgets what was missed. */
  async reset() {
    await this.#ask("POST", "reset");
  }

  /** Throws if something was missed, though the agent may have swallowed it, or if a step never served. */
  async verify() {
    const { ok, misses, unused } = await this.#ask("GET", "verify");
    if (!ok) throw new Unmet([...misses, ...unused.map((step) => `${step} never served`)].join("\n"));
  }

  async #ask(method, path, query = {}) {
    const session = this.name ? { session: this.name } : {};
    const answer = await fetch(`${this.url}/__replay/${path}?${new URLSearchParams({ ...session, ...query })}`, { method });
    if (!answer.ok && answer.status !== 409) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

/** `remand replay` on a free port of this machine. */
export class Provider extends Session {
  #process;
  #folder;

  constructor(url, process, folder) {
    super(url);
    this.#process = process;
    this.#folder = folder;
  }

  /** Plays scripts: paths, or a script as text. */
  static async start(...scripts) {
    const folder = await mkdtemp(join(tmpdir(), "remand-replay-"));
    const paths = await Promise.all(scripts.map(async (script, number) => {
      if (!script.includes("\n")) return script;
      const path = join(folder, `${number}.toml`);
      await writeFile(path, script);
      return path;
    }));
    const program = process.env.REMAND_BIN ?? "remand";
    const child = spawn(program, ["replay", ...paths, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (complaint += text));
    const lines = createInterface({ input: child.stdout });
    const address = once(lines, "line").then(([line]) => line.split(" at ")[1]);
    const ended = once(child, "close").then(() => {
      throw new Error(complaint || `${program} ended before it served`);
    });
    ended.catch(() => {});
    try {
      const baseURL = await Promise.race([address, ended]);
      return new Provider(baseURL.replace(/\/v1$/, ""), child, folder);
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  session(name) {
    return new Session(this.url, name);
  }

  /** Ends the program. */
  async close() {
    if (this.#process.exitCode === null) {
      const closed = once(this.#process, "close");
      this.#process.kill();
      await closed;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A provider for the time of a test, verified when it ends. */
export async function replay(t, ...scripts) {
  const provider = await Provider.start(...scripts);
  t.after(async () => {
    try {
      await provider.verify();
    } finally {
      await provider.close();
    }
  });
  return provider;
}
