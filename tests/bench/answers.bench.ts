import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import { ModelsConfig } from "@metahuman/core/contract/models";
import { ollamaAddress, openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { createCritic, type Critic } from "../../brain/agents/operator/answer/critic.ts";
import type { PlanState } from "../../brain/agents/operator/planner.ts";
import { type CheckedSentence, checkAnswer } from "../../brain/agents/operator/answer/check-claims.ts";
import { type AnswerEvidence, indexEvidence } from "../../brain/agents/operator/answer/evidence.ts";
import {
  evidenceOf,
  type LabelledAnswer,
  labelledAnswers,
} from "../../brain/agents/operator/answer/testing/labelled-answers.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "answers";

const ANSWER =
  "You spent 1,234 euros in total. Item 12 was bought on 3 March. The log stops because of a power cut.";

/** The value of `--name=value` of the command line. */
const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);

/**
 * How long checking an answer occupies the thread, for the labelled answers and for a long file, and its findings; with
 * `--only=blind5` for the answers of one file.
 */
export async function run(): Promise<Row[]> {
  const only = option("only");
  const groups = GROUPS.map(({ of, files }) => ({
    of,
    answers: files.filter((file) => only === undefined || file === `${only}.jsonl`).flatMap(labelledAnswers),
  })).filter(({ answers: some }) => some.length > 0);
  const answers = groups.flatMap((group) => group.answers);
  for (const labelled of answers) checkAnswer(labelled.answer, evidenceOf(labelled));
  const [sudden, indexed, long]: [number[], number[], number[]] = [[], [], []];
  for (const labelled of answers) {
    sudden.push(timed(labelled.answer, evidenceOf(labelled)));
    indexed.push(await timedWhenIndexed(labelled.answer, evidenceOf(labelled)));
  }
  for (let count = 0; count < 20; count += 1) long.push(await timedWhenIndexed(ANSWER, longEvidence()));
  const over = `p95 of ${String(answers.length)} labelled answers`;
  const verdicts: Row[] = [];
  for (const group of groups) verdicts.push(...(await verdictRows(group.of, group.answers)));
  return [
    {
      what: `check of an answer, evidence indexed before, ${over}`,
      figure: quantile(indexed, 0.95),
      unit: "ms",
      target: 5,
    },
    { what: `check of an answer, evidence not indexed, ${over}`, figure: quantile(sudden, 0.95), unit: "ms" },
    {
      what: "check of an answer over a file of 20 kB, indexed before, median",
      figure: quantile(long, 0.5),
      unit: "ms",
      target: 5,
    },
    ...verdicts,
  ];
}

/** The files of `tests/fixtures/answers`, by how much the rules were tuned on them. */
const GROUPS = [
  {
    of: "answers that the rules were made on",
    files: ["own.jsonl", "blind.jsonl", "blind2.jsonl", "blind3.jsonl"],
  },
  { of: "answers of somebody else, used for general rules only", files: ["blind4.jsonl"] },
  { of: "answers that no rule was made on", files: ["blind5.jsonl"] },
] as const;

/** How many sentences code refutes, doubts, or can neither confirm nor refute, and how many of the latter a model marks. */
interface Tally {
  all: number;
  refuted: number;
  doubted: number;
  undecided: number;
  byModel: number;
}

/**
 * What code refutes, what it finds without a model, and what it leaves to one; with `--model=ollama/qwen3:8b` also the
 * verdicts of that model, asked as in a run (`OLLAMA_HOST`, or the usual address).
 */
