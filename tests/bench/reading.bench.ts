import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRequest } from "@metahuman/core/language/read-request";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { z } from "zod";
import { readLabelledRequests } from "./reuse/labelled-requests.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "reading";

const FIXTURES = join(REPOSITORY, "tests/fixtures");
const REQUESTS = 1_000;
const LONG = 10_000;
/** The number of readings of which each figure is the median, so that a garbage collection does not count. */
const READINGS = 3;

const grammars = installedSkills.map(skillGrammar);
const options = { now: new Date("2026-11-25T09:00:00Z"), timeZone: "UTC", earlier: [] };

const repeated = (part: string, length = LONG): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Words in an order without meaning, always the same: those of the fixtures begin orders in many places, invented ones none. */
function shuffledWords(words: readonly string[], count: number): string {
  let seed = 1;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  return Array.from({ length: count }, () => words[next() % words.length] ?? "").join(" ");
}

const fixtureWords = labelled().flatMap((request) => request.split(/\s+/u));
const inventedWords = Array.from({ length: 5_000 }, (_, index) => ((index + 2_000) * 7_919).toString(26)).map(
  (digits) => digits.replaceAll(/\d/gu, (digit) => "qrstuvwxyz"[Number(digit)] ?? ""),
);

/** Requests of up to 190 000 characters that make patterns backtrack and searches branch. */
const LONG_REQUESTS: readonly string[] = [
  "a",
  "a/",
  "a.",
  "9",
  '"',
  "'a ",
  "“”",
  "word ",
  "of the ",
  "and ",
  "if ",
  "before ",
  "should be ",
  "tomorrow at 5 ",
  "every friday at 5 ",
  "on ",
  "1,234,",
  "🎉",
  "read a.md and ",
  "read a.md\n",
  "1) a 2) b ",
  "before you read a.md, ",
  "after you copied a.md ",
  "if a.md exists, delete it ",
  "do not delete a.md but ",
  "and times ",
]
  .map((part) => repeated(part))
  .concat([
    `x${repeated(" ")}y`,
    `read ${repeated("../", 19 * LONG)}`,
    `delete a.md${repeated(" ")}if`,
    `what is ${repeated("1")} + a`,
    `what is ${repeated("1 + ")}`,
    `what is ${repeated("twice ")}a`,
    `what is ${repeated("(")}`,
    `what is ${repeated("two hundred and ")}`,
    `convert ${repeated("5 a ")} to km`,
    `add a task to ${repeated("buy milk and ")}`,
    `remind me to ${repeated("call mum on friday ")}`,
    `remember that ${repeated("the key is here. ")}`,
    `write ${repeated('"x" to a.md, ')}`,
    `write ${repeated("x ")} to a.md`,
    `if ${repeated("a.md mentions ")}, read b.md`,
    `read a.md ${repeated("or b.md ")}`,
    `append ${repeated("today's date ")} to a.md`,
    `notes/${repeated("a ")}.md`,
    `every tues${repeated(",tues")}x`,
    `“${repeated("“ ")}`,
    // These are short enough for the rewrites of whole requests.
    repeated("not two list task on you", 900),
    repeated("not date hundred times me", 900),
    repeated("write tomorrow many to , ", 900),
    `list my tasks mondays${repeated(",tues", 300)}x`,
    `delete a.md if ${repeated("a b ", 900)}exists`,
  ])
  .concat(
    ["", "add ", "write ", "replace ", "what is ", "remember that "].flatMap((start) =>
      [fixtureWords, inventedWords].map((words) => `${start}${shuffledWords(words, 5_000)}`),
    ),
    [`cross off ${shuffledWords(fixtureWords, 30_000)}`],
  );

/**
 * The processor time for reading a request with the grammars of all installed skills: a thousand requests of the
 * fixtures, and slow requests of up to 10 000 characters. `--verbose` lists the slowest.
 */
export async function run(): Promise<Row[]> {
  const requests = labelled().slice(-REQUESTS);
  for (const request of requests) readRequest(request, grammars, options);
  const costs = requests.map((request) => ({ request, ms: cost(request) }));
  const long = LONG_REQUESTS.map((request) => ({ request, ms: cost(request) }));
  if (process.argv.includes("--verbose"))
    for (const list of [costs, long])
      for (const { request, ms } of list.toSorted((one, other) => other.ms - one.ms).slice(0, 8))
        console.log(`  ${ms.toFixed(2)} ms  ${request.replaceAll(/\s+/gu, " ").slice(0, 100)}`);
  const all = costs.map(({ ms }) => ms);
  const of = `of ${String(requests.length)} requests, processor time to read one`;
  return [
    { what: `${of}, p50`, figure: quantile(all, 0.5), unit: "ms" },
    { what: `${of}, p95`, figure: quantile(all, 0.95), unit: "ms", target: 5 },
    { what: `${of}, worst`, figure: Math.max(...all), unit: "ms", target: 50 },
    {
      what: `of ${String(long.length)} requests of up to ${String(LONG)} characters made to take long, worst`,
      figure: Math.max(...long.map(({ ms }) => ms)),
      unit: "ms",
      target: 50,
    },
  ];
}

/** The processor time of one reading, in milliseconds. */
function cost(request: string): number {
  const times = Array.from({ length: READINGS }, () => {
    const before = process.cpuUsage();
    readRequest(request, grammars, options);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return quantile(times, 0.5);
}

/** The requests of all fixtures of the grammar. */
function labelled(): string[] {
  const folder = join(FIXTURES, "requests");
  const Line = z.object({ say: z.string() });
  const requests = readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"))
    .map((line) => Line.parse(JSON.parse(line)).say);
  const reuse = [join(FIXTURES, "reuse"), join(FIXTURES, "reuse/newcomer")].flatMap((plainFolder) =>
    readLabelledRequests("", { replayFolder: plainFolder, plainFolder }).plain.flatMap(({ turns }) => turns),
  );
  return [...requests, ...reuse];
}
