import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Grant } from "@metahuman/core/contract/approval";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { Task } from "@metahuman/core/contract/task";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mh, mhProcess } from "../support/cli.ts";
import { startServerHere, startTestServer } from "../support/server.ts";

const TaskResult = z.object({ task: Task });
const Archived = z.object({ archived: z.object({ id: z.string() }) });
const Grants = z.object({ items: z.array(Grant) });

let home: string;
const profile = (path: string) => join(home, "profiles", "ada", path);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "metahuman-cli-"));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

/** The JSON result of a command that must succeed. */
async function json(...args: string[]): Promise<unknown> {
  const { code, out, err } = await mh(home, ["--json", ...args]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

describe("the command line, from an empty folder on", () => {
  it("explains what to do without an account", async () => {
    const { code, out, err } = await mhProcess(home, ["--json", "task", "list"]);
    expect(code).toBe(2);
    expect(err).toContain("mh init");
    expect(JSON.parse(out)).toMatchObject({ error: { code: "INVALID_REQUEST" } });
  });

  it("creates the owner once, with a password that is never an argument", async () => {
    expect(await mh(home, ["init", "ada"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("METAHUMAN_PASSWORD"),
    });
    expect(await mh(home, ["init", "ada"], { METAHUMAN_PASSWORD: "correct horse battery" })).toMatchObject({
      code: 0,
    });
    expect(await mh(home, ["init", "eve"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("mh user add"),
    });
  });

  it("lists the requests that an answer suggests separately from the answer", async () => {
    const { out, err } = await mh(home, ["operator", "my dentist is Dr. Berg"]);
    expect(err).toContain("Suggested requests:\n  remember that “my dentist is Dr. Berg”");
    expect(out).not.toContain("Suggested requests");
  });

  it("executes a request and prints the result, with the trace on standard error", async () => {
    const { code, out, err } = await mhProcess(home, ["operator", "make", "sandwich", "file"]);
    expect(code).toBe(0);
    expect(out).toContain("out/sandwich.txt");
    expect(err).toContain("fs_write");
    expect(await readFile(profile("out/sandwich.txt"), "utf8")).toBe("");
  });

  it("ends with a code for the reason if no part of the request succeeded", async () => {
    expect(await mh(home, ["operator", "read", "nowhere.md"])).toMatchObject({ code: 3 });
    const { code, out } = await mh(home, ["--json", "operator", "read", "nowhere.md"]);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      outcome: "stuck",
      actions: ["fs_read"],
    });
    expect(await mh(home, ["operator", "list my tasks and read nowhere.md"])).toMatchObject({ code: 1 });
    const chat = await mh(home, ["chat"], {}, "read nowhere.md\nlist my tasks\n");
    expect(chat.code).toBe(3);
    expect((await mh(home, ["chat"], {}, "list my tasks\n")).code).toBe(0);
  });

  it("continues one conversation, line by line", async () => {
    const { code, out } = await mh(
      home,
      ["--json", "chat"],
      {},
      "make soup file\n\nlist my tasks\n/quit\nmake coffee file\n",
    );
    expect(code).toBe(0);
    const answers = out
      .trimEnd()
      .split("\n")
      .map((line) => OperatorAnswer.parse(JSON.parse(line)));
    expect(answers.map(({ actions }) => actions)).toEqual([["fs_write"], ["task_list"]]);
    expect(new Set(answers.map(({ conversationId }) => conversationId)).size).toBe(1);
  });

  it("shows the persona and changes it in part", async () => {
    expect(await json("persona", "--name", "Hypatia", "--value", "clarity", "--value", "care")).toMatchObject(
      {
        persona: { name: "Hypatia", values: ["clarity", "care"] },
      },
    );
    expect((await mh(home, ["persona", "--voice", "dry"])).out).toMatch(/Hypatia[^]*dry[^]*clarity; care/);
    expect((await mh(home, ["persona", "--name", ""])).code).toBe(2);
  });

  it("exits with its own code if a run waits for an absent person, and continues after the approval", async () => {
    const asked = await mh(home, ["--json", "operator", "delete sandwich.txt"]);
    expect(asked.code).toBe(5);
    expect(JSON.parse(asked.out)).toMatchObject({
      status: "waiting",
      pending: { kind: "approval", tool: "fs_delete" },
    });
    expect(await json("approvals", "list")).toMatchObject({ total: 1 });
    const waiting = /appr-\w+/.exec(asked.out)?.[0] ?? "";
    expect(await json("approvals", "deny", waiting, "I still need it")).toMatchObject({
      run: { status: "ended" },
    });
    expect(await readFile(profile("out/sandwich.txt"), "utf8")).toBe("");
  });

  it("grants, lists and revokes a standing permission", async () => {
    const asked = await mh(home, ["--json", "operator", "delete sandwich.txt"]);
    const waiting = /appr-\w+/.exec(asked.out)?.[0] ?? "";
    expect((await mh(home, ["approvals", "allow", waiting, "--run", "--always"])).code).toBe(2);
    expect(await json("approvals", "allow", waiting, "--always")).toMatchObject({
      approval: { decision: "always" },
      run: { outcome: "answered" },
    });
    expect((await mh(home, ["approvals", "list"])).out).toBe("Nothing waits for approval.\n");
    const { items } = Grants.parse(await json("approvals", "grants"));
    expect(items).toMatchObject([{ skill: "fs_delete", pathPrefix: "out/sandwich.txt" }]);
    expect((await mh(home, ["approvals", "grants"])).out).toMatch(/fs_delete +out\/sandwich\.txt +until/);
    expect((await mh(home, ["operator", "create a file called toast.txt"])).code).toBe(0);
    expect((await mh(home, ["operator", "delete toast.txt"])).code).toBe(5);
    expect((await mh(home, ["approvals", "list"])).out).toContain("--always: out/toast.txt");
    expect((await mh(home, ["operator", "create a folder called toasts"])).code).toBe(0);
    expect((await mh(home, ["operator", "delete the folder toasts"])).code).toBe(5);
    expect((await mh(home, ["approvals", "list"])).out).toContain("--always: everything in out/toasts/");
    expect((await mh(home, ["operator", "make sandwich file"])).code).toBe(0);
    expect((await mh(home, ["operator", "delete sandwich.txt"])).code).toBe(0);
    await json("approvals", "revoke", items[0]?.id ?? "");
    expect((await mh(home, ["approvals", "grants"])).out).toBe("There are no standing permissions.\n");
    expect((await mh(home, ["operator", "make sandwich file"])).code).toBe(0);
    expect((await mh(home, ["operator", "delete sandwich.txt"])).code).toBe(5);
    expect(await json("approvals", "history")).toMatchObject({
      items: [
        { status: "pending" },
        { status: "pending" },
        { status: "pending" },
        { decision: "always" },
        { decision: "deny", reason: "I still need it" },
      ],
    });
  });

  it("allows risky calls without asking, on request", async () => {
    expect((await mh(home, ["operator", "--yes", "delete sandwich.txt"])).code).toBe(0);
    await expect(readFile(profile("out/sandwich.txt"))).rejects.toThrow("ENOENT");
  });

  it("lists deleted items and restores them", async () => {
    expect((await mh(home, ["operator", "undo"])).out).toContain("mh archive restore");
    const listed = await mh(home, ["archive", "list", "sandwich"]);
    const [id = ""] = /file-\w+-\w+/.exec(listed.out) ?? [];
    expect(await json("archive", "restore", id)).toMatchObject({ restored: { title: "sandwich.txt" } });
    expect(await readFile(profile("out/sandwich.txt"), "utf8")).toBe("");
    expect(await mh(home, ["archive", "restore", id])).toMatchObject({
      code: 3,
      err: expect.stringContaining("mh archive list"),
    });
    expect((await mh(home, ["archive", "list", "zebra"])).out).toContain("Nothing in the archive matches");
  });

  it("lists, adds and finishes tasks", async () => {
    await json("task", "add", "buy", "milk", "--priority", "P1", "--due", "2030-01-02");
    await json("task", "add", "buy", "stamps");
    expect(await json("task", "list")).toMatchObject({
      total: 2,
      tasks: [{ title: "buy milk", priority: "P1" }, { title: "buy stamps" }],
    });
    expect(await json("task", "done", "milk")).toMatchObject({ task: { title: "buy milk", status: "done" } });
    expect(await json("task", "list")).toMatchObject({ total: 1 });
  });

  it("changes a task, and deletes and restores it", async () => {
    const edit = ["--title", "buy postcards", "--due", "2030-03-04", "--tag", "post"];
    expect(await json("task", "edit", "stamps", ...edit)).toMatchObject({
      task: { title: "buy postcards", due: "2030-03-04", tags: ["post"], status: "todo" },
    });
    const { task } = TaskResult.parse(await json("task", "edit", "postcards", "--due", "none"));
    expect(task.due).toBeUndefined();
    expect(await mh(home, ["task", "edit", "postcards"])).toMatchObject({ code: 2 });
    expect(await json("task", "cancel", "postcards")).toMatchObject({ task: { status: "cancelled" } });
    const { archived } = Archived.parse(await json("task", "delete", task.id));
    expect((await mh(home, ["task", "delete", task.id])).code).toBe(3);
    expect((await mh(home, ["archive", "show", archived.id])).out).toContain("buy postcards");
    await json("archive", "restore", archived.id);
    expect((await mh(home, ["archive", "show", archived.id])).code).toBe(3);
    expect(await json("task", "list", "--all")).toMatchObject({ total: 2 });
  });

  it("asks which task is meant, and refuses an invalid value", async () => {
    expect(await mh(home, ["task", "done", "the dentist"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("No task matches"),
    });
    expect((await mh(home, ["task", "list", "--status", "maybe"])).err).toContain("in_progress");
    expect((await mh(home, ["no-such-command"])).code).toBe(2);
  });

  it("remembers and recalls, and explains scores", async () => {
    await json("remember", "the garage code is kept in the blue notebook");
    await json("capture", "the plumber came on Tuesday");
    expect(await json("recall", "garage code", "--explain")).toMatchObject({
      items: [{ memory: { type: "curated" }, rank: 1 }],
    });
    expect(await json("recall", "garage code", "--about", "Ana")).toEqual({ items: [] });
  });

  it("shows and changes mode and trust level, and applies them itself", async () => {
    expect(await json("trust")).toEqual({ trustLevel: "supervised_auto" });
    expect(await json("trust", "observe")).toEqual({ trustLevel: "observe" });
    expect((await mh(home, ["operator", "make", "tea", "file"])).out).not.toContain("Wrote");
    await expect(readFile(profile("out/tea.txt"))).rejects.toThrow("ENOENT");
    expect(await json("mode", "emulation")).toEqual({ mode: "emulation" });
    expect(await mh(home, ["remember", "nothing"])).toMatchObject({
      code: 4,
      err: expect.stringContaining("emulation"),
    });
    await json("mode", "dual");
    await json("trust", "supervised_auto");
    expect((await mh(home, ["trust", "total"])).err).toContain("bounded_auto");
  });

  it("creates tokens that the server accepts and revokes them, next to the running server", async () => {
    const server = await startServerHere({ home });
    try {
      const { token } = z.object({ token: z.string() }).parse(await json("token", "create", "scripts"));
      const ask = () => fetch(`${server.url}/api/tasks`, { headers: { authorization: `Bearer ${token}` } });
      expect((await ask()).status).toBe(200);
      await json("task", "add", "written", "beside", "the", "server");
      expect(await (await ask()).text()).toContain("written beside the server");
      expect(await json("token", "list")).toMatchObject({ tokens: [{ name: "scripts" }] });
      await json("token", "revoke", "scripts");
      expect((await ask()).status).toBe(401);
    } finally {
      await server.dispose();
    }
  });

  it("finds the server of its own data on any port, and no other server", async () => {
    const stateIn = (value: unknown) => z.object({ server: z.looseObject({}) }).parse(value).server;
    const [server, other] = await Promise.all([startTestServer({ home }), startServerHere()]);
    const atOther = { PORT: new URL(other.url).port };
    try {
      expect(stateIn(await json("status"))).toMatchObject({ running: true, url: server.url, status: "ok" });
      expect((await mh(home, ["doctor"], atOther)).out).toContain(`running at ${server.url}`);
      await server.end("SIGKILL");
      const { code, out } = await mh(home, ["status"], atOther);
      expect(out).toContain(`not running for this data; the server at ${other.url} uses other data`);
      expect(code).toBe(0);
      await other.dispose();
      expect((await mh(home, ["status"], atOther)).out).toContain(`not running (would be ${other.url})`);
    } finally {
      await Promise.all([server.dispose(), other.dispose()]);
    }
  });

  it("finds problems and reports them", async () => {
    const { code, out } = await mh(home, ["doctor"]);
    expect(out).toMatch(/Audit: all \d+ lines are intact/);
    expect(code).toBe(0);
  });

  it("never shows a stack trace", async () => {
    expect((await mhProcess(join(home, "profiles/ada/profile.json"), ["status"])).err).not.toMatch(
      /\n\s+at /,
    );
  });
});
