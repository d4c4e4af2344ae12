import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import {
  GENESIS,
  hashLine,
  openAuditKey,
  openAuditSigning,
  parseLine,
  retireSignedHead,
} from "./signed-chain.ts";
import { TestLog } from "./testing/test-log.ts";

let test: TestLog;
let home: string;
let anchorFile: string;

beforeEach(async () => {
  test = new TestLog();
  home = join(test.folder, "..", "..", "home");
  anchorFile = join(test.folder, "..", "..", "anchors.ndjson");
  await sign();
});

afterEach(() => test.remove());

async function sign(env: Record<string, string> = {}): Promise<void> {
  test.options = {
    signing: openAuditSigning(home, "ada", openAuditKey(home, env)),
    anchorFile: () => anchorFile,
  };
  await test.restart();
}

const keys = () => join(home, "profiles", "system.keys");
const noted = () => join(keys(), "audit-heads", "ada.json");

/**
 * The attack of somebody with write access to the profile: changes a line, recomputes the chain and records its end.
 */
function rewrite(date: string, from: string, to: string): void {
  let previous = GENESIS;
  let seq = 0;
  test.tamper(date, (lines) =>
    lines.map((line) => {
      const entry = parseLine(line.replace(from, to));
      const forged = JSON.stringify({ ...entry, previous });
      previous = hashLine(forged);
      seq += 1;
      return forged;
    }),
  );
  const bytes = statSync(test.day(date)).size;
  const head = { seq, hash: previous, file: `${date}.ndjson`, bytes };
  writeFileSync(join(test.folder, "head.json"), JSON.stringify(head));
}

describe("a signed log", () => {
  it("is verified with its signature, across restarts", async () => {
    await test.write(3);
    await test.restart();
    await test.write(1);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 4, signedFrom: 1 });
  });

  it("detects a rewritten chain, at once and after further lines", async () => {
    await test.write(3);
    rewrite("2026-11-20", '"actor":"greg"', '"actor":"anna"');
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "rewritten", line: 3 });
    await test.write(1);
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "edited", line: 3 });
  });

  it("detects a log that was reset to an earlier state, at once and after further lines", async () => {
    await test.write(2);
    const copy = join(test.folder, "..", "copy");
    cpSync(test.folder, copy, { recursive: true });
    await test.write(3);
    await test.log.close();
    rmSync(test.folder, { recursive: true });
    cpSync(copy, test.folder, { recursive: true });
    await test.restart();
    expect(await test.log.verify()).toMatchObject({
      ok: false,
      kind: "truncated",
      line: 2,
      message: expect.stringContaining("3 lines after this one were removed") as unknown,
    });
    await test.write(1);
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "removed", line: 3 });
  });

  it("detects a deleted log, at once and after further lines", async () => {
    await test.write(5);
    await test.log.close();
    rmSync(test.folder, { recursive: true });
    await test.restart();
    expect(await test.log.verify()).toMatchObject({
      ok: false,
      kind: "lost",
      message: expect.stringContaining("all 5 lines") as unknown,
    });
    await test.write(1);
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "removed", lines: 0 });
  });

  it("detects a changed signed end, and records it with the next line", async () => {
    await test.write(3);
    writeFileSync(noted(), readFileSync(noted(), "utf8").replace('"seq":3', '"seq":2'));
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "forged" });
    await test.write(1);
    expect((await test.log.tail(2)).map(({ event }) => event)).toEqual([
      "audit_signature_invalid",
      "skill_called",
    ]);
  });

  it("is valid if its process died before it recorded the end", async () => {
    await test.write(2);
    const [before, head] = [readFileSync(noted()), readFileSync(join(test.folder, "head.json"))];
    await test.write(2);
    writeFileSync(noted(), before);
    writeFileSync(join(test.folder, "head.json"), head);
    expect(await test.log.verify()).toMatchObject({ ok: true, lines: 4 });
    await test.write(1);
    expect(await test.log.verify()).toMatchObject({ ok: true, lines: 5, signedFrom: 1 });
  });
});

