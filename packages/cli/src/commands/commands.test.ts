import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMoment } from "@metahuman/core/contract/describe-when";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCommandLine } from "../testing/command-line.ts";

const { home, mh, remove } = openCommandLine();
afterAll(remove);
beforeAll(async () => {
  expect(await mh(["init", "ada"])).toMatchObject({ code: 0, err: "" });
});

/** Runs a command that must succeed and returns its output. */
async function output(...args: string[]): Promise<string> {
  const { code, out, err } = await mh(args);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  return out;
}

const json = async (...args: string[]): Promise<unknown> => JSON.parse(await output("--json", ...args));

function file(name: string, content: string): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

describe("mh status and mh doctor", () => {
  it("summarize the server, the models and the profile", async () => {
    const status = await output("status");
    expect(status).toContain("profile     ada (owner), mode dual, trust supervised_auto");
    expect(status).toMatch(/storage {5}\d+ bytes of 20 GB, \d+ of 1,000,000 files/);
    expect(status).toContain("server      not running");
  });

  it("report a missing model as a note, and an invalid configuration as a failure", async () => {
    expect(await output("doctor")).toMatch(/^note {3}Models: No model server answers/m);
    mkdirSync(join(home, "etc"));
    file("etc/operator.json", '{ "nonsense": true }');
    const { code, out, err } = await mh(["doctor"]);
    expect(code).not.toBe(0);
    expect(out + err).toContain("operator.json");
    rmSync(join(home, "etc"), { recursive: true });
  });
});

describe("mh mode, mh trust and mh persona", () => {
  it("show and change the settings of the profile", async () => {
    expect(await output("mode", "agent")).toBe("agent: acts, but does not store conversations\n");
    expect(await json("mode")).toMatchObject({ mode: "agent" });
    await output("mode", "dual");
    expect(await output("trust", "bounded_auto")).toContain("bounded_auto");
    await output("trust", "supervised_auto");
    expect(await output("persona")).toMatch(/^name {4}MetaHuman$/m);
  });
});

describe("mh user", () => {
  it("adds, lists and removes accounts, but not the last owner", async () => {
    expect(await output("user", "add", "bob")).toBe("Added bob (member).\n");
    expect(await output("user", "list")).toMatch(/^bob {2}member/m);
    expect(await output("user", "remove", "bob")).toBe("Removed bob.\n");
    expect((await mh(["user", "remove", "ada"])).code).not.toBe(0);
  });
});

