import { Problem } from "@metahuman/core/contract/problem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCommandLine } from "./testing/command-line.ts";

const commandLine = openCommandLine();
afterAll(commandLine.remove);
const mh = (...args: string[]) => commandLine.mh(args);

describe("a command line", () => {
  beforeAll(async () => {
    expect(await mh("task", "list")).toMatchObject({ code: 2, err: expect.stringContaining("mh init") });
    expect(await mh("init", "ada")).toMatchObject({ code: 0 });
  });

  it.each([
    ["mode", "There is no mode"],
    ["trust", "There is no trust level"],
    ["guests", "is not on or off"],
  ])("rejects an unknown value of mh %s and lists the valid ones", async (command, message) => {
    const { code, out, err } = await mh(command, "nonsense");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err.split("\n").length).toBeGreaterThan(2);
  });

  it("prints an error as the HTTP API does with --json", async () => {
    const { code, out } = await mh("--json", "agent", "run", "nobody");
    expect(code).toBe(2);
    expect(Problem.parse(JSON.parse(out)).error.code).toBe("INVALID_REQUEST");
  });

  it.each([
    [["nonsense"], "mh: Unknown command 'nonsense'."],
    [["task", "add"], "mh: Missing required argument 'title'."],
    [["task", "list", "--nonsense"], "mh: Unknown option '--nonsense'."],
  ])("reports an invalid command line in its own voice, and as JSON: mh %j", async (args, message) => {
    const { code, out, err } = await mh(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`${message}\n`);
    const asJson = await mh("--json", ...args);
    expect(asJson.code).toBe(2);
    expect(Problem.parse(JSON.parse(asJson.out)).error).toMatchObject({
      code: "INVALID_REQUEST",
      message: message.slice(4),
    });
  });

  it("says which dates a task may have", async () => {
    const { code, err } = await mh("task", "add", "buy milk", "--due", "soon");
    expect(code).toBe(2);
    expect(err).toBe(
      "mh: Due must be a day such as 2026-11-20, or a moment such as 2026-11-20T09:30:00.000Z.\n",
    );
  });

  it.each([
    [["archive", "list"], "The archive is empty."],
    [["approvals", "list"], "Nothing waits for approval."],
    [["approvals", "history"], "There are no past decisions."],
    [["approvals", "grants"], "There are no standing permissions."],
    [["runs", "list"], "No runs yet."],
    [["token", "list"], "No tokens."],
    [["functions", "list"], "No functions match."],
    [["agent", "questions"], "There are no open questions."],
    [["agent", "facts"], "There are no proposed facts."],
    [["task", "list"], "No tasks. Add one: mh task add buy milk"],
  ])("reports an empty list: mh %j", async (args, message) => {
    expect(await mh(...args)).toEqual({ code: 0, out: `${message}\n`, err: "" });
  });

  it("requires a change for mh task edit and shows an example", async () => {
    expect(await mh("task", "edit", "milk")).toMatchObject({
      code: 2,
      err: expect.stringContaining("mh task edit buy milk --due"),
    });
  });

  it("lets guests in and out", async () => {
    expect((await mh("guests", "on")).out).toBe("Guests may chat with the persona of ada.\n");
    expect((await mh("guests")).out).toBe("Guests may chat with the persona of ada.\n");
    expect((await mh("guests", "off")).out).toBe("Guests may not chat with the persona of ada.\n");
  });

  it("replaces the database of runs only after confirmation", async () => {
    expect(await mh("database", "start-anew")).toMatchObject({
      code: 2,
      err: expect.stringContaining("mh database start-anew --yes"),
    });
    expect((await mh("database", "status")).out).toContain("state.db is readable.");
  });

  it("limits the numbers of a command", async () => {
    expect((await mh("recall", "milk", "--limit", "0")).code).toBe(2);
    expect((await mh("functions", "list", "--limit", "many")).code).toBe(2);
  });
});
