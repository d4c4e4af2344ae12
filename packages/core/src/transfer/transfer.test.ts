import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Schedule } from "../contract/schedule.ts";
import { ImportIncompleteError, InvalidArgsError } from "../errors/request-errors.ts";
import { testRecord } from "../memory/testing/test-record.ts";
import { filesOf, fill, fillState, openSpace, stateOf, zipOf, type Space } from "./testing/open-space.ts";

const spaces: Space[] = [];

async function space(): Promise<Space> {
  const opened = await openSpace();
  spaces.push(opened);
  return opened;
}

const { signal } = new AbortController();
const applying = { apply: true, replace: false, mayOpenFolders: true, signal };
const looking = { ...applying, apply: false };

let from: Space;

beforeEach(async () => {
  from = await space();
});
afterEach(async () => {
  for (const opened of spaces.splice(0)) await opened.close();
});

const exported = async (space: Space): Promise<Buffer> =>
  buffer((await space.transfer.export({ signal })).zip);

const bytes = (zip: Buffer) => Readable.from([zip]);

const FUNCTION = "memory/functions/2026/func-20260101-abc123.json";
const verified = JSON.stringify({
  id: "func-20260101-abc123",
  title: "Tidy up",
  trust: "verified",
  skillsUsed: ["fs_delete"],
  verification: { ok: true },
});

