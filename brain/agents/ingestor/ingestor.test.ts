import { mkdir, mkdtemp, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMemory, type OpenedMemory } from "@metahuman/core/memory/open-memory";
import { profilePaths, type ProfilePaths } from "@metahuman/core/paths/profile-paths";
import { openLocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { workHarness } from "../testing/work-once.ts";
import { createIngestor } from "./ingestor.ts";

let home: string;
let paths: ProfilePaths;
let memory: OpenedMemory;
let workspace: Awaited<ReturnType<typeof openLocalWorkspace>>;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ingestor-"));
  paths = profilePaths(home, "ada");
  workspace = await openLocalWorkspace({
    out: paths.out,
    inbox: paths.inbox,
    archive: paths.memory.archive.files,
  });
  memory = await openMemory({ paths, embedder: createBuiltInEmbedder() });
});
afterEach(async () => {
  workspace.close();
  await memory.close();
  await rm(home, { recursive: true, force: true });
});

const inbox = (name: string) => join(paths.inbox, name);
const ingestor = () => createIngestor({ files: workspace.files, memory: memory.memory });
const remembered = async () => (await memory.memory.list({ types: ["observation"], limit: 100 })).items;
const NOW = new Date("2026-11-20T09:30:12.123Z");

describe("the ingestor", () => {
  it("turns a file into untrusted memories with their source, and moves the file", async () => {
    await mkdir(inbox("trips"));
    await writeFile(
      inbox("trips/oslo.md"),
      "# Oslo\nThe ferry leaves at nine.\n\n# Bergen\nBring rain clothes.",
    );
    const report = await workHarness(() => NOW).work(ingestor());
    expect(report).toEqual({ summary: "1 file imported.", changed: true, problems: [] });
    const records = await remembered();
    expect(records.map(({ content }) => content).sort()).toEqual([
      "Bergen\nBring rain clothes.",
      "Oslo\nThe ferry leaves at nine.",
    ]);
    for (const record of records)
      expect(record).toMatchObject({
        trust: "untrusted",
        source: { kind: "import" },
        context: { file: "oslo.md" },
        metadata: { file: "inbox/trips/oslo.md", chunks: 2 },
      });
    const { entries } = await workspace.files.list("inbox", { recursive: true, limit: 20 });
    expect(entries.filter(({ kind }) => kind === "file").map(({ path }) => path)).toEqual([
      "inbox/processed/2026-11-20/trips/oslo.md",
    ]);
    expect(await memory.memory.recall({ query: "when does the ferry leave" })).toMatchObject([
      { memory: { content: expect.stringContaining("ferry") as unknown } },
    ]);
  });

  it("ingests equal content once, whatever the name, also after an interruption", async () => {
    await writeFile(inbox("a.txt"), "the same words");
    await workHarness().work(ingestor());
    await writeFile(inbox("b.txt"), "the same words");
    // The state after a process died between the two steps: in memory, and still in the inbox.
    expect(await workHarness().work(ingestor())).toMatchObject({ changed: true });
    expect(await remembered()).toHaveLength(1);
    expect(
      (await workspace.files.list("inbox", { recursive: false, pattern: "*.txt", limit: 5 })).total,
    ).toBe(0);
  });

  it("brings the memories of a file that has changed to its present content", async () => {
    const fees = (amounts: Record<string, number>) =>
      Object.entries(amounts)
        .map(([name, amount]) => `# ${name}\nThe fee is ${amount}.\n`)
        .join("\n");
    await writeFile(inbox("members.md"), fees({ Anna: 35, Ben: 35, Cleo: 20 }));
    const harness = workHarness(() => NOW);
    await harness.work(ingestor());
    const cleo = (await remembered()).find(({ content }) => content.includes("Cleo"));
    await memory.memory.forget(cleo?.id ?? "");
    const path = inbox("processed/2026-11-20/members.md");
    await writeFile(path, fees({ Anna: 35, Ben: 45, Cleo: 20, Dora: 10 }));
    await utimes(path, NOW, new Date("2026-11-21T08:00:00Z"));
    const report = await harness.work(ingestor());
    expect(report).toMatchObject({ summary: "0 files imported, 1 updated.", changed: true });
    const contents = (await remembered()).map(({ content }) => content).sort();
    expect(contents).toEqual(["Anna\nThe fee is 35.", "Ben\nThe fee is 45.", "Dora\nThe fee is 10."]);
    expect(await harness.work(ingestor())).toMatchObject({ changed: false });
  });

  it("leaves unsupported files in place and reports each reason once", async () => {
    await writeFile(inbox("photo.jpg"), "x");
    await writeFile(inbox("broken.json"), "{ no");
    await writeFile(inbox("empty.txt"), "");
    await writeFile(inbox("binary.txt"), Buffer.from([0xff, 0xfe, 0x00, 0x01]));
    await writeFile(inbox("huge.txt"), "x");
    await truncate(inbox("huge.txt"), 6_000_000);
    await writeFile(inbox("good.txt"), "A good line.");
    const harness = workHarness();
    const { problems = [], changed } = await harness.work(ingestor());
    expect(changed).toBe(true);
    const reasons = Object.fromEntries(problems.map(({ subject, reason }) => [subject, reason]));
    expect(reasons).toMatchObject({
      "inbox/photo.jpg": expect.stringContaining("only txt, md, json, csv and html") as unknown,
      "inbox/broken.json": expect.stringContaining("not JSON") as unknown,
      "inbox/empty.txt": "it is empty",
      "inbox/binary.txt": expect.stringContaining("not a text file") as unknown,
      "inbox/huge.txt": expect.stringContaining("6000000 bytes") as unknown,
    });
    expect(Object.keys(reasons)).toHaveLength(5);
    const logged = harness.logged.length;
    expect(await harness.work(ingestor())).toMatchObject({ changed: false });
    expect(harness.logged).toHaveLength(logged);
  });

  it("stops between two files and continues at the next run", async () => {
    await writeFile(inbox("a.txt"), "one");
    await expect(workHarness().work(ingestor(), AbortSignal.abort())).rejects.toThrow();
    expect(await remembered()).toEqual([]);
    expect(await workHarness().work(ingestor())).toMatchObject({ changed: true });
  });
});
