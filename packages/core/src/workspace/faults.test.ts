import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLocalWorkspace, type LocalWorkspace } from "./open-local-workspace.ts";

let home: string;
const opened: LocalWorkspace[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "mh-faults-"));
});
afterEach(async () => {
  for (const workspace of opened.splice(0)) workspace.close();
  await rm(home, { recursive: true, force: true });
});

async function open(): Promise<LocalWorkspace> {
  const workspace = await openLocalWorkspace({
    out: join(home, "out"),
    inbox: join(home, "inbox"),
    archive: join(home, "archive"),
  });
  opened.push(workspace);
  return workspace;
}

const program = (name: string): string => join(import.meta.dirname, "testing", name);

/** Kills the program after it acknowledged `steps` steps; returns all acknowledged steps. */
async function killAfter(steps: number): Promise<Map<string, number>> {
  const child = spawn(process.execPath, [program("work-until-killed.ts"), home], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged = new Map<string, number>();
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what = "", turn] = line.split(" ");
    acknowledged.set(what, Number(turn));
    seen += 1;
    if (seen === steps) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return acknowledged;
}

describe("a process that is killed", () => {
  it.each([[1], [8], [24], [39]])(
    "loses no acknowledged change and leaves no partial one (after %i steps)",
    { timeout: 30_000 },
    async (steps) => {
      const acknowledged = await killAfter(steps);
      const { files, archive } = await open();

      const kept = await readFile(join(home, "out/kept.txt"), "utf8");
      const [first, , last] = kept.split(" ");
      expect(first).toBe(last);
      expect(Number(first)).toBeGreaterThanOrEqual(acknowledged.get("kept") ?? 0);

      const lines = await readFile(join(home, "out/log.txt"), "utf8").catch(() => "");
      const numbers = lines
        .split("\n")
        .filter((line) => line !== "")
        .map(Number);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(numbers.length).toBeGreaterThanOrEqual(acknowledged.get("log") ?? 0);

      const archived = await archive.list();
      expect(archived.length).toBeGreaterThanOrEqual(acknowledged.get("removed") ?? 0);
      const everything = await files.list("out", { recursive: true, limit: 1_000 });
      const everyFile = (await readdir(join(home, "out"), { recursive: true })).filter(
        (path) => !["new", "moved"].includes(path),
      );
      expect(everyFile.length).toBe(everything.entries.filter((entry) => entry.kind === "file").length);
      for (const entry of archived) await archive.restore(entry.id);
      for (const name of await readdir(join(home, "out/moved")).catch(() => [])) {
        const text = await readFile(join(home, "out/moved", name), "utf8");
        // A move that was cut short leaves its reservation, empty, beside the original.
        const original = await readFile(join(home, "out/new", name), "utf8").catch(() => undefined);
        expect(text === "" ? original : text).toMatch(
          new RegExp(`^${parseInt(name, 10)} x{200000} ${parseInt(name, 10)}$`, "u"),
        );
      }
    },
  );

  it("leaves temporary files, which the next start deletes unless their process still runs", async () => {
    await mkdir(join(home, "out/notes"), { recursive: true });
    const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    const [stale, live] = [`.mh-${dead}-0123456789ab.tmp`, `.mh-${process.pid}-0123456789ab.tmp`];
    for (const name of [stale, live]) await writeFile(join(home, "out/notes", name), "half");
    await open();
    expect(await readdir(join(home, "out/notes"))).toEqual([live]);
  });
});

describe("a disk that is full", () => {
  it.skipIf(process.platform === "win32")("throws a typed error and changes nothing", async () => {
    await mkdir(join(home, "out"));
    await writeFile(join(home, "out/old.txt"), "old");
    await writeFile(join(home, "out/large.txt"), "y".repeat(1_000_000));
    // The limit is on the size of one file, in blocks of 512 bytes; the system fails writes beyond it like a full disk.
    const output = execFileSync(
      "sh",
      ["-c", `ulimit -f 64; exec "$0" "$1" "$2"`, process.execPath, program("fill-the-disk.ts"), home],
      { encoding: "utf8" },
    );
    expect(output.trim().split("\n")).toEqual([
      "STORAGE_FULL",
      "STORAGE_FULL",
      "STORAGE_FULL",
      "STORAGE_FULL",
    ]);
    expect((await readdir(join(home, "out"))).sort()).toEqual(["large.txt", "old.txt"]);
    expect(await readFile(join(home, "out/old.txt"), "utf8")).toBe("old");
    expect(await (await open()).archive.list()).toEqual([]);
    expect((await readdir(join(home, "archive"))).filter((name) => name.startsWith("file-"))).toEqual([]);
  });
});

describe("several writers", () => {
  it("lose no line of a file that both append to", async () => {
    const writers = [await open(), await open(), await open()];
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    await Promise.all(
      lines.map(async (line, index) => writers[index % 3]?.files.appendText("log.txt", line)),
    );
    expect((await readFile(join(home, "out/log.txt"), "utf8")).split("\n").sort()).toEqual([...lines].sort());
  });

  it("retry when an editor saves the file they append to", async () => {
    const { files } = await open();
    const path = join(home, "out/log.txt");
    for (let turn = 0; turn < 5; turn += 1) {
      await writeFile(path, "old line\n".repeat(1_000_000));
      await writeFile(join(home, "saved"), "saved by the editor");
      const state = { adding: true };
      const adding = files.appendText("log.txt", "added").finally(() => (state.adding = false));
      const underWay = async () => (await readdir(join(home, "out"))).some((name) => name.startsWith(".mh-"));
      while (state.adding && !(await underWay()));
      await rename(join(home, "saved"), path);
      await adding;
      // During or just after an addition, and never with its earlier content.
      expect((await readFile(path, "utf8")).slice(0, 100)).toMatch(/^saved by the editor(?:\nadded)?$/u);
    }
  });
});
