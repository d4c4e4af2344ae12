import { execFileSync } from "node:child_process";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { GUIDE_STRICTNESS, selectFunctions } from "../context/relevant-functions.ts";
import { openDatabase } from "../database/open-database.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { functionIndexMigrations } from "./index/open-function-index.ts";
import type { FunctionsPort } from "./functions-port.ts";
import { openBeforeEach } from "./testing/open-before-each.ts";
import {
  ADA,
  failureOf,
  RECIPE,
  SANDWICH,
  type TestFunctions,
  titlesFor,
} from "./testing/open-test-functions.ts";

let test: TestFunctions;
let functions: FunctionsPort;
openBeforeEach((opened) => ({ test, functions } = opened));

const titles = (query: string, port = functions): Promise<string[]> => titlesFor(port, query);

function storedVectors(): Buffer[] {
  const database = openDatabase(test.paths.memory.functionIndex, functionIndexMigrations, {
    title: "the index",
  });
  try {
    const Row = z.object({ vector: z.instanceof(Buffer) });
    return database
      .query("SELECT vector FROM fine_vectors_1", Row)
      .all()
      .map(({ vector }) => vector);
  } finally {
    database.close();
  }
}

async function verified(): Promise<{ id: string }> {
  const saved = await functions.saveFunction(SANDWICH, ADA);
  return (await functions.promoteFunction(saved.id, ADA)).function;
}

describe("lists", () => {
  it("filter, sort and page without losing or repeating anything", async () => {
    for (const title of ["Bake bread", "Add a task", "Clean up", "Draw a map"]) {
      const tags = title.includes("a ") ? ["short"] : [];
      const saved = await functions.saveFunction(
        { ...SANDWICH, title, summary: "", steps: [title], tags },
        ADA,
      );
      if (title === "Clean up")
        await functions.recordFunctionUse({ functionId: saved.id, runId: "run-a", outcome: "succeeded" });
    }
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await functions.listFunctions({ limit: 3, sort: "title", ...(cursor && { cursor }) });
      expect(page.total).toBe(4);
      seen.push(...page.items.map(({ title }) => title));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(["Add a task", "Bake bread", "Clean up", "Draw a map"]);
    const used = await functions.listFunctions({ limit: 1, sort: "used" });
    expect(used.items[0]).toMatchObject({ title: "Clean up", usageCount: 1 });
    expect((await functions.listFunctions({ limit: 9, tag: "short" })).total).toBe(2);
    expect((await functions.listFunctions({ limit: 9, query: "bak" })).items[0]?.title).toBe("Bake bread");
    expect((await functions.listFunctions({ limit: 9, skills: ["fs_write", "fs_read"] })).total).toBe(0);
    expect((await functions.listFunctions({ limit: 9, trust: "verified" })).total).toBe(0);
    await functions.saveFunction(RECIPE, ADA);
    const recipes = await functions.listFunctions({ limit: 9, kind: "recipe" });
    expect(recipes).toMatchObject({ items: [{ title: RECIPE.title }], total: 1 });
    expect((await functions.listFunctions({ limit: 9, kind: "guide" })).total).toBe(4);
    expect((await functions.listFunctions({ limit: 9, kind: "code" })).total).toBe(0);
    expect(await failureOf(functions.listFunctions({ limit: 9, cursor: "x" }))).toBeInstanceOf(
      InvalidArgsError,
    );
  });
});

