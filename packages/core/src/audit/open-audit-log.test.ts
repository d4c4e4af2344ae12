import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { openAuditLog } from "./open-audit-log.ts";
import { runId } from "./audit-log.suite.ts";
import { TestLog } from "./testing/test-log.ts";

let test: TestLog;

beforeEach(() => {
  test = new TestLog();
});

afterEach(() => test.remove());

/** Another process, which waits for a line before it appends. */
function startAppending(actor: string, lines: number) {
  const program = join(import.meta.dirname, "testing", "append-process.ts");
  return spawn(process.execPath, [program, test.folder, actor, String(lines)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

describe("appending", () => {
  it("writes one line per call with the hash of the previous line, and flushes it before it returns", async () => {
    await test.log.append({ event: "signed_in", actor: "greg", surface: "page" });
    expect(test.lines()).toHaveLength(1);
    await test.log.append({ event: "skill_called", runId, details: { tool: "fs_write" } });
    const [first, second] = test.lines().map((line): unknown => JSON.parse(line));
    expect(first).toMatchObject({
      seq: 1,
      at: "2026-11-20T12:00:00.000Z",
      event: "signed_in",
      actor: "greg",
      details: {},
      previous: "0".repeat(64),
    });
    expect(second).toMatchObject({
      seq: 2,
      runId,
      details: { tool: "fs_write" },
      previous: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    expect(await test.log.verify()).toEqual({ ok: true, lines: 2 });
  });

  it("continues the chain across days and restarts", async () => {
    await test.writeThreeDays();
    await test.restart();
    await test.write(1);
    expect(readdirSync(test.folder).filter((name) => name.endsWith(".ndjson"))).toHaveLength(3);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 10 });
  });

  it("stays in the newest file if the clock is set back", async () => {
    await test.writeThreeDays();
    test.now = new Date("2026-11-18T23:00:00.000Z");
    await test.write(1);
    expect((await test.log.tail(1))[0]).toMatchObject({ seq: 10, at: "2026-11-18T23:00:00.000Z" });
    expect(test.lines("2026-11-18")).toHaveLength(3);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 10 });
  });

  it("throws a typed error if it cannot write", async () => {
    writeFileSync(join(test.folder, "..", "..", "blocked"), "a file in the way");
    const blocked = openAuditLog(join(test.folder, "..", "..", "blocked"));
    await expect(blocked.append({ event: "signed_in" })).rejects.toThrow(MetahumanError);
    await blocked.close();
  });
});

describe("after a crash", () => {
  it("counts lines that head.json does not include", async () => {
    await test.write(2);
    const noted = readFileSync(join(test.folder, "head.json"));
    await test.write(2);
    writeFileSync(join(test.folder, "head.json"), noted);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 4 });
    await test.write(1);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 5 });
  });

  it("counts such lines of a new day", async () => {
    await test.write(2);
    const noted = readFileSync(join(test.folder, "head.json"));
    test.now = new Date("2026-11-21T00:00:00.000Z");
    await test.write(2);
    writeFileSync(join(test.folder, "head.json"), noted);
    await test.write(1);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 5 });
  });

  it("drops an incomplete line, which was never acknowledged", async () => {
    await test.write(2);
    appendFileSync(test.day(), '{"seq":3,"at":"2026-11-2');
    expect(await test.log.verify()).toEqual({ ok: true, lines: 2 });
    expect(await test.log.tail(5)).toHaveLength(2);
    await test.write(1);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 3 });
  });

  it.skipIf(process.platform === "win32")(
    "leaves no incomplete line on a full disk, and continues later",
    async () => {
      const program = join(import.meta.dirname, "testing", "append-process.ts");
      const command = [
        "-c",
        'ulimit -f 8; exec "$@"',
        "sh",
        process.execPath,
        program,
        test.folder,
        "greg",
        "1000",
      ];
      const child = spawn("sh", command, { stdio: ["pipe", "ignore", "pipe"] });
      child.stdin.write("go\n");
      const output = (await Array.fromAsync(createInterface({ input: child.stderr }))).join("\n");
      expect(output).toContain("STORAGE_FULL");
      // The other process uses the real clock.
      const kept = test.allLines().length;
      expect(kept).toBeGreaterThan(5);
      await test.write(1);
      expect(await test.log.verify()).toEqual({ ok: true, lines: kept + 1 });
    },
  );

  it("loses no acknowledged line when its process is killed, and continues", async () => {
    const child = startAppending("greg", 100_000);
    const ended = once(child, "exit");
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === "ready") child.stdin.write("go\n");
      else acknowledged = Number(line);
      if (acknowledged === 40) child.kill("SIGKILL");
    }
    await ended;
    await test.write(1);
    const verified = await test.log.verify();
    expect(verified.ok).toBe(true);
    expect(verified.lines).toBeGreaterThanOrEqual(acknowledged + 1);
    const { items } = await test.log.search({ event: "counted", limit: 500 });
    expect(items.some(({ details }) => details["n"] === acknowledged)).toBe(true);
  });
});

describe("several processes", () => {
  it("write one chain", async () => {
    const children = ["ann", "ben"].map((actor) => startAppending(actor, 60));
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    const ended = children.map((child) => once(child, "exit"));
    for (const child of children) {
      child.stdout.resume();
      child.stdin.write("go\n");
    }
    await Promise.all([test.write(30), ...ended]);
    expect(await test.log.verify()).toEqual({ ok: true, lines: 150 });
    for (const actor of ["ann", "ben"]) {
      const { items, total } = await test.log.search({ query: actor, limit: 100 });
      expect(total).toBe(60);
      expect(items.map(({ details }) => details["n"])).toEqual(Array.from({ length: 60 }, (_, n) => 60 - n));
    }
  });
});