async function verdictRows(of: string, answers: readonly LabelledAnswer[]): Promise<Row[]> {
  const critic = criticOf(option("model"));
  const none: Tally = { all: 0, refuted: 0, doubted: 0, undecided: 0, byModel: 0 };
  const tally = { invented: { ...none }, true: { ...none } };
  for (const labelled of answers) {
    const checked = checkAnswer(labelled.answer, evidenceOf(labelled));
    const asked = checked.filter((one) => one.isUndecided || isDoubted(one));
    const texts = asked.map(({ text }) => text);
    const verdicts =
      asked.length > 0 && critic
        ? await critic.verdicts(texts, stateOf(labelled), new AbortController().signal)
        : undefined;
    const isMarked = (one: CheckedSentence): boolean => {
      const verdict = verdicts?.get(asked.indexOf(one));
      return verdict === undefined ? isDoubted(one) : verdict === "not shown";
    };
    let from = 0;
    for (const { text, label } of labelled.sentences) {
      const start = labelled.answer.indexOf(text, from);
      from = start + text.length;
      const parts = checked.filter((one) => one.start < from && one.end > start);
      const counts = tally[label === "invented" ? "invented" : "true"];
      counts.all += 1;
      if (parts.some(isRefuted)) counts.refuted += 1;
      else {
        if (parts.some(isDoubted)) counts.doubted += 1;
        else if (parts.some(({ isUndecided }) => isUndecided)) counts.undecided += 1;
        if (parts.some(isMarked)) counts.byModel += 1;
      }
    }
  }
  const { invented, true: supported } = tally;
  const share = (what: string, part: number, whole: number): Row => ({
    what: `${what}, ${of}`,
    figure: (100 * part) / whole,
    unit: "%",
  });
  return [
    share("inventions that code refutes", invented.refuted, invented.all),
    share("inventions that code finds alone", invented.refuted + invented.doubted, invented.all),
    share(
      "inventions that code finds or leaves to a model",
      invented.refuted + invented.doubted + invented.undecided,
      invented.all,
    ),
    share("true sentences that code marks alone", supported.refuted + supported.doubted, supported.all),
    share("true sentences that code refutes", supported.refuted, supported.all),
    share("true sentences that are left to a model", supported.doubted + supported.undecided, supported.all),
    ...(critic
      ? [
          share("inventions that code and model find", invented.refuted + invented.byModel, invented.all),
          share(
            "true sentences that code and model mark",
            supported.refuted + supported.byModel,
            supported.all,
          ),
        ]
      : []),
  ];
}

const isRefuted = ({ problems }: CheckedSentence): boolean => problems.some((one) => one.isRefuted);

const isDoubted = (one: CheckedSentence): boolean => one.problems.length > 0 && !isRefuted(one);

function criticOf(model: string | undefined): Critic | undefined {
  if (model === undefined) return undefined;
  const baseUrl = ollamaAddress(process.env["OLLAMA_HOST"]);
  const config = ModelsConfig.parse({
    providers: { ollama: { kind: "ollama", baseUrl } },
    roles: { planner: [model] },
  });
  const router = createRouter({
    config: () => config,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  return createCritic(router, () => "planner");
}

/** The run as its check receives it, with the outcomes of its calls as JSON. */
function stateOf(labelled: LabelledAnswer): PlanState {
  const { scratchpad, now, timeZone } = evidenceOf(labelled);
  return {
    runId: labelled.id,
    request: labelled.request,
    requestedAt: now,
    timeZone,
    locale: "en-GB",
    scratchpad: scratchpad.map((entry) => ({
      ...entry,
      ...(entry.observation && {
        observation: { ...entry.observation, content: JSON.stringify(entry.observation.outputs) },
      }),
    })),
    context: undefined,
    conversation: {
      ...NO_CONVERSATION,
      turns: labelled.conversation.map((turn) => ({ ...turn, at: now.toISOString() })),
      ...(labelled.memories.length > 0 && { summary: `Remembered: ${labelled.memories.join(" ")}` }),
    },
    skills: [],
  };
}

function timed(answer: string, evidence: AnswerEvidence): number {
  const start = performance.now();
  checkAnswer(answer, evidence);
  return performance.now() - start;
}

async function timedWhenIndexed(answer: string, evidence: AnswerEvidence): Promise<number> {
  await indexEvidence(evidence, new AbortController().signal);
  return timed(answer, evidence);
}

function longEvidence(): AnswerEvidence {
  const rows = Array.from(
    { length: 600 },
    (_, index) =>
      `2026-${String((index % 12) + 1).padStart(2, "0")}-${String((index % 28) + 1).padStart(2, "0")},item ${String(index % 37)},${((index * 7.31) % 90).toFixed(2)}`,
  );
  return evidenceOf({
    request: "sum up costs.csv",
    observations: [
      {
        tool: "fs_read",
        args: { path: "costs.csv" },
        success: true,
        outputs: { path: "out/costs.csv", content: ["date,what,eur", ...rows].join("\n") },
      },
    ],
  });
}
