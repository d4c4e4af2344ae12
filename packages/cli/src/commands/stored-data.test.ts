import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCommandLine } from "../testing/command-line.ts";

const { home, mh, remove } = openCommandLine();
afterAll(remove);
beforeAll(async () => {
  expect(await mh(["init", "ada"])).toMatchObject({ code: 0, err: "" });
});

/** Runs a command that must succeed and returns its output. */
async function output(args: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await mh(args, input);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  return out;
}

const json = async (...args: string[]): Promise<unknown> => JSON.parse(await output(["--json", ...args]));

describe("mh files and mh archive", () => {
  it("write, list, show, rename, delete and restore a file", async () => {
    expect(await output(["files", "write", "out/plan.md"], "pack the tent\n")).toBe("Created out/plan.md\n");
    expect(await output(["files", "show", "out/plan.md"])).toContain("pack the tent");
    expect(await output(["files", "list", "out"])).toMatch(/^out\/plan\.md {2}14 /m);
    expect(await output(["files", "rename", "out/plan.md", "out/trip.md"])).toBe(
      "Renamed out/plan.md to out/trip.md\n",
    );
    const deleted = await output(["files", "delete", "out/trip.md"]);
    const [, id = ""] = /mh archive restore (\S+)$/m.exec(deleted) ?? [];
    expect(await output(["archive", "list"])).toContain(id);
    await output(["archive", "restore", id]);
    expect(await output(["files", "show", "out/trip.md"])).toContain("pack the tent");
  });

  it("show neither a missing file nor one outside of the workspace", async () => {
    expect(await mh(["files", "show", "out/missing.md"])).toMatchObject({ code: 3 });
    expect(await mh(["files", "show", "../profile.json"])).toMatchObject({ code: 4 });
  });

  it("replace a file only on request, and name the sort orders", async () => {
    await output(["files", "write", "out/notes.md"], "old");
    expect(await mh(["files", "write", "out/notes.md"], "new")).not.toMatchObject({ code: 0 });
    expect(await output(["files", "write", "out/notes.md", "--replace"], "new")).toBe(
      "Replaced out/notes.md\n",
    );
    expect(await mh(["files", "list", "--sort", "color"])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no order "color".'),
    });
  });
});

describe("mh schedule and mh notices", () => {
  it("add, list, pause, run and remove a schedule", async () => {
    const { schedule } = z
      .looseObject({ schedule: z.looseObject({ id: z.string() }) })
      .parse(await json("schedule", "add", "--when", "every weekday at 7:30", "list my tasks"));
    expect(await output(["schedule", "list"])).toContain("List my tasks");
    await output(["schedule", "pause", "tasks"]);
    expect(await json("schedule", "list")).toMatchObject({ items: [{ id: schedule.id, enabled: false }] });
    await output(["schedule", "run", schedule.id]);
    expect(await output(["schedule", "history", schedule.id])).toContain("succeeded");
    const removed = await output(["schedule", "remove", schedule.id]);
    const [, archived = ""] = /mh archive restore (\S+)$/m.exec(removed) ?? [];
    expect(await output(["archive", "show", archived])).toMatch(/every weekday at 07:30$/m);
    expect(await mh(["schedule", "run", schedule.id])).toMatchObject({ code: 3 });
  });

  it("refuse words for a time that are not understood", async () => {
    expect(await mh(["schedule", "add", "--when", "some day", "list my tasks"])).toMatchObject({
      err: expect.stringContaining("some day"),
    });
  });

  it("show no notice before it is due, and know no other one", async () => {
    await output(["schedule", "add", "--remind", "call Ada", "--when", "in 1 minute"]);
    expect(await output(["notices"])).not.toContain("call Ada");
    expect(await mh(["notices", "read", "notice-none"])).toMatchObject({
      code: 3,
      err: "mh: There is no such notice.\n",
    });
  });
});

describe("mh channels", () => {
  it("shows a person which channels the owner has turned on", async () => {
    expect(await mh(["channels", "on", "ntfy", "--to", "my-topic"])).toMatchObject({
      err: expect.stringContaining("has not turned ntfy on"),
    });
    await output(["channels", "server", "ntfy", "--on"]);
    expect(await output(["channels", "on", "ntfy", "--to", "my-topic"])).toContain("ntfy");
    expect(await output(["channels", "list"])).toContain("my-topic");
    await output(["channels", "off", "ntfy"]);
  });
});

describe("mh index", () => {
  it("rebuilds the index from the files and searches it", async () => {
    await output(["remember", "the", "spare", "key", "is", "under", "the", "pot"]);
    await output(["index", "build"]);
    expect(await output(["index", "query", "spare key"])).toContain("under the pot");
  });
});

describe("mh audit", () => {
  it("writes the key that signs the log to a file of its own", async () => {
    const path = join(home, "audit.key");
    await output(["audit", "key", "export", path]);
    expect(existsSync(path)).toBe(true);
    expect(await output(["audit", "verify"])).not.toBe("");
  });
});

describe("mh migrate", () => {
  it("requires files on one side and a database on the other", async () => {
    expect(await mh(["migrate", "--to", join(home, "elsewhere")])).toMatchObject({
      code: 2,
      err: expect.stringContaining("from files into a database, or back"),
    });
  });
});

describe("mh mirror", () => {
  it("needs a database", async () => {
    expect(await mh(["mirror", "--to", join(home, "elsewhere")])).toMatchObject({
      code: 2,
      err: expect.stringContaining("There is no database to mirror."),
    });
  });
});

describe("mh runs", () => {
  it("continue no run that was answered, and resume none that was not interrupted", async () => {
    const { runId } = z
      .looseObject({ runId: z.string() })
      .parse(await json("operator", "list", "my", "tasks"));
    expect(await mh(["runs", "continue", runId])).toMatchObject({
      err: expect.stringContaining("nothing to continue"),
    });
    expect(await mh(["runs", "resume", runId])).not.toMatchObject({ code: 0 });
  });
});

describe("mh recall", () => {
  it("explains scores on request and refuses a context that is not made of pairs", async () => {
    await output(["remember", "the garage code is kept in the blue notebook"]);
    expect(await output(["recall", "garage code"])).toContain("blue notebook");
    expect(await output(["recall", "garage code", "--explain"])).toMatch(/^ {8}\w+ \d\.\d{3}/m);
    expect(await mh(["recall", "garage", "--context", "garden"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("key:value pairs"),
    });
    expect(await output(["recall", "zeppelin"])).toBe("No memories match.\n");
    expect(await output(["recall", "zeppelin", "--nearest"])).toContain("blue notebook");
  });

  it("ranks memories of the given context higher", async () => {
    await output(["operator", "write pears to out/pears.md"]);
    const explained = (file: string) => output(["recall", "pears", "--explain", "--context", `file:${file}`]);
    expect(await explained("out/pears.md")).toMatch(/^ {8}context \d\.\d{3}/mu);
    expect(await explained("out/plums.md")).not.toMatch(/^ {8}context/mu);
  });
});

describe("mh agent questions and facts", () => {
  it("list nothing before the reflector has run, and name an unknown proposal", async () => {
    expect(await output(["agent", "questions"])).toBe("There are no open questions.\n");
    expect(await output(["agent", "facts"])).toBe("There are no proposed facts.\n");
    expect(await mh(["agent", "keep", "ref-20260101T000000000Z-none"])).toMatchObject({ code: 3 });
  });
});
