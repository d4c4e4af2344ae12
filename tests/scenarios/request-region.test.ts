import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorPending } from "@metahuman/core/contract/http";
import { wallTimeOf } from "@metahuman/core/language/dates/clock";
import { mh } from "../support/cli.ts";
import { act, finish, openModelHarness, play, type ModelHarness } from "../support/model-harness.ts";

// Dates in words are days in the person's time zone, whatever the time zone of the server.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());

/** Zones whose days differ for most of the day, so that a mix-up shows. */
const EAST = "Pacific/Kiritimati";
const WEST = "Pacific/Pago_Pago";

function dayIn(timeZone: string, runId: string, ahead: number): Promise<string> {
  return harness.run(runId).then(({ createdAt }) => {
    const { year, month, day } = wallTimeOf(new Date(createdAt), timeZone);
    return new Date(Date.UTC(year, month - 1, day + ahead)).toISOString().slice(0, 10);
  });
}

async function due(goal: string, more: object) {
  const { runId, scratchpad } = await harness.ask(goal, more);
  return { runId, observation: scratchpad[0]?.observation };
}

const asksFor = (args: Record<string, unknown>) => harness.models.script(play([act("task_create", args)]));

describe("the time zone and locale of a request", () => {
  it("determine which day a word for a date means", async () => {
    for (const timeZone of [EAST, WEST]) {
      asksFor({ title: "water the plants", due: "tomorrow" });
      const { runId, observation } = await due("please see to the plants", { timeZone });
      expect(observation).toMatchObject({ outputs: { task: { due: await dayIn(timeZone, runId, 1) } } });
    }
  });

  it("apply to the built-in planner as well", async () => {
    await harness.set({ models: [] });
    const { runId, observation } = await due("add a task to water the plants tomorrow", { timeZone: EAST });
    await harness.set();
    expect(observation).toMatchObject({ outputs: { task: { due: await dayIn(EAST, runId, 1) } } });
  });

  it("are the profile's if a request names none", async () => {
    const set = await harness.owner.send("PATCH", "/api/settings", { timeZone: WEST, locale: "en-GB" });
    expect(set.body).toMatchObject({ settings: { timeZone: WEST, locale: "en-GB" } });
    asksFor({ title: "buy seeds", due: "today" });
    const { runId, observation } = await due("I need seeds", {});
    expect(observation).toMatchObject({ outputs: { task: { due: await dayIn(WEST, runId, 0) } } });
    const unset = await harness.owner.send("PATCH", "/api/settings", { timeZone: null, locale: null });
    expect(unset.status).toBe(200);
    expect((await harness.owner.get("/api/settings")).body).not.toHaveProperty("settings.timeZone");
  });

  it("of the profile determine in which zone the command prints times", async () => {
    const { runId } = await harness.ask("hello");
    const { createdAt } = await harness.run(runId);
    for (const timeZone of [EAST, WEST]) {
      await harness.owner.send("PATCH", "/api/settings", { timeZone });
      const { year, month, day, hour, minute } = wallTimeOf(new Date(createdAt), timeZone);
      const [date, time] = [
        [year, month, day],
        [hour, minute],
      ].map((parts) => parts.map((part) => String(part).padStart(2, "0")));
      const { out } = await mh(harness.home, ["runs", "list"]);
      expect(out.split("\n").find((line) => line.includes(runId))).toContain(
        `${date?.join("-") ?? ""} ${time?.join(":") ?? ""}`,
      );
    }
    await harness.owner.send("PATCH", "/api/settings", { timeZone: null });
  });

  it("are refused with the valid values", async () => {
    for (const [given, reason] of [
      [{ timeZone: "Oslo" }, "must be a time zone such as Europe/Oslo"],
      [{ locale: "english please" }, "must be a language tag such as en-GB"],
    ] as const) {
      const refused = await harness.owner.post("/api/operator", { goal: "list my tasks", ...given });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain(reason);
      expect((await harness.owner.send("PATCH", "/api/settings", given)).status).toBe(422);
    }
  });
});

describe("a function that names a file after the day", () => {
  it("is verified with the day in the time zone of the person", async () => {
    const dayNow = (timeZone?: string) =>
      new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(new Date());
    const timeZone = [EAST, WEST].find((zone) => dayNow(zone) !== dayNow()) ?? EAST;
    harness.models.script(
      play([
        act("fs_mkdir", { path: "log" }),
        act("fs_write", { path: `log/${dayNow(timeZone)}.md`, content: "start" }),
        finish,
      ]),
    );
    const goal = 'make the folder log and start a log of today in it with "start"';
    const { learnedFunction } = await harness.ask(goal, { timeZone });
    const id = learnedFunction?.id ?? "";
    const { body } = await harness.owner.get(`/api/functions/${id}`);
    expect(body).toMatchObject({ function: { kind: "recipe", examples: [{ fixture: { timeZone } }] } });
    expect(JSON.stringify(body)).toContain("${today}");
    const verified = await harness.owner.post(`/api/functions/${id}/verify`);
    expect(verified.body).toMatchObject({ verification: { ok: true } });
  });
});

describe("a due date in the past", () => {
  const past = { title: "call Bob", due: "2023-05-02" };

  it("is refused with a correction, and nothing is created", async () => {
    asksFor(past);
    const { observation } = await due("I should call Bob tomorrow, see to it", {});
    expect(observation).toMatchObject({ success: false, error: { code: "INVALID_ARGS" } });
    expect(observation?.content).toContain("due is in the past (2023-05-02); today is ");
    expect(observation?.error?.suggestions?.join()).toContain("ask_user");
    expect(JSON.stringify((await harness.owner.get("/api/tasks")).body)).not.toContain("call Bob");
  });

  it("is accepted if the person named it, or was asked about it", async () => {
    asksFor(past);
    const named = await due("note that Bob was to be called by 2023-05-02", {});
    expect(named.observation).toMatchObject({ success: true, outputs: { task: { due: "2023-05-02" } } });

    harness.models.script(
      play([act("ask_user", { question: "Is 2023-05-02 really meant?" }), act("task_create", past), finish]),
    );
    const waiting = await harness.owner.post("/api/operator", { goal: "put Bob on my list, you know when" });
    expect(waiting.status).toBe(202);
    const { runId } = OperatorPending.parse(waiting.body);
    await harness.owner.post(`/api/runs/${runId}/answer`, { text: "yes" });
    await expect.poll(async () => (await harness.run(runId)).status).toBe("ended");
    expect((await harness.run(runId)).scratchpad[1]?.observation).toMatchObject({ success: true });
  });
});

describe("a skill that does not exist", () => {
  it("is refused with at most five of similar spelling or meaning", async () => {
    for (const [tool, meant] of [
      ["fs_reader", "fs_read"],
      ["create_todo_task", "task_create"],
      ["fs_mover", "fs_move"],
    ] as const) {
      harness.models.script(play([act(tool, { path: "a.md" })]));
      const { scratchpad } = await harness.ask("please see to it", {});
      const error = scratchpad[0]?.observation?.error;
      expect(error?.code).toBe("SKILL_NOT_FOUND");
      expect(error?.suggestions).toContain(meant);
      expect(error?.suggestions?.length).toBeLessThanOrEqual(5);
    }
  });
});
