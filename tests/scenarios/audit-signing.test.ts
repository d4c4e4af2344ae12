import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mh } from "../support/cli.ts";

let home: string;
const log = () => join(home, "profiles", "ada", "logs", "audit");
const keys = () => join(home, "profiles", "system.keys");
const verify = async (env: Record<string, string> = {}) => mh(home, ["audit", "verify"], env);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "metahuman-audit-"));
  const made = await mh(home, ["init", "ada"], { METAHUMAN_PASSWORD: "correct horse battery" });
  expect(made).toMatchObject({ code: 0 });
  await mh(home, ["task", "add", "water the ferns"]);
  await mh(home, ["trust", "bounded_auto"]);
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe("mh audit", () => {
  it("verifies a signed log, and reports a lost one", async () => {
    expect((await verify()).out).toMatch(
      /(?:All \d+ lines are|The only line is) intact\. Its end is signed\./u,
    );
    expect(statSync(join(keys(), "audit.key")).mode & 0o077).toBe(0);
    rmSync(log(), { recursive: true });
    const lost = await verify();
    expect(lost.code).toBe(1);
    expect(lost.out + lost.err).toMatch(/all \d+ lines of the log are gone/u);
  });

  it("exports the key for its owner, once to each file, and never writes it to the log", async () => {
    const file = join(home, "audit.key.copy");
    expect((await mh(home, ["audit", "key", "export", file])).code).toBe(0);
    expect(statSync(file).mode & 0o077).toBe(0);
    const key = readFileSync(join(keys(), "audit.key"), "utf8").trim();
    expect(readFileSync(file, "utf8").trim()).toBe(key);
    expect((await mh(home, ["audit", "key", "export"])).out).toContain(key);
    expect((await mh(home, ["audit", "key", "export", file])).code).not.toBe(0);
    const { out } = await mh(home, ["audit", "search", "audit_key_exported"]);
    expect(out).toContain("audit_key_exported");
    expect(out).not.toContain(key);
  });

  it("signs a log from before there were signatures at its next start, and records it", async () => {
    rmSync(keys(), { recursive: true });
    expect((await verify()).out).toMatch(/Its end is signed; lines before line \d+ were written before/u);
    expect((await mh(home, ["audit", "tail"])).out).toContain("audit_signing_started");
  });

  it("reads its key from METAHUMAN_SECRET_KEY, and refuses an invalid one", async () => {
    rmSync(keys(), { recursive: true });
    const env = { METAHUMAN_SECRET_KEY: Buffer.alloc(32, 1).toString("base64") };
    expect((await verify(env)).code).toBe(0);
    expect(existsSync(join(keys(), "audit.key"))).toBe(false);
    expect((await mh(home, ["audit", "key", "export"], env)).err).toContain("METAHUMAN_SECRET_KEY");
    const refused = await verify({ METAHUMAN_SECRET_KEY: "short" });
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain("32 bytes in base64");
  });

  it("does not take over a log whose signed end was changed", async () => {
    const path = join(keys(), "audit-heads", "ada.json");
    writeFileSync(path, readFileSync(path, "utf8").replace(/"seq":\d+/u, '"seq":7'));
    expect((await verify()).code).toBe(1);
  });
});
