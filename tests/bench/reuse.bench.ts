import { mkdirSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { type LabelledRequests, readLabelledRequests } from "./reuse/labelled-requests.ts";
import {
  countChoicesOfNear,
  countFound,
  measureChoices,
  measureMatching,
  measureReplay,
  type ReplayResult,
  type ReplayVerdict,
} from "./reuse/replay-part.ts";
import { measureRequests, type RequestResult } from "./reuse/requests-part.ts";
import { measureConversations, readConversations, type TurnResult } from "./reuse/conversations-part.ts";
import { measureGate } from "./reuse/gate-part.ts";
import { fitTurns } from "./reuse/fit-turns.ts";
import { fitWeights, refineWeights } from "./reuse/fit-weights.ts";
import type { Row } from "./row.ts";

export const name = "reuse";

/** The folder of the labelled data, which is not part of the repository. */
const DATA = process.env["METAHUMAN_BENCH_DATA"];
const OWN = join(REPOSITORY, "tests/fixtures/reuse");
/** Sets of plain requests that others wrote, by the names of their folders. */
const OTHERS = [
  "newcomer",
  "unseen",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
  "eleventh",
  "twelfth",
  "thirteenth",
  "fourteenth",
  "fifteenth",
  "sixteenth",
  "seventeenth",
  "eighteenth",
  "nineteenth",
  "twentieth",
  "twentyfirst",
  "twentysecond",
  "twentythird",
  "twentyfourth",
  "twentyfifth",
  "twentysixth",
  "eight-people",
  "eight-more",
  "twelve-people",
];
/** Sets of conversations of several turns. */
const CONVERSATIONS = (
  process.env["METAHUMAN_BENCH_CONVERSATIONS"]?.split(delimiter) ??
  ["conversations", "second", "third"].map((name) => join(OWN, "conversations", `${name}.jsonl`))
).map((path) => ({ path, name: basename(path, ".jsonl") }));
const FUNCTIONS = 1_000;
/** A model chooses among as many functions. */
const DEPTH = 5;

/**
 * How many requests learned functions and the built-in planner understand without a model, in the words of somebody who
 * has not seen the code. `--verbose` lists what went wrong, `--part=replay`, `requests` or `conversations` measures one part,
 * `--set=<name>` one source, `--kind=<kind>` one kind of plain request, `--part=fit` fits the weights of likely
 * readings and measures them on each set without which they were fitted (with `--held-out=<name>`, on that one alone),
 * `--part=refine` moves the shipped weights no further than the labelled requests demand, `--part=fit-turns` does the same for the kinds of messages of conversations, `--lines=even` or `odd` half of each set. All results are written to `artifacts/reuse.json`.
 */
export async function run(): Promise<Row[]> {
  const sources = readSources().filter(({ name: source }) => isWanted("set", source));
  const isFit = process.argv.includes("--part=fit");
  if (isFit || process.argv.includes("--part=refine"))
    return (isFit ? fitWeights : refineWeights)(
      sources.filter(({ replay }) => replay.length > 0),
      (source) => isWanted("held-out", source),
    );
  if (process.argv.includes("--part=fit-turns"))
    return fitTurns(
      CONVERSATIONS.map(({ path, name }) => ({ name, conversations: readConversations(path) })),
    );
  const rows: Row[] = [];
  const kept: unknown[] = [];
  const isWantedLine = (index: number): boolean => isWanted("lines", index % 2 === 0 ? "odd" : "even");
  for (const all of sources) {
    const source = { ...all, replay: all.replay.filter((_, index) => isWantedLine(index)) };
    if (isWanted("part", "replay") && source.replay.length > 0) {
      const results = await measureReplay(source);
      kept.push({ source: source.name, part: "replay", results });
      if (isVerbose()) listReplay(source.name, results);
      rows.push(...replayRows(source.name, results));
      const choices = await measureChoices(source);
      kept.push({ source: source.name, part: "choices", results: choices });
      rows.push(...choiceRows(source.name, choices));
      const meant = source.replay.filter(({ shouldReplay }) => shouldReplay).length;
      rows.push({
        what: `${source.name}: of ${String(meant)} paraphrases, recipe among the ${String(DEPTH)} that search finds first`,
        figure: Math.round((1_000 * (await countFound(source, DEPTH))) / Math.max(1, meant)) / 10,
        unit: "%",
      });
      const asked = sources.flatMap(({ plain }) => plain.flatMap(({ turns: [first] }) => first ?? []));
      rows.push({
        what: `${source.name}: of ${String(asked.length)} plain requests of all sets, asked about for being near`,
        figure: await countChoicesOfNear(source, asked),
        unit: "",
      });
    }
    const plain = source.plain.filter(({ kind }, index) => isWanted("kind", kind) && isWantedLine(index));
    if (isWanted("part", "requests") && plain.length > 0) {
      const results = await measureRequests(plain);
      kept.push({ source: source.name, part: "requests", results });
      if (isVerbose()) listRequests(source.name, results);
      rows.push(...requestRows(source.name, results));
    }
  }
  for (const { path, name } of isWanted("part", "conversations") ? CONVERSATIONS : []) {
    const conversations = readConversations(path).filter((_, index) => isWantedLine(index));
    const results = await measureConversations(conversations);
    kept.push({ part: "conversations", set: name, results });
    if (isVerbose()) listTurns(results);
    rows.push(...turnRows(name, conversations.length, results));
  }
  const [timed] = sources.filter(({ replay }) => replay.length > 0);
  if (timed && isWanted("part", "replay")) {
    rows.push(...measureGate(sources));
    const { find, findAndMatch, firstRound } = await measureMatching(timed, FUNCTIONS);
    const row = (what: string, figure: number, target: number): Row => ({
      what: `${what} functions among ${String(FUNCTIONS)}, p95, least of 5 runs`,
      figure,
      unit: "ms",
      target,
    });
    rows.push(
      row("find", find.elapsed, 5),
      row("find and match", findAndMatch.elapsed, 8),
      row("processor time: find", find.processor, 5),
      row("processor time: find and match", findAndMatch.processor, 8),
      row("processor time in the first round: find and match", firstRound.processor, 8),
    );
  }
  mkdirSync(join(REPOSITORY, "artifacts"), { recursive: true });
  writeFileSync(join(REPOSITORY, "artifacts", "reuse.json"), `${JSON.stringify(kept, undefined, 2)}\n`);
  return rows;
}

function readSources(): LabelledRequests[] {
  const own = readLabelledRequests("own", { replayFolder: OWN, plainFolder: OWN });
  const others = OTHERS.map((source) =>
    readLabelledRequests(source, { replayFolder: join(OWN, source), plainFolder: join(OWN, source) }),
  );
  if (DATA === undefined) {
    console.log(
      "  METAHUMAN_BENCH_DATA names no folder with replay-dev and requests-dev: only own requests.",
    );
    return [own, ...others];
  }
  const dev = readLabelledRequests("dev", {
    replayFolder: join(DATA, "replay-dev"),
    plainFolder: join(DATA, "requests-dev"),
  });
  return [dev, own, ...others];
}

/** The value of `--option=value` on the command line decides; without the option, everything is wanted. */
function isWanted(option: string, value: string): boolean {
  const given = process.argv.filter((argument) => argument.startsWith(`--${option}=`));
  return given.length === 0 || given.includes(`--${option}=${value}`);
}

const isVerbose = (): boolean => process.argv.includes("--verbose");

function replayRows(source: string, results: readonly ReplayResult[]): Row[] {
  const [meant, others] = [true, false].map((should) =>
    results.filter(({ labelled }) => labelled.shouldReplay === should),
  );
  const count = (list: readonly ReplayResult[] | undefined, ...verdicts: ReplayVerdict[]): number =>
    (list ?? []).filter(({ verdict }) => verdicts.includes(verdict)).length;
  const percent = (part: number, list: readonly ReplayResult[] | undefined): number =>
    Math.round((1_000 * part) / Math.max(1, list?.length ?? 0)) / 10;
  const paraphrases = `${source}: of ${String(meant?.length ?? 0)} paraphrases`;
  const lookAlikes = `${source}: of ${String(others?.length ?? 0)} look-alikes`;
  return [
    {
      what: `${paraphrases}, replayed at once with the right values`,
      figure: percent(count(meant, "replayed"), meant),
      unit: "%",
      least: 40,
    },
    {
      what: `${paraphrases}, replayed or offered first, right values`,
      figure: percent(count(meant, "replayed", "offered"), meant),
      unit: "%",
      least: 85,
    },
    {
      what: `${paraphrases}, replayed with wrong values`,
      figure: count(meant, "wrong values"),
      unit: "",
      target: 0,
    },
    {
      what: `${paraphrases}, another recipe replayed`,
      figure: count(meant, "wrong replay"),
      unit: "",
      target: 0,
    },
    {
      what: `${paraphrases}, first offer wrong`,
      figure: percent(count(meant, "wrong offer"), meant),
      unit: "%",
      target: 3,
    },
    { what: `${lookAlikes}, replayed`, figure: count(others, "wrong replay"), unit: "", target: 0 },
    {
      what: `${lookAlikes}, first offer wrong`,
      figure: percent(count(others, "wrong offer"), others),
      unit: "%",
      target: 3,
    },
  ];
}

/** With a model that answers every choice as labelled, so that only choices that it is not offered are missed. */
function choiceRows(source: string, results: readonly ReplayResult[]): Row[] {
  const meant = results.filter(({ labelled }) => labelled.shouldReplay);
  const right = meant.filter(({ verdict }) => verdict === "replayed").length;
  const wrong = results.filter(({ verdict }) => verdict.startsWith("wrong")).length;
  const of = `${source}: with a model that chooses as labelled`;
  return [
    {
      what: `${of}, replayed with the right values`,
      figure: Math.round((1_000 * right) / Math.max(1, meant.length)) / 10,
      unit: "%",
      least: 95,
    },
    { what: `${of}, wrong replays`, figure: wrong, unit: "", target: 0 },
  ];
}

function requestRows(source: string, results: readonly RequestResult[]): Row[] {
  const right = results.filter(({ problems }) => problems.length === 0).length;
  const harm = results.filter(({ isHarm }) => isHarm).length;
  const of = `${source}: of ${String(results.length)} plain requests`;
  return [
    {
      what: `${of}, right`,
      figure: Math.round((1_000 * right) / results.length) / 10,
      unit: "%",
      least: 85,
    },
    { what: `${of}, something changed where nothing may`, figure: harm, unit: "", target: 0 },
  ];
}

function turnRows(set: string, conversations: number, results: readonly TurnResult[]): Row[] {
  if (results.length === 0) return [];
  const right = results.filter(({ problems }) => problems.length === 0).length;
  const wrong = new Set(results.filter(({ problems }) => problems.length > 0).map((one) => one.conversation));
  const of = `${set}: of ${String(results.length)} turns of ${String(conversations)} conversations`;
  const share = (part: number, all: number): number => Math.round((1_000 * part) / all) / 10;
  return [
    { what: `${of}, right`, figure: share(right, results.length), unit: "%" },
    {
      what: `${set}: of ${String(conversations)} conversations, right in every turn`,
      figure: share(conversations - wrong.size, conversations),
      unit: "%",
    },
    {
      what: `${of}, something changed where nothing may`,
      figure: results.filter(({ isHarm }) => isHarm).length,
      unit: "",
      target: 0,
    },
  ];
}

function listTurns(results: readonly TurnResult[]): void {
  for (const { conversation, say, answer, calls, problems, isHarm } of results) {
    const verdict = problems.length === 0 ? "right" : `WRONG${isHarm ? " HARM" : ""}: ${problems.join("; ")}`;
    console.log(`  ${conversation} ${verdict}\n      said ${say}`);
    if (problems.length > 0)
      console.log(`      calls ${calls.join(", ") || "none"}; answered ${JSON.stringify(answer)}`);
  }
}

function listReplay(source: string, results: readonly ReplayResult[]): void {
  for (const { labelled, verdict, recipe, values } of results) {
    if (verdict === "replayed" || verdict === "left alone") continue;
    const got = recipe === undefined ? "" : `\n      got ${recipe} ${JSON.stringify(values)}`;
    const wanted = labelled.shouldReplay ? JSON.stringify(labelled.values) : "nothing";
    console.log(
      `  ${source} ${verdict}: ${labelled.request}\n      wanted ${labelled.recipe} ${wanted}${got}`,
    );
  }
}

function listRequests(source: string, results: readonly RequestResult[]): void {
  for (const { kind, turns, answers, calls, problems, isHarm } of results) {
    if (problems.length === 0) continue;
    console.log(
      `  ${source} ${kind}${isHarm ? " HARM" : ""}: ${turns.join(" / ")}\n      ${problems.join("; ")}\n      calls ${calls.join(", ") || "none"}; answered ${JSON.stringify(answers.at(-1) ?? "")}`,
    );
  }
}