describe("an export that is restored into an empty profile", () => {
  it("restores files, archive, settings, conversations, runs, permissions, agents and counters", async () => {
    const id = await fill(from);
    await fillState(from);
    const to = await space();
    const report = await to.transfer.import(bytes(await exported(from)), applying);
    expect(to.restored()).toBe(1);
    expect(report).toMatchObject({ applied: true, source: { username: "ada", version: "1.2.3" } });
    expect(report.totals).toMatchObject({ refused: 0, conflicting: 0, changed: 3 });
    expect(report.kinds).toMatchObject({
      memory: { added: 2 },
      task: { added: 2 },
      conversation: { added: 2 },
      run: { added: 3 },
      agent: { added: 1 },
      grant: { changed: 1 },
    });
    expect(await stateOf(to)).toEqual(await stateOf(from));
    expect(await filesOf(to)).toEqual(await filesOf(from));
    expect((await Array.fromAsync(to.uses.batches())).flat()).toEqual(
      (await Array.fromAsync(from.uses.batches())).flat(),
    );
    expect(await to.memory.memory.get(id)).toEqual(await from.memory.memory.get(id));
    expect((await to.memory.memory.list({ limit: 9 })).total).toBe(2);
    expect(await to.memory.memory.archived()).toEqual(await from.memory.memory.archived());
    expect(await to.tasks.list({ includeDone: true })).toEqual(await from.tasks.list({ includeDone: true }));
    expect((await to.audit.search({ event: "profile_imported" })).total).toBe(1);
    expect((await from.audit.search({ event: "profile_exported" })).total).toBe(1);
  });

  it("restores schedules paused, because an import carries nothing out", async () => {
    const schedule: Schedule = {
      id: "sched-01kaswk2p0000000000000000a",
      title: "Sweep the floor",
      what: { kind: "request", goal: "create a task to sweep the floor" },
      when: { kind: "cron", expression: "30 7 * * 1-5" },
      timeZone: "Europe/Oslo",
      catchUp: "once",
      overlap: "skip",
      graceMinutes: 5,
      approvalMinutes: 720,
      skipDays: [],
      trustLevel: "supervised_auto",
      grants: ["task_create"],
      needsModel: false,
      enabled: true,
      createdBy: "ada",
      createdAt: "2026-11-20T08:00:00.000Z",
      updatedAt: "2026-11-20T08:00:00.000Z",
      version: 3,
    };
    await from.schedules.create(schedule);
    const to = await space();
    const zip = await exported(from);
    expect((await to.transfer.import(bytes(zip), applying)).kinds).toMatchObject({ schedule: { added: 1 } });
    expect(await to.schedules.list()).toEqual([
      { ...schedule, enabled: false, pausedReason: expect.stringContaining("restored from a backup") },
    ]);
    for (const space of [from, to])
      expect((await space.transfer.import(bytes(zip), applying)).totals).toMatchObject({
        added: 0,
        changed: 0,
        conflicting: 0,
      });
    expect(await from.schedules.list()).toEqual([schedule]);
  });

  it("restores the settings, too, if it is repeated after it stopped early", async () => {
    await fill(from);
    const files = Object.entries(await filesOf(from))
      .filter(([path]) => path.startsWith("memory/tasks/") || path === "profile.json")
      .map(([path, text]): [string, Buffer] => [path, Buffer.from(text, "base64")]);
    // The parts of an import are passed on in batches.
    const large = Array.from({ length: 6 }, (_, n): [string, Buffer] => [
      `out/${n}.bin`,
      randomBytes(3_000_000),
    ]);
    const contents = { ...Object.fromEntries([...files, ...large]), "out/a.txt": "AAAAAAAA" };
    const zip = await zipOf(contents, { compress: false });
    const damaged = Buffer.from(zip.toString("latin1").replace("AAAAAAAA", "BBBBBBBB"), "latin1");
    const to = await space();
    await expect(to.transfer.import(bytes(damaged), applying)).rejects.toThrow(ImportIncompleteError);
    const { kinds } = await to.transfer.import(bytes(zip), applying);
    expect(kinds).toMatchObject({ task: { unchanged: 2 }, settings: { changed: 1 } });
    expect(await to.store.settings()).toMatchObject({ trustLevel: "suggest" });
    expect(await to.transfer.interrupted()).toBeUndefined();
  });

  it("keeps verified functions, and says what each may use", async () => {
    const to = await space();
    const { items } = await to.transfer.import(bytes(await zipOf({ [FUNCTION]: verified })), applying);
    expect(items).toMatchObject([
      {
        kind: "function",
        outcome: "added",
        reason: "“Tidy up” is verified and may be used without asking: fs_delete",
      },
    ]);
    expect(await readFile(join(to.paths.root, FUNCTION), "utf8")).toBe(verified);
  });

  it("changes nothing when it is imported again", async () => {
    await fill(from);
    await fillState(from);
    const zip = await exported(from);
    const before = { files: await filesOf(from), state: await stateOf(from) };
    const { totals } = await from.transfer.import(bytes(zip), applying);
    expect(totals).toMatchObject({ added: 0, changed: 0, conflicting: 0, refused: 0 });
    expect({ files: await filesOf(from), state: await stateOf(from) }).toEqual(before);
  });
});

describe("a backup that is restored into a profile in use", () => {
  it("adds verified functions as drafts, once", async () => {
    await fill(from);
    const zip = await zipOf({ [FUNCTION]: verified });
    const { items } = await from.transfer.import(bytes(zip), applying);
    expect(items).toMatchObject([
      { outcome: "added", reason: expect.stringContaining("It is a draft here") },
    ]);
    const stored: unknown = JSON.parse(await readFile(join(from.paths.root, FUNCTION), "utf8"));
    expect(stored).toMatchObject({ title: "Tidy up", trust: "draft" });
    expect(stored).not.toHaveProperty("verification");
    expect((await from.transfer.import(bytes(zip), applying)).totals).toMatchObject({ unchanged: 1 });
    await writeFile(join(from.paths.root, FUNCTION), verified);
    expect((await from.transfer.import(bytes(zip), applying)).totals).toMatchObject({ unchanged: 1 });
  });
});

