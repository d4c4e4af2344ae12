import { execFile } from "node:child_process";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Approval } from "@metahuman/core/contract/approval";
import { Run } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import type { Client } from "../support/client.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;
serveBeforeAll((served) => ({ server, owner } = served));

const execute = promisify(execFile);
const at = (path: string) => join(server.home, "profiles/ada", path);
const put = async (path: string, text: string) => {
  await mkdir(join(at(path), ".."), { recursive: true });
  await writeFile(at(path), text);
};
const read = (path: string) => readFile(at(path), "utf8");
/** Long enough that its end is in no preview. */
const long = (end: string) => `${"one line of many\n".repeat(5_000)}${end}\n`;

async function pendingOf(run: Run): Promise<Approval> {
  if (run.pending?.kind !== "approval") throw new Error(`the run is ${run.status}, ${run.outcome ?? ""}`);
  return Approval.parse((await owner.get(`/api/approvals/${run.pending.approvalId}`)).body);
}

/** Makes a risky request; returns the approval that the run waits for. */
async function askFor(goal: string): Promise<Approval> {
  const { status, body } = await owner.post("/api/operator", { goal });
  expect(status, JSON.stringify(body)).toBe(202);
  return await pendingOf(Run.parse((await owner.get(`/api/runs/${runIdOf(body)}`)).body));
}

function runIdOf(body: unknown): string {
  if (typeof body !== "object" || body === null || !("runId" in body)) throw new Error("no run");
  return String(body.runId);
}

/** Allows the call once; returns the run when it has ended or waits for another decision. */
async function allow({ id, runId }: Approval): Promise<Run> {
  const { status } = await owner.post(`/api/approvals/${id}`, { decision: "once" });
  expect(status).toBe(200);
  for await (const _event of owner.events(`/api/runs/${runId}/events`)) {
    const run = Run.parse((await owner.get(`/api/runs/${runId}`)).body);
    if (run.status === "ended" || (run.pending?.kind === "approval" && run.pending.approvalId !== id))
      return run;
  }
  return Run.parse((await owner.get(`/api/runs/${runId}`)).body);
}

/** The content changed after the call was allowed, so the person is asked again and sees the change. */
async function askedAgain(first: Approval, changes: readonly string[]): Promise<Approval> {
  const second = await pendingOf(await allow(first));
  expect(second.changedSince).toMatchObject({ approvalId: first.id, changes });
  expect(await allow(second)).toMatchObject({ status: "ended", outcome: "answered" });
  return second;
}

describe("an approval is bound to the content that was shown: after a change of equal size it is required again to", () => {
  it("overwrite a file", async () => {
    await put("out/plan.md", long("Monday"));
    const first = await askFor("overwrite plan.md with 'new'");
    await put("out/plan.md", long("Friday"));
    await askedAgain(first, ["out/plan.md changed"]);
    expect(await read("out/plan.md")).toBe("new");
  });

  it("delete a file", async () => {
    await put("out/log.md", long("Monday"));
    const first = await askFor("delete log.md");
    await put("out/log.md", long("Friday"));
    await askedAgain(first, ["out/log.md changed"]);
    await expect(read("out/log.md")).rejects.toThrow();
  });

  it("delete a folder", async () => {
    await put("out/trip/a.md", "one");
    await put("out/trip/deep/b.md", "two");
    const first = await askFor("delete the folder trip");
    await put("out/trip/deep/b.md", "six");
    const second = await pendingOf(await allow(first));
    expect(second.changedSince?.changes).toEqual(["out/trip/deep/b.md changed"]);
    await put("out/trip/c.md", "new");
    await askedAgain(second, ["out/trip/c.md is new"]);
    await expect(read("out/trip/a.md")).rejects.toThrow();
  });

  it("add to a file outside out/", async () => {
    await put("inbox/letter.txt", "Dear Ada");
    const first = await askFor("append 'P.S.' to inbox/letter.txt");
    await put("inbox/letter.txt", "Dear Eve");
    await askedAgain(first, ["inbox/letter.txt changed"]);
    expect(await read("inbox/letter.txt")).toBe("Dear Eve\nP.S.");
  });

  it("move a file over another", async () => {
    await put("out/from.md", long("Monday"));
    await put("out/to.md", long("Monday"));
    const first = await askFor("move from.md to to.md and overwrite it");
    await put("out/to.md", long("Friday"));
    const second = await pendingOf(await allow(first));
    expect(second.changedSince?.changes).toEqual(["out/to.md changed"]);
    await put("out/from.md", long("Sunday"));
    await askedAgain(second, ["out/from.md changed"]);
    expect(await read("out/to.md")).toBe(long("Sunday"));
  });

  it("change a JSON file outside out/", async () => {
    await put("inbox/settings.json", '{"port": 1, "host": "a"}');
    const first = await askFor("set port to 2 in inbox/settings.json");
    await put("inbox/settings.json", '{"port": 1, "host": "b"}');
    const second = await askedAgain(first, ["inbox/settings.json changed"]);
    expect(second.changedSince?.diff).toMatchObject({
      before: '{"port": 1, "host": "a"}',
      after: '{"port": 1, "host": "b"}',
    });
    expect(await read("inbox/settings.json")).toBe('{"port": 2, "host": "b"}');
  });
});

describe("a commit", () => {
  const git = async (...args: string[]) =>
    (await execute("git", ["-C", at("out/site"), ...args], { env: { ...process.env, LC_ALL: "C" } })).stdout;

  it("shows its diff, and requires a new approval if the files changed meanwhile", async () => {
    await put("out/site/a.md", "one\n");
    await git("init", "--quiet", "--initial-branch=main");
    const first = await askFor("commit site/a.md with message 'Say one'");
    expect(first.preview.patch).toMatchObject({ clipped: false });
    expect(first.preview.patch?.text).toContain("+one");
    await put("out/site/a.md", "two\n");
    const second = await askedAgain(first, ["out/site/a.md changed"]);
    expect(second.preview.patch?.text).toContain("+two");
    expect(await git("show", "HEAD:a.md")).toBe("two\n");
  });

  it("requires one approval if only the time of the file changed", async () => {
    await appendFile(at("out/site/a.md"), "three\n");
    const first = await askFor("commit site/a.md with message 'Say three'");
    await put("out/site/a.md", "two\nthree\n");
    expect(await allow(first)).toMatchObject({ status: "ended", outcome: "answered" });
    expect(await git("log", "--format=%s")).toBe("Say three\nSay one\n");
  });

  it("leaves no trace in the repository before it is allowed", async () => {
    await appendFile(at("out/site/a.md"), "four\n");
    const before = await git("count-objects", "-v");
    const waiting = await askFor("commit site/a.md with message 'Say four'");
    expect(await git("count-objects", "-v")).toBe(before);
    expect(await git("diff", "--cached")).toBe("");
    await owner.post(`/api/approvals/${waiting.id}`, { decision: "deny" });
  });
});
