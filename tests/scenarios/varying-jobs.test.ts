import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { FunctionMemory } from "@metahuman/core/contract/function";
import type { OperatorAnswer } from "@metahuman/core/contract/http";
import { slugify } from "@metahuman/core/text/slug";
import { act, openModelHarness, play, type ModelHarness } from "../support/model-harness.ts";

// Jobs of unlike people whose steps have the same values in several arguments. Each is learned from three runs; then other people ask for it in
// their own words, without a model.

const Values = z.record(z.string(), z.string());
const Asked = z.strictObject({ ask: z.string(), values: Values });
const Job = z.strictObject({
  job: z.string(),
  calls: z.array(z.tuple([z.string(), Values])),
  runs: z.array(Asked),
  later: z.array(Asked),
});
type Job = z.infer<typeof Job>;
type Call = [skill: string, args: Record<string, unknown>];
const One = z.object({ function: FunctionMemory });

/** A busy machine takes its time for dozens of requests. */
const PATIENCE_MS = 120_000;

const FILE = new URL("../fixtures/reuse/jobs/jobs.json", import.meta.url);
const jobs = z.array(Job).parse(JSON.parse(readFileSync(FILE, "utf8")));

/** The calls of a job with these values. */
const callsOf = ({ calls }: Job, values: Readonly<Record<string, string>>): Call[] =>
  calls.map(([skill, args]) => [
    skill,
    Object.fromEntries(
      Object.entries(args).map(([name, template]) => [
        name,
        template.replaceAll(/<(slug:)?(\w+)>/gu, (_, slug: string | undefined, value: string) =>
          slug === undefined ? (values[value] ?? "") : slugify(values[value] ?? ""),
        ),
      ]),
    ),
  ]);

/** "friday" and "3 april", whichever the day of a call is in the words of the request. */
function dayInWords(due: unknown, asked: string | undefined): unknown {
  if (typeof due !== "string" || asked === undefined || !/^\d{4}-\d{2}-\d{2}$/u.test(due)) return due;
  const written = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(new Date(due)).toLowerCase();
  const forms = [written({ weekday: "long" }), written({ day: "numeric", month: "long" })];
  return forms.includes(asked) ? asked : due;
}

const inOneOrder = (calls: readonly Call[], due: string | undefined): string =>
  calls
    .map(([skill, { due: day, ...args }]) =>
      JSON.stringify([skill, Object.entries({ ...args, due: dayInWords(day, due) }).toSorted()]),
    )
    .toSorted()
    .join("\n");

function resultOf(
  { offers: [offer] = [], planner, scratchpad }: OperatorAnswer,
  job: Job,
  { due, ...values }: Readonly<Record<string, string>>,
): string {
  const wanted = inOneOrder(callsOf(job, { ...values, ...(due !== undefined && { due }) }), due);
  if (offer) {
    const calls = offer.calls.map(({ tool, args }): Call => [tool, args]);
    return inOneOrder(calls, due) === wanted ? "offered" : "wrong offer";
  }
  if (planner !== "replay") return "neither";
  const made = scratchpad.flatMap(({ action }): Call[] => (action ? [[action.tool, action.args]] : []));
  return inOneOrder(made, due) === wanted ? "certain" : "wrong replay";
}

describe("jobs with values that several steps have in common", () => {
  let harness: ModelHarness;
  const load = async (id: string): Promise<FunctionMemory> =>
    One.parse((await harness.owner.get(`/api/functions/${id}`)).body).function;

  beforeAll(async () => {
    harness = await openModelHarness();
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto", skillOverrides: {} });
  });
  afterAll(() => harness.close());

  it.each(jobs.map((one) => [one.job, one] as const))(
    "have one parameter for each value, and pass verification: %s",
    async (_, job) => {
      const learned: string[] = [];
      for (const { ask, values } of job.runs) {
        await harness.set({ answer: play(callsOf(job, values).map(([tool, args]) => act(tool, args))) });
        const { learnedFunction } = await harness.ask(ask);
        if (learnedFunction) learned.push(learnedFunction.id);
      }
      const [id = "", ...others] = learned;
      expect(others).toEqual([]);
      const draft = await load(id);
      const required = draft.parameters.filter((one) => one.required && one.default === undefined);
      expect(required).toHaveLength(Object.keys(job.runs[0]?.values ?? {}).length);
      expect(draft.examples).toHaveLength(job.runs.length);
      for (const { values } of job.runs) expect(draft.title).not.toContain(Object.values(values)[0]);
      const promoted = await harness.owner.post("/api/functions/promote", { id });
      expect([promoted.status, promoted.body]).toMatchObject([200, { verification: { ok: true } }]);
    },
    PATIENCE_MS,
  );

  it(
    "answer to other people's words without a model, and never with other values",
    async () => {
      await harness.set({ models: [] });
      const results: string[] = [];
      for (const job of jobs)
        for (const { ask, values } of job.later)
          results.push(`${resultOf(await harness.ask(ask), job, values)}: ${ask}`);
      const count = (result: string): number => results.filter((one) => one.startsWith(`${result}:`)).length;
      expect(results.filter((one) => one.startsWith("wrong"))).toEqual([]);
      expect(count("certain"), results.join("\n")).toBeGreaterThanOrEqual(14);
      expect(count("certain") + count("offered"), results.join("\n")).toBeGreaterThanOrEqual(28);
    },
    PATIENCE_MS,
  );
});