describe("files and index", () => {
  it("agree on kinds after an index without kinds was upgraded", async () => {
    const opened = await test.open();
    await opened.functions.of().saveFunction(RECIPE, ADA);
    await test.close();
    // The same rows in the tables of version 2, which had no kinds.
    const path = test.paths.memory.functionIndex;
    await rename(path, `${path}.new`);
    const earlier = openDatabase(path, functionIndexMigrations.slice(0, 2), { title: "the earlier index" });
    earlier.exec(`
      ATTACH '${path}.new' AS new;
      INSERT INTO entries SELECT * FROM new.entries;
      INSERT INTO records SELECT item, path, stamp, hash, preview, agent, user, name, title, title_folded, trust, status,
        skills, created_at, updated_at FROM new.records;
      INSERT INTO words SELECT item, ' look into the kitchen ', 4 FROM new.entries;
      UPDATE totals SET entries = 1, words = 4;
    `);
    earlier.close();

    const again = (await test.open()).functions.of();
    expect((await again.listFunctions({ limit: 9, kind: "recipe" })).items).toMatchObject([
      { title: RECIPE.title },
    ]);
  });

  it("agree again after the index was deleted and files were edited, added and damaged by hand", async () => {
    const { id } = await verified();
    const folder = join(test.paths.memory.functions, "2026");
    const [file = ""] = await readdir(folder);
    const text = await readFile(join(folder, file), "utf8");
    await rm(test.paths.memory.functionIndex);
    await writeFile(join(folder, file), text.replaceAll("in the kitchen", "in the cellar"));
    await writeFile(join(folder, "broken.json"), "{");
    const again = await test.open();
    expect(await titles("make a file in the cellar", again.functions.of())).toEqual([
      "Create a file in the cellar",
    ]);
    expect((await again.functions.of().loadFunction(id)).title).toBe("Create a file in the cellar");
    expect(await again.quarantined()).toMatchObject([{ path: "2026/broken.json" }]);
  });

  it("are embedded only when a reconciliation and the embedding that follows have ended", async () => {
    await verified();
    const opened = await test.open();
    await opened.embedded();
    const before = storedVectors();
    const folder = join(test.paths.memory.functions, "2026");
    const [file = ""] = await readdir(folder);
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), text.replaceAll("in the kitchen", "in the cellar"));
    const reconciled = opened.reconcile();
    await opened.embedded();
    expect(storedVectors()).toHaveLength(1);
    expect(storedVectors()).not.toEqual(before);
    await reconciled;
  });

  it("are listed in a manifest that is written when changes have stopped", async () => {
    const opened = await test.open();
    const saved = await opened.functions.of().saveFunction(SANDWICH, ADA);
    await opened.close();
    const manifest: unknown = JSON.parse(
      await readFile(join(test.paths.memory.functions, "manifest.json"), "utf8"),
    );
    expect(manifest).toMatchObject({
      version: 1,
      functions: [{ id: saved.id, title: SANDWICH.title, skillsUsed: ["fs_write"], trust: "draft" }],
      stats: { total: 1, verified: 0, draft: 1 },
    });
  });

  it("are listed again after a process was killed between a deletion and the write of the manifest", async () => {
    const manifest = join(test.paths.memory.functions, "manifest.json");
    const opened = await test.open();
    const kept = await opened.functions.of().saveFunction(SANDWICH, ADA);
    const { id } = await opened.functions.of().saveFunction({ ...SANDWICH, title: "Empty the bin" }, ADA);
    await opened.close();
    const before = await readFile(manifest, "utf8");
    const second = await test.open();
    await second.functions.of().deleteFunction(id, ADA);
    await second.close();
    await writeFile(manifest, before);
    await (await test.open()).close();
    expect(JSON.parse(await readFile(manifest, "utf8"))).toMatchObject({
      functions: [{ id: kept.id }],
      stats: { total: 1 },
    });
  });

  it("are no longer beside the manifest that a killed process left half written", async () => {
    const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    const { functions: root } = test.paths.memory;
    await functions.saveFunction(SANDWICH, ADA);
    const [left, living] = [dead, process.pid].map((pid) => `.${pid}-0123456789abcdef.tmp`);
    for (const name of [left, living]) await writeFile(join(root, String(name)), "half");
    await (await test.open()).close();
    expect((await readdir(root)).filter((name) => name.endsWith(".tmp"))).toEqual([living]);
  });

  it("return reasons for what was chosen and what was not, and nothing if nothing matches", async () => {
    await verified();
    const { id } = await functions.saveFunction(
      { ...SANDWICH, title: "Empty the kitchen bin", steps: ["Empty it."], examples: [], summary: "" },
      ADA,
    );
    await functions.promoteFunction(id, ADA);
    const { items, rejected } = await functions.queryFunctions("make a file in the kitchen", {
      limit: 1,
      explain: true,
    });
    expect(items[0]).toMatchObject({ rank: 1, function: { title: SANDWICH.title } });
    expect(items[0]?.explanation.text).toMatch(/^Has 100 % of the words/);
    const sum = items[0]?.explanation.parts.reduce((total, { value }) => total + value, 0);
    expect(sum).toBeCloseTo(items[0]?.score ?? NaN, 10);
    expect(rejected).toMatchObject([{ id, reason: expect.stringContaining("match") }]);
    expect(
      (await functions.queryFunctions("what is the capital of France?", { explain: true })).items,
    ).toEqual([]);
  });

  it("return the nearest recipes at any distance, as the same objects until their files change", async () => {
    await verified();
    const { id } = await functions.saveFunction(RECIPE, ADA);
    expect(await functions.nearestRecipes("look into the kitchen", 10)).toEqual([]);
    await functions.promoteFunction(id, ADA);
    const near = async (request: string) =>
      (await functions.nearestRecipes(request, 10)).map((one) => one.function);
    const [first, ...others] = await near("the kitchen, what is the capital of France?");
    expect([first?.title, others]).toEqual([RECIPE.title, []]);
    expect((await near("look into the kitchen"))[0]?.recipe).toBe(first?.recipe);

    const folder = join(test.paths.memory.functions, "2026");
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), "utf8");
      await writeFile(join(folder, file), text.replaceAll("out/kitchen.md", "out/cellar.md"));
    }
    const [changed] = await near("look into the kitchen");
    expect(changed?.recipe?.actions[0]?.args).toEqual({ path: "out/cellar.md" });
    expect(await test.open("bob").then((of) => of.functions.of().nearestRecipes("look into", 10))).toEqual(
      [],
    );
    await functions.disableFunction(id, ADA);
    expect(await near("look into the kitchen")).toEqual([]);
  });

  it("return the nearest recipes after each change by any process", async () => {
    const about = (thing: string) => ({
      ...RECIPE,
      title: `Look into the ${thing}`,
      recipe: {
        promptTemplates: [`look into the ${thing}`],
        actions: [{ skill: "fs_read", args: { path: `out/${thing}.md` }, expect: [] }],
      },
    });
    const things = ["kitchen", "cellar", "attic", "garage", "garden"];
    const ids: string[] = [];
    for (const thing of things) {
      const { id } = await functions.saveFunction(about(thing), ADA);
      await functions.promoteFunction(id, ADA);
      ids.push(id);
    }
    const near = async (of: typeof functions, request: string) =>
      (await of.nearestRecipes(request, 10)).map((one) => one.function.title);
    for (const [index, thing] of things.entries()) {
      const [first] = await functions.nearestRecipes(`please look into the ${thing} now`, 10);
      expect(first?.function.id).toBe(ids[index]);
      const { items } = await functions.queryFunctions(`please look into the ${thing} now`);
      expect(first?.fit).toBeGreaterThanOrEqual(1);
      expect(items[0]?.function.id).toBe(first?.function.id);
    }
    // A typing error in a word that no other recipe has.
    expect((await near(functions, "look into the gargae"))[0]).toBe("Look into the garage");

    const other = (await test.open()).functions.of();
    expect((await near(other, "the attic"))[0]).toBe("Look into the attic");
    await other.disableFunction(ids[2] ?? "", ADA);
    expect(await near(functions, "the attic")).not.toContain("Look into the attic");
    const { id } = await other.saveFunction(about("loft"), ADA);
    await other.promoteFunction(id, ADA);
    expect((await near(functions, "what is in the loft"))[0]).toBe("Look into the loft");
    await functions.deleteFunction(ids[0] ?? "", ADA);
    expect(await near(other, "the kitchen")).not.toContain("Look into the kitchen");
  });

  it("do not treat common words as rare because only one function contains them", async () => {
    const packing = {
      ...SANDWICH,
      title: "Write a packing list for a trip into a file",
      summary:
        "Find out how long the trip is, write a list of things to take, and check that the file is there.",
      steps: ["Look at the dates of the trip.", "Write the list.", "Read the file again to check it."],
      examples: [],
    };
    const { id } = await functions.saveFunction(packing, ADA);
    await functions.promoteFunction(id, ADA);
    const offered = async (query: string) => {
      const found = await functions.queryFunctions(query, { strictness: GUIDE_STRICTNESS });
      return selectFunctions(query, found, Infinity).functions.length;
    };
    expect(await offered("check whether the numbers in the list are given in the right order")).toBe(0);
    expect(
      await offered("look how long the second text takes, and start the next one right after its end"),
    ).toBe(0);
    expect(await offered("write me a packing list for the trip to Lofoten")).toBe(1);
  });
});

describe("words that a person teaches a function", () => {
  it("contain days in the time zone of the person", async () => {
    const { id } = await functions.saveFunction(
      { ...RECIPE, parameters: [{ name: "day", type: "date", description: "", required: true }] },
      ADA,
    );
    // In Auckland it is the 21st already.
    const clock = { now: new Date("2026-11-20T20:00:00Z"), timeZone: "Pacific/Auckland" };
    const request = { prompt: "look into the kitchen tomorrow", values: { day: "2026-11-22" }, clock };
    const { taught } = await functions.teachWording(id, request, ADA);
    expect(taught).toMatchObject([{ template: "look into the kitchen {day}" }]);
    const { refused } = await functions.refuseWording(id, request, ADA);
    expect(refused).toMatchObject([{ template: "look into the kitchen {day}" }]);
  });
});