describe("an export", () => {
  it("fails if a file is moved while it is packed", async () => {
    await writeFile(join(from.paths.out, "a.bin"), randomBytes(1_000_000));
    await writeFile(join(from.paths.out, "b.txt"), "moved");
    const { zip } = await from.transfer.export({ signal });
    await rm(join(from.paths.out, "b.txt"));
    await expect(buffer(zip)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.runIf(process.platform === "linux")("closes all files if it fails", async () => {
    const read = join(from.paths.out, "a.bin");
    await writeFile(read, randomBytes(5_000_000));
    await rm(from.paths.inbox, { recursive: true });
    await writeFile(from.paths.inbox, "a file where a folder must be");
    await expect(from.transfer.export({ signal })).rejects.toMatchObject({ code: "ENOTDIR" });
    const open = "/proc/self/fd";
    const files = async () =>
      Promise.all((await readdir(open)).map((name) => readlink(join(open, name)).catch(() => "")));
    await expect.poll(files).not.toContain(read);
  });

  it("contains no index, database, log or secret", async () => {
    await fill(from);
    await symlink("/etc/passwd", join(from.paths.out, "link.txt"));
    await writeFile(join(from.paths.memory.functions, "manifest.json"), "{}");
    const to = await space();
    const zip = await exported(from);
    expect(zip.includes("very-secret")).toBe(false);
    const { items } = await to.transfer.import(bytes(zip), looking);
    expect(
      items.map(({ path }) => path).filter((path) => /index|manifest|\.db|logs|\.env|link|lock/.test(path)),
    ).toEqual([]);
    expect(items.map(({ path }) => path)).toContain("out/notes/picture.bin");
  });
});

describe("a preview", () => {
  it("reports additions, changes and conflicts without writing", async () => {
    const id = await fill(from);
    const zip = await exported(from);
    const to = await space();
    const before = await filesOf(to);
    const report = await to.transfer.import(bytes(zip), looking);
    expect(report).toMatchObject({ applied: false, totals: { conflicting: 0, refused: 0, changed: 2 } });
    expect(report.items.find(({ kind }) => kind === "settings")?.reason).toContain(
      'trustLevel: "supervised_auto" becomes "suggest"',
    );
    expect(await filesOf(to)).toEqual(before);

    await from.memory.memory.edit(id, { content: "Changed since." });
    await writeFile(join(from.paths.out, "notes/picture.bin"), "changed since");
    await from.store.changeSettings({ trustLevel: "bounded_auto" });
    const since = await from.transfer.import(bytes(zip), looking);
    expect(since.totals).toMatchObject({ added: 0, conflicting: 3, changed: 0 });
    const kept = await from.transfer.import(bytes(zip), applying);
    expect(kept.totals).toMatchObject({ conflicting: 3 });
    expect((await from.memory.memory.get(id)).content).toBe("Changed since.");
    const replaced = await from.transfer.import(bytes(zip), { ...applying, replace: true });
    expect(replaced.totals).toMatchObject({ conflicting: 0, changed: 3 });
    expect((await from.memory.memory.get(id)).content).toContain("garage");
    const archived = await from.memory.memory.archived();
    expect(archived).toContainEqual(expect.objectContaining({ id, title: "Changed since." }));
    expect(await from.store.settings()).toMatchObject({ trustLevel: "suggest" });
  });

  it("does not restore items that were deleted since", async () => {
    const id = await fill(from);
    const zip = await exported(from);
    await from.memory.memory.forget(id);
    const { items } = await from.transfer.import(bytes(zip), applying);
    expect(items).toMatchObject([{ outcome: "conflicting", reason: "it was deleted here" }]);
    await expect(from.memory.memory.get(id)).rejects.toThrow();
  });
});

describe("an untrusted zip", () => {
  const at = (space: Space, path: string) => join(space.paths.root, path);
  const record = (content: string, more: object = {}) =>
    JSON.stringify({ ...testRecord({ type: "curated", content }), ...more });
  const RECORD = "memory/curated/2026/evt-20260101T000000000Z-x.json";

  it("is refused as a whole if it is malicious", async () => {
    const good = { "out/good.txt": "good" };
    const slip = Buffer.from(
      (await zipOf({ ...good, "out/AAAAAAAAAAA.txt": "x" }))
        .toString("latin1")
        .replaceAll("out/AAAAAAAAAAA.txt", "out/../../../e.txt"),
      "latin1",
    );
    const bomb = await zipOf({ ...good, "out/zeros.bin": Buffer.alloc(64 * 1024 * 1024) });
    const link = await zipOf({ ...good, "out/link": "/etc/passwd" }, { mode: 0o120_777 });
    const twice = await zipOf({ ...good, "out/Good.TXT": "other" });
    const whole = await zipOf(good);
    const hostile = {
      slip,
      bomb,
      link,
      twice,
      cut: whole.subarray(0, whole.length - 8),
      empty: Buffer.alloc(0),
    };
    for (const [name, zip] of Object.entries(hostile)) {
      for (const options of [looking, applying])
        await expect(from.transfer.import(bytes(zip), options), name).rejects.toThrow(InvalidArgsError);
    }
    await expect(readFile(at(from, "out/good.txt"))).rejects.toThrow();
    expect((await readdir(from.paths.root)).filter((name) => name.endsWith(".zip"))).toEqual([]);
  });

  it("is imported without its invalid parts, each with a reason", async () => {
    const zip = await zipOf({
      [RECORD]: record("fine"),
      "memory/curated/2026/evt-20260101T000000001Z-y.json": record("another's id"),
      "memory/curated/2026/evt-20260101T000000002Z-z.json": record("pay\u202Eeof\u202C", {
        id: "evt-20260101T000000002Z-z",
      }),
      "memory/curated/2026/evt-20260101T000000003Z-w.json": record("hidden \u{E0041}", {
        id: "evt-20260101T000000003Z-w",
      }),
      "memory/curated/2026/evt-20260101T000000004Z-v.json": "[".repeat(100_000),
      "memory/curated/2026/evt-20260101T000000005Z-u.json": '{"id": 1}',
      "memory/curated/2026/evt-20260101T000000006Z-t.json": record("🏴󠁧󠁢󠁥󠁮󠁧󠁿 שלום", {
        id: "evt-20260101T000000006Z-t",
      }),
      "memory/index/memory.db": "x",
      "memory/functions/manifest.json": "{}",
      "state.db": "x",
      "logs/audit/2026-01-01.ndjson": "{}",
      "out/.ssh/id_rsa": "x",
      "out/hid\u200Bden.txt": "x",
      "counters.ndjson": '{"memoryId": "evil"}',
    });
    const { totals, items } = await from.transfer.import(bytes(zip), applying);
    expect(totals).toEqual({ added: 2, changed: 0, unchanged: 0, conflicting: 0, refused: 11 });
    expect(
      items.filter(({ outcome }) => outcome === "refused").every(({ reason }) => reason !== undefined),
    ).toBe(true);
    expect((await from.memory.memory.list({ limit: 20 })).total).toBe(2);
  });

  it("does not write through a link in the profile", async () => {
    const outside = await mkdtemp(join(tmpdir(), "outside-"));
    await symlink(outside, at(from, "out/door"));
    const { items } = await from.transfer.import(bytes(await zipOf({ "out/door/in.txt": "x" })), applying);
    expect(items).toMatchObject([{ outcome: "refused" }]);
    expect(await readdir(outside)).toEqual([]);
    await rm(outside, { recursive: true });
  });

  it("adds workspace folders only if the owner imports it", async () => {
    const settings = JSON.stringify({ displayName: "Eve", workspaceRoots: { all: "/" } });
    const zip = await zipOf({ "profile.json": settings });
    await from.transfer.import(bytes(zip), { ...applying, mayOpenFolders: false });
    expect(await from.store.settings()).toMatchObject({ displayName: "Eve", workspaceRoots: {} });
  });
});