describe("a log of a version without signatures", () => {
  it("is signed at the first start, which the log records", async () => {
    test.options = {};
    await test.restart();
    await test.write(2);
    await sign();
    await test.log.startSigning();
    expect((await test.log.tail(1))[0]).toMatchObject({
      event: "audit_signing_started",
      details: { unsignedLines: 2 },
    });
    expect(await test.log.verify()).toEqual({ ok: true, lines: 3, signedFrom: 3 });
    await test.log.startSigning();
    expect(await test.log.verify()).toMatchObject({ lines: 3 });
  });

  it("stays empty if nothing was written", async () => {
    await test.log.startSigning();
    expect(await test.log.verify()).toEqual({ ok: true, lines: 0 });
    expect(existsSync(noted())).toBe(false);
  });
});

describe("the key", () => {
  it("is stored outside of profiles, readable only by its owner, and kept across restarts", () => {
    const key = openAuditKey(home, {});
    expect(statSync(join(keys(), "audit.key")).mode & 0o777).toBe(0o600);
    expect(statSync(keys()).mode & 0o777).toBe(0o700);
    expect(openAuditKey(home, {}).id).toBe(key.id);
    expect(Buffer.from(key.exported ?? "", "base64")).toHaveLength(32);
  });

  it("may come from the environment, and a change of keys is recorded", async () => {
    await test.write(1);
    await sign({ METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") });
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "forged" });
    await test.log.startSigning();
    expect((await test.log.tail(1))[0]).toMatchObject({ event: "audit_key_changed" });
    expect(await test.log.verify()).toEqual({ ok: true, lines: 2, signedFrom: 1 });
  });

  it("is rejected with advice if it has another length", () => {
    expect(() => openAuditKey(home, { METAHUMAN_SECRET_KEY: "c2hvcnQ=" })).toThrow(ConfigInvalidError);
    writeFileSync(join(keys(), "audit.key"), "damaged");
    expect(() => openAuditKey(home, {})).toThrow(
      expect.objectContaining({ suggestions: expect.arrayContaining([expect.stringContaining("export")]) }),
    );
  });

  it("does not compare a new profile's log with that of a removed profile of the same name", async () => {
    await test.write(3);
    await retireSignedHead(home, "ada");
    await test.log.close();
    rmSync(test.folder, { recursive: true });
    await test.restart();
    await test.write(1);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 1, signedFrom: 1 });
  });
});

describe("the anchor file", () => {
  it("gets one signed line per day", async () => {
    await test.write(1);
    expect(await test.log.anchorIfDue()).toBe(true);
    expect(await test.log.anchorIfDue()).toBe(false);
    test.now = new Date("2026-11-21T13:00:00.000Z");
    await test.write(1);
    expect(await test.log.anchorIfDue()).toBe(true);
    const lines = readFileSync(anchorFile, "utf8").trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { at: "2026-11-20T12:00:00.000Z", profile: "ada", seq: 1 },
      { at: "2026-11-21T13:00:00.000Z", profile: "ada", seq: 2 },
    ]);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 2, signedFrom: 1, anchors: 2 });
  });

  it("detects changes by an attacker who has the key", async () => {
    await test.write(3);
    await test.log.anchorIfDue();
    rewrite("2026-11-20", '"actor":"greg"', '"actor":"anna"');
    rmSync(noted());
    await test.log.startSigning();
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "rewritten", line: 3 });
    await test.log.close();
    rmSync(test.folder, { recursive: true });
    rmSync(noted());
    await test.restart();
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "lost" });
  });

  it("is invalid if one of its lines was changed; lines of other profiles do not count", async () => {
    await test.write(2);
    await test.log.anchorIfDue();
    appendFileSync(anchorFile, 'not json\n{"profile":"ben"}\n');
    expect(await test.log.verify()).toMatchObject({ ok: true, anchors: 1 });
    writeFileSync(anchorFile, readFileSync(anchorFile, "utf8").replace('"seq":2', '"seq":1'));
    expect(await test.log.verify()).toMatchObject({ ok: false, kind: "forged" });
  });
});
