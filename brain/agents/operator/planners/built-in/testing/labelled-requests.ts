import { readdirSync, readFileSync } from "node:fs";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import { readRequest } from "@metahuman/core/language/read-request";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { z } from "zod";

/** Requests as people write them, each with its meaning. Measures the phrases and the grammar together. */
const CORPUS = new URL("../../../../../../tests/fixtures/requests/", import.meta.url);

const Calls = z.array(
  z.union([
    z.tuple([z.string(), z.record(z.string(), z.unknown())]),
    z.tuple([
      z.string(),
      z.record(z.string(), z.unknown()),
      z.strictObject({ invented: z.array(z.string()) }),
    ]),
  ]),
);
/** The calls of the earlier requests, with their outcomes. */
const EARLIER = z
  .record(
    z.string(),
    z.array(z.tuple([z.string(), z.record(z.string(), z.unknown()), z.record(z.string(), z.unknown())])),
  )
  .parse(JSON.parse(readFileSync(new URL("earlier.json", CORPUS), "utf8")));

export const Labelled = z.strictObject({
  say: z.string(),
  plan: Calls.optional(),
  ambiguous: z.array(Calls).optional(),
  kind: z.enum(["refrain", "capabilities", "small-talk", "clock", "empty", "not-understood"]).optional(),
  topic: z.string().optional(),
  asks: z.enum(["date", "time"]).optional(),
  foreign: z.boolean().optional(),
  about: z.array(z.string()).optional(),
  needsModel: z.boolean().optional(),
  after: z.array(z.string()).optional(),
  repeats: z.string().optional(),
  recall: z.string().optional(),
});
export type Labelled = z.infer<typeof Labelled>;

const files = readdirSync(CORPUS).filter((name) => name.endsWith(".jsonl"));
/** The requests of each file, by its name. */
export const groups = new Map(
  files.map((name) => {
    const lines = readFileSync(new URL(name, CORPUS), "utf8").trim().split("\n");
    return [name.replace(".jsonl", ""), lines.map((line) => Labelled.parse(JSON.parse(line)))] as const;
  }),
);
export const corpus = [...groups.values()].flat();

export const grammars = installedSkills.map(skillGrammar);
/** Reads a request with the grammars of the installed skills. `after`: what was asked before in the conversation, in order. */
export function read(request: string, after: readonly string[] = []): Interpretation {
  const earlier = after.map((request): EarlierRequest => ({
    request,
    calls: (EARLIER[request] ?? []).map(([skill, args, outputs]) => ({ skill, args, outputs })),
  }));
  const now = new Date("2026-11-18T10:00:00Z");
  return readRequest(request, grammars, { now, timeZone: "Europe/Oslo", earlier: earlier.toReversed() });
}

/** True if a request, as it was read, would change something. */
export const changes = (reading: Interpretation): boolean =>
  reading.kind === "ambiguous" || (reading.kind === "plan" && !reading.readOnly);

/** The interpretation of each request of the corpus by itself. */
export const readings = corpus.map(({ say, kind }) => ({ say, kind, reading: read(say) }));
/** Requests that would change something if they were meant. */
export const orders = readings.filter(({ reading }) => changes(reading)).map(({ say }) => say);

/** Words after which a request is only mentioned. */
export const MENTIONS = [
  "do not",
  "don't",
  "never",
  "please do not",
  "you must not",
  "I don't want you to",
  "make sure you do not",
  "what would happen if I",
  "how do I",
  "how would you",
  "did you",
  "have you",
  "why did you",
  "should I",
  "he told me to",
  "I said",
  "if it rains,",
  "when I come home,",
  "tomorrow,",
  "the command is:",
  "Bob wrote:",
  "explain",
  "what does it mean to",
] as const;

/** Those of the orders that would change something after this mention, although they should not. */
export const actingAfter = (mention: string, mentioned: readonly string[]): string[] =>
  mentioned.filter(
    (say) =>
      changes(read(`${mention} ${say}`)) &&
      !/[.;\n]|\bbut\b|don't|no wait|never mind|^please forget/.test(say),
  );