describe("mh task", () => {
  it("adds, changes and finishes a task found by its words", async () => {
    expect(await output("task", "add", "buy", "milk", "--due", "2026-12-01")).toContain("due 2026-12-01");
    expect(await output("task", "edit", "milk", "--priority", "high")).toContain("high priority");
    expect(await json("task", "list")).toMatchObject({ tasks: [{ priority: "P1" }] });
    expect(await output("task", "list")).toMatch(/^to do {2}high {2}2026-12-01 {2}buy milk /);
    expect(await output("task", "edit", "milk", "--priority", "P0")).toContain("highest priority");
    expect((await mh(["task", "edit", "milk", "--priority", "soon"])).code).toBe(2);
    expect(await output("task", "done", "milk")).toContain("buy milk · done");
    expect(await output("task", "list")).toContain("No tasks.");
    expect(await mh(["task", "done", "milk"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("mh task list --all"),
    });
  });
});

describe("mh remember, mh recall and mh index", () => {
  it("store a memory, find it, and report the index", async () => {
    expect(await output("remember", "the", "garage", "code", "is", "4711")).toMatch(/^Saved as evt-/);
    expect(await output("recall", "garage", "code")).toContain("the garage code is 4711");
    expect(await json("recall", "garage", "code")).toMatchObject({
      items: [{ memory: { content: "the garage code is 4711" } }],
    });
    expect(await output("index", "status")).toMatch(/^1 records?, /);
  });
});

describe("mh conversations", () => {
  it("lists, finds, pins, renames and deletes conversations", async () => {
    const { conversationId } = z
      .looseObject({ conversationId: z.string() })
      .parse(await json("operator", "make", "picnic", "file"));
    await output("operator", "what", "can", "you", "do?");
    expect(await output("conversations", "pin", conversationId)).toBe("Pinned “make picnic file”.\n");
    expect(await output("conversations", "list")).toMatch(
      /^\S+ \S+ {2}pinned {2}conv-\w+ {2}make picnic file$/m,
    );
    expect(await output("conversations", "list", "out/picnic.txt")).toMatch(
      /^.*make picnic file {2}.*Created out\/picnic\.txt/,
    );
    expect(await output("conversations", "list", "no such words")).toBe("No matching conversations.\n");
    expect(await output("conversations", "unpin", conversationId)).toContain("Unpinned");
    expect(await output("conversations", "rename", conversationId, "The", "basket")).toBe(
      "Renamed to “The basket”.\n",
    );
    expect(await output("conversations", "delete", conversationId)).toBe("Deleted “The basket”.\n");
    expect(await mh(["conversations", "pin", conversationId])).toMatchObject({ code: 3 });
  });
});

describe("mh operator and mh runs", () => {
  it("execute a request and list its run", async () => {
    const { code, out, err } = await mh(["operator", "make", "sandwich", "file"]);
    expect({ code, out }).toEqual({ code: 0, out: "Created out/sandwich.txt (empty).\n" });
    expect(err).toContain("fs_write");
    const runs = await output("runs", "list");
    expect(runs).toContain("make sandwich file");
    const [id = ""] = /run-\w+/.exec(runs) ?? [];
    expect(await json("runs", "show", id)).toMatchObject({ run: { id, outcome: "answered" } });
  });

  it("end with the code for a pending approval if nobody can decide", async () => {
    const { code, out } = await mh(["operator", "delete", "sandwich.txt"]);
    expect(code).toBe(5);
    expect(out).toContain("mh approvals");
    const approvals = await output("approvals", "list");
    const [id = ""] = /appr-\w+/.exec(approvals) ?? [];
    expect(await output("approvals", "show", id)).toContain("sandwich.txt");
    expect(await output("approvals", "deny", id, "keep", "it")).not.toBe("");
    expect(await output("approvals", "history")).toMatch(/deny.*sandwich\.txt.*keep it/);
  });
});

describe("mh audit", () => {
  it("verifies the log and searches it", async () => {
    expect(await output("audit", "verify")).toMatch(/^All \d+ lines are intact\. Its end is signed\.\n$/);
    expect(await output("audit", "search", "skill_called")).toContain("fs_write");
    expect(await output("audit", "tail")).toContain("skill_called");
  });
});

describe("mh token", () => {
  it("prints a token once, lists it and revokes it", async () => {
    const { out, err } = await mh(["token", "create", "laptop", "--scope", "read"]);
    expect(out).toMatch(/^mh_[\w-]{43}\n$/);
    expect(err).toContain("not shown again");
    const list = await output("token", "list");
    expect(list).toMatch(/laptop {2}read {2}no expiry/);
    expect(list).not.toContain(out.trim());
    expect(await output("token", "revoke", "laptop")).toBe("Revoked laptop.\n");
    expect((await mh(["token", "revoke", "laptop"])).code).toBe(3);
  });
});

describe("mh agent", () => {
  it("lists and runs background agents", async () => {
    expect(await output("agent", "list")).toMatch(/^librarian .*never ran$/m);
    expect(await output("agent", "run", "librarian")).toMatch(/^The librarian finished: /);
    expect(await output("agent", "list")).not.toMatch(/^librarian .*never ran$/m);
  });
});

describe("a number of lines", () => {
  it.each([
    ["agent", "log", "librarian"],
    ["audit", "tail"],
    ["functions", "list"],
    ["recall", "ferry"],
  ])("is refused if it is none: %s %s", async (...command) => {
    const refused = await mh([...command, "--limit", "many"]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("--limit must be a whole number from 1 to ");
  });
});

describe("a request that repeats", () => {
  it("is offered as a function once, with an answer", async () => {
    const ask = (plant: string) => mh(["operator", "add", "a", "task", "to", "water", "the", plant]);
    for (const plant of ["rose", "fern", "palm"]) expect(await ask(plant)).toMatchObject({ code: 0 });
    await output("agent", "run", "pattern-miner");
    const offer = "You asked “add a task to water the {words}” 3 times: make it a function";
    expect((await ask("lily")).err).toContain(offer);
    expect((await ask("moss")).err).not.toContain("make it a function");
  });
});

describe("mh models", () => {
  it("names the server that does not answer", async () => {
    expect(await output("models", "list")).toContain("No model server answers at http://127.0.0.1:9.");
    expect(await mh(["models", "test", "ollama/qwen3:4b"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("Start the model server"),
    });
  });
});

describe("mh functions", () => {
  /** Registers code that always returns 1. */
  async function register(name: string): Promise<void> {
    const source = file(`${name}.ts`, "export function main() {\n  return 1;\n}\n");
    await output(
      "functions",
      "register",
      name,
      source,
      "--tests",
      file("one.tests.ts", "assert.equal(main(), 1);\n"),
    );
  }

  it("registers, verifies, promotes and runs code from files", async () => {
    const source = file(
      "count.ts",
      "export function main({ words }: { words: string[] }) {\n  return { total: words.length };\n}\n",
    );
    const tests = file("count.tests.ts", 'assert.deepEqual(main({ words: ["a", "b"] }), { total: 2 });\n');
    const words = { name: "words", type: "list", description: "The words", required: true };
    const parameters = file("count.json", JSON.stringify([words]));
    const registered = await output(
      ...["functions", "register", "count-words", source, "--tests", tests, "--parameters", parameters],
    );
    expect(registered).toMatch(/Saved count-words as func-[\w-]+, a draft\./);
    expect(await output("functions", "verify", "count-words")).toContain("1 assertion held");
    expect(await output("functions", "promote", "count-words")).toBe("Count words: verified, active.\n");
    expect(
      JSON.parse(await output("functions", "run", "count-words", "--set", 'words=["a","b","c"]')),
    ).toEqual({ total: 3 });
    const shown = await output("functions", "show", "count-words");
    expect(shown).toContain("used 1 time,");
    expect(shown).not.toContain(home);
    expect(await output("functions", "delete", "count-words")).toContain("mh functions undelete");
  });

  it("show and change the function settings of the profile", async () => {
    expect(await output("functions", "settings", "prefer=false")).toMatch(/^prefer +false$/m);
    expect(await output("functions", "settings", "prefer=default")).toMatch(/^prefer +true$/m);
    for (const change of ["prefer=perhaps", "searchThreshold= ", "searchThreshold=0x1", "prefer"])
      expect(await mh(["functions", "settings", change])).toMatchObject({ code: 2 });
    expect((await mh(["functions", "settings", "prefer"])).err).toContain("name=value");
  });

  it("records why a function was enabled again", async () => {
    await register("tidy");
    await output("functions", "disable", "tidy", "--reason", "it was wrong");
    await output("functions", "enable", "tidy", "--reason", "it was mended");
    expect(await output("audit", "search", "it was mended")).toContain("function_enabled");
  });

  it("edits only by an object, and by the version that it names", async () => {
    await register("sorter");
    for (const change of ["null", "[]", "5", "true", '"abc"'])
      expect(await mh(["functions", "edit", "sorter", change])).toMatchObject({
        code: 2,
        err: expect.stringContaining("The change must be a JSON object."),
      });
    expect(await output("functions", "edit", "sorter", '{"summary": "Sorts"}')).toContain("version 2");
    const outdated = await mh(["functions", "edit", "sorter", '{"summary": "Late", "version": 1}']);
    expect(outdated.code).not.toBe(0);
    expect(await mh(["functions", "edit", "sorter", '{"version": 2}', "--from", "1"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--from"),
    });
  });

  it("lists how many of all functions it shows, and continues where it ended", async () => {
    for (const name of ["one", "two", "three"]) await register(name);
    const { nextCursor, total } = z
      .object({ nextCursor: z.string(), total: z.int() })
      .parse(await json("functions", "list", "--limit", "2", "--sort", "title"));
    const first = await output("functions", "list", "--limit", "2", "--sort", "title");
    expect(first).toContain(`2 of ${String(total)} functions. Show more: --cursor ${nextCursor}`);
    const rest = await output("functions", "list", "--sort", "title", "--cursor", nextCursor);
    expect(rest).not.toContain(" functions. Show more");
    expect(rest.trim().split("\n")).toHaveLength(total - 2);
  });

  it("need a model to generate a function", async () => {
    expect(await mh(["functions", "curate", "count-lines", "count the lines of a file"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("No language model"),
    });
  });

  it("maintain functions and report their results", async () => {
    expect(await output("functions", "maintain", "--dry-run")).toContain("nothing to do");
    expect(await output("functions", "analytics")).not.toBe("");
  });
});

describe("mh export and mh import", () => {
  it("write a profile to a zip and preview its import", async () => {
    const zip = join(home, "ada.zip");
    expect(await output("export", zip)).toMatch(/^Written: .*ada\.zip \(\d+ kB\)\.\n$/);
    expect(await output("import", zip, "--preview")).not.toBe("");
    expect((await mh(["export", zip])).code).not.toBe(0);
  });
});

describe("times", () => {
  /** A time zone in which it is another day now than on this machine. */
  const timeZone = ["Pacific/Kiritimati", "Pacific/Pago_Pago"].find((zone) => today(zone) !== today()) ?? "";
  function today(zone?: string): string {
    return new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date());
  }

  it("are in the time zone of the profile", async () => {
    const path = join(home, "profiles/ada/profile.json");
    const before = readFileSync(path, "utf8");
    writeFileSync(path, JSON.stringify({ ...z.looseObject({}).parse(JSON.parse(before)), timeZone }));
    const day = today(timeZone);
    try {
      expect(await output("user", "list")).toContain(`ada  owner  ${day}`);
      const moment = "2026-12-01T12:00:00.000Z";
      const due = new Intl.DateTimeFormat("sv-SE", {
        dateStyle: "short",
        timeStyle: "short",
        timeZone,
      }).format(new Date(moment));
      expect(await output("task", "add", "call", "Bob", "--due", moment)).toContain(`due ${due}`);
      expect(await output("task", "list")).toContain(`  ${due}  call Bob`);
      const inWords = await output("task", "add", "call", "Eva", "--due", "1 December 2099 at 2:05 pm");
      expect(inWords).toContain("due 2099-12-01 14:05");
      expect(await output("task", "edit", "Eva", "--due", "2 December 2099")).toContain("due 2099-12-02");
      await output(
        "schedule",
        "add",
        "--when",
        "every day at 9",
        "--time-zone",
        "Asia/Tokyo",
        "list my tasks",
      );
      const { items } = z
        .object({ items: z.array(z.object({ next: z.array(z.string()) })) })
        .parse(await json("schedule", "list"));
      const next = describeMoment(new Date(items[0]?.next[0] ?? ""), timeZone);
      expect(await output("schedule", "list")).toContain(`every day at 09:00 (Asia/Tokyo)  ${next}`);
      expect(await output("schedule", "pause", "tasks")).toContain("(Asia/Tokyo) · paused");
      expect(await output("schedule", "resume", "tasks")).toContain(`(Asia/Tokyo) · next on ${next}`);
      await output("schedule", "remove", "tasks");
      const limited = ["swim", "--remind", "--when", "every day at 9", "--until", "31 January 2099"];
      expect(await output("schedule", "add", ...limited)).toContain(
        "every day at 09:00 until Saturday 31 January 2099",
      );
      await output("schedule", "remove", "swim");
      const code = file("zoned.ts", "export async function main(): Promise<number> {\n  return 1;\n}\n");
      await mh(["functions", "register", "zoned", code]);
      expect(await output("functions", "history", "zoned")).toContain(day);
      const zip = join(home, "zoned.zip");
      await output("export", zip);
      expect(await output("import", zip, "--preview")).toContain(`Export of ada from ${day}.`);
    } finally {
      writeFileSync(path, before);
    }
  });
});

describe("Ctrl-C before the run has started", () => {
  const pressed = AbortSignal.abort();
  const written = () => existsSync(join(home, "profiles/ada/out/late.md"));

  it("keeps mh functions run from calling the function", async () => {
    const code = file(
      "late.ts",
      'export async function main() { return await skills.fs_write({ path: "out/late.md", content: "late" }); }',
    );
    // Its checks fail, because it has no tests, but a draft can be run.
    await mh([
      "functions",
      "register",
      "late",
      code,
      "--description",
      "Writes a file.",
      "--grant",
      "fs_write",
    ]);
    expect((await mh(["functions", "run", "late", "--yes"], undefined, pressed)).code).toBe(130);
    expect(written()).toBe(false);
    expect((await mh(["functions", "run", "late", "--yes"])).code).toBe(0);
    expect(written()).toBe(true);
    rmSync(join(home, "profiles/ada/out/late.md"));
  });

  it("keeps mh operator from acting", async () => {
    const request = ["operator", "write late into out/late.md", "--yes"];
    expect((await mh(request, undefined, pressed)).code).toBe(130);
    expect(written()).toBe(false);
    expect((await mh(request)).code).toBe(0);
    expect(written()).toBe(true);
  });
});
