import { checkAnswer } from "../../brain/agents/operator/answer/check-claims.ts";
import { type AnswerEvidence, indexEvidence } from "../../brain/agents/operator/answer/evidence.ts";
import { evidenceOf, labelledAnswers } from "../../brain/agents/operator/answer/testing/labelled-answers.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "answers";

const ANSWER =
  "You spent 1,234 euros in total. Item 12 was bought on 3 March. The log stops because of a power cut.";

/** How long the check of an answer has the thread: over the labelled answers, and over a long file. */
export async function run(): Promise<Row[]> {
  const answers = (
    ["own.jsonl", "blind.jsonl", "blind2.jsonl", "blind3.jsonl", "blind4.jsonl"] as const
  ).flatMap(labelledAnswers);
  for (const labelled of answers) checkAnswer(labelled.answer, evidenceOf(labelled));
  const [sudden, indexed, long]: [number[], number[], number[]] = [[], [], []];
  for (const labelled of answers) {
    sudden.push(timed(labelled.answer, evidenceOf(labelled)));
    indexed.push(await timedWhenIndexed(labelled.answer, evidenceOf(labelled)));
  }
  for (let count = 0; count < 20; count += 1) long.push(await timedWhenIndexed(ANSWER, longEvidence()));
  const over = `p95 of ${String(answers.length)} labelled answers`;
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
  ];
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
