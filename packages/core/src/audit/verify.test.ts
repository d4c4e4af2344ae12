import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAuditLog } from "./open-audit-log.ts";
import { TestLog } from "./testing/test-log.ts";

let test: TestLog;

beforeEach(() => {
  test = new TestLog();
});

afterEach(() => test.remove());

describe("verifying", () => {
  beforeEach(() => test.writeThreeDays());

  it("accepts an empty log", async () => {
    const empty = openAuditLog(join(test.folder, "none"));
    expect(await empty.verify()).toEqual({ ok: true, lines: 0 });
    expect(existsSync(join(test.folder, "none"))).toBe(false);
  });

  const edited = (line: string | undefined): string =>
    (line ?? "").replace('"actor":"greg"', '"actor":"anna"');

  it.each<[string, string, number, string, () => void]>([
    [
      "an edited line",
      "2026-11-19",
      2,
      "edited",
      () => test.tamper("2026-11-19", ([a = "", b, c = ""]) => [a, edited(b), c]),
    ],
    [
      "an edited last line of a day",
      "2026-11-18",
      3,
      "edited",
      () => test.tamper("2026-11-18", ([a = "", b = "", c]) => [a, b, edited(c)]),
    ],
    [
      "an edited last line of all",
      "2026-11-20",
      3,
      "edited",
      () => test.tamper("2026-11-20", ([a = "", b = "", c]) => [a, b, edited(c)]),
    ],
    [
      "a removed line",
      "2026-11-19",
      2,
      "removed",
      () => test.tamper("2026-11-19", ([a = "", , c = ""]) => [a, c]),
    ],
    [
      "a removed first line",
      "2026-11-18",
      1,
      "removed",
      () => test.tamper("2026-11-18", ([, ...rest]) => rest),
    ],
    ["a removed day", "2026-11-20", 1, "removed", () => rmSync(test.day("2026-11-19"))],
    ["a removed first day", "2026-11-19", 1, "removed", () => rmSync(test.day("2026-11-18"))],
    [
      "swapped lines",
      "2026-11-19",
      1,
      "reordered",
      () => test.tamper("2026-11-19", ([a = "", b = "", c = ""]) => [b, a, c]),
    ],
    [
      "a repeated line",
      "2026-11-19",
      3,
      "reordered",
      () => test.tamper("2026-11-19", ([a = "", b = "", c = ""]) => [a, b, b, c]),
    ],
    [
      "a removed last line",
      "2026-11-20",
      2,
      "truncated",
      () => test.tamper("2026-11-20", ([a = "", b = ""]) => [a, b]),
    ],
    ["a removed last day", "2026-11-19", 3, "truncated", () => rmSync(test.day())],
    [
      "a last line cut in half",
      "2026-11-20",
      3,
      "unreadable",
      () => truncateSync(test.day(), readFileSync(test.day()).length - 20),
    ],
    [
      "a line in the middle that is no JSON",
      "2026-11-19",
      2,
      "unreadable",
      () => test.tamper("2026-11-19", ([a = "", , c = ""]) => [a, "oops", c]),
    ],
    ["a missing note of the end", "2026-11-20", 3, "truncated", () => rmSync(join(test.folder, "head.json"))],
  ])("reports %s with its position", async (_what, date, line, kind, tamper) => {
    tamper();
    expect(await test.log.verify()).toMatchObject({ ok: false, file: `${date}.ndjson`, line, kind });
  });

  it("reports a removed end after further lines", async () => {
    test.tamper("2026-11-20", ([a = "", b = ""]) => [a, b]);
    await test.write(2);
    expect(await test.log.verify()).toMatchObject({
      ok: false,
      file: "2026-11-20.ndjson",
      line: 3,
      kind: "removed",
    });
  });

  it("reports an incomplete line after further lines, which stay readable", async () => {
    truncateSync(test.day(), readFileSync(test.day()).length - 20);
    await test.log.append({ event: "signed_in" });
    expect(await test.log.verify()).toMatchObject({ ok: false, line: 3, kind: "unreadable" });
    expect((await test.log.tail(1))[0]).toMatchObject({ event: "signed_in", seq: 10 });
  });

  it("reports foreign lines after further lines", async () => {
    appendFileSync(test.day(), '{"hello":"there"}\n');
    await test.write(2);
    expect(await test.log.verify()).toMatchObject({ ok: false, line: 4, kind: "unreadable" });
  });

  it("records in the log that head.json was missing", async () => {
    rmSync(join(test.folder, "head.json"));
    await test.write(1);
    expect((await test.log.tail(2)).map(({ event }) => event)).toEqual(["audit_end_lost", "skill_called"]);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 11 });
  });
});
