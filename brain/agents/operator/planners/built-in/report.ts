import { z } from "zod";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { type Region, regionOf } from "@metahuman/core/contract/region";
import { describeCall } from "@metahuman/core/language/grammar/describe-call";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { truncateLine } from "@metahuman/core/text/format";
import type { Skill } from "@metahuman/skills/define-skill";
import { findingsOf } from "../../answer/built-in-answer-writer.ts";
import type { Outcome } from "./follow.ts";
import { grammarsOf } from "./interpret-request.ts";
import { MAX_QUOTE_LENGTH, quote, sentences } from "./phrasing.ts";
import { isGiven } from "./resolve.ts";

export interface Report {
  text: string;
  /** True if the text is exactly the output of one read. */
  verbatim: boolean;
  /** True if a question was about what a call read, and that does not answer it: the text says why. */
  isUnanswered: boolean;
  outcome: "answered" | "stuck";
  /** Suggested requests in place of those that failed. */
  suggestions: string[];
}

type ReportPart = { text: string; isBlock: boolean; isUnanswered?: boolean };

/** Writes the answer at the end of a plan, from the observations alone. */
export function report(
  outcomes: readonly Outcome[],
  skills: readonly Skill[],
  region: Region = regionOf(),
): Report {
  const requested = outcomes.filter((outcome) => plannedCallOf(outcome).lookup === undefined);
  const done = requested.filter((outcome) => outcome.kind === "done");
  const only = requested.length === 1 ? requested[0] : undefined;
  if (only?.kind === "done" && only.done.skill.effects === "read") {
    const { text, isUnanswered = false } = reportPart(only, outcomes, skills, { isAlone: true, region });
    return {
      text,
      verbatim: true,
      isUnanswered,
      outcome: "answered",
      suggestions: [],
    };
  }
  const parts = done.map((outcome) => reportPart(outcome, outcomes, skills, { isAlone: false, region }));
  const isUndone = outcomes.some(
    (outcome) =>
      outcome.kind === "failed" ||
      outcome.kind === "skipped" ||
      (outcome.kind === "missing" && outcome.isDeclined !== true),
  );
  return {
    text: joinParts([...parts, ...describeProblems(outcomes, skills)]),
    verbatim: false,
    isUnanswered: parts.some((part) => part.isUnanswered === true),
    outcome: isUndone ? "stuck" : "answered",
    suggestions: [...new Set(outcomes.flatMap((outcome) => suggestionsFor(outcome, outcomes, skills)))],
  };
}

/** Suggestions exist only for a clause with a single call, because one sentence can replace it. */
function suggestionsFor(outcome: Outcome, outcomes: readonly Outcome[], skills: readonly Skill[]): string[] {
  if (outcome.kind !== "failed" || outcome.call.lookup !== undefined) return [];
  const { clause } = outcome.call;
  if (outcomes.some((other) => other !== outcome && plannedCallOf(other).clause === clause)) return [];
  return suggestInstead(outcome.error, { tool: outcome.call.skill, args: outcome.args }, skills);
}

function plannedCallOf(outcome: Outcome) {
  return outcome.kind === "done" ? outcome.done.call : outcome.call;
}

/** The results as text: changes as sentences, reads as they are, and reads for a later step as sentences. */
function reportPart(
  outcome: Extract<Outcome, { kind: "done" }>,
  outcomes: readonly Outcome[],
  skills: readonly Skill[],
  { isAlone, region }: { isAlone: boolean; region: Region },
): ReportPart {
  const index = outcomes.indexOf(outcome);
  const finding = findingsOf([outcome.entry], skills, region)[0];
  const isUsed = outcomes.some((later) =>
    Object.values(plannedCallOf(later).args).some((value) => value.from === "call" && value.call === index),
  );
  const viewed = viewOf(outcome, region);
  if (typeof viewed === "string") return { text: viewed, isBlock: viewed.includes("\n") };
  if (viewed !== undefined) return { text: viewed.unanswered, isBlock: false, isUnanswered: true };
  const isBlock = isAlone || (outcome.done.skill.effects === "read" && !isUsed);
  return {
    text: [
      (isBlock ? finding?.detail : finding?.sentence) ?? outcome.entry.observation?.content ?? "",
      ...(outcome.nameTaken ? [sentences.nameTaken(outcome.nameTaken.message)] : []),
    ].join(" "),
    isBlock,
  };
}

/** The answer of the phrase's view; undefined if it has none or the question is not about the outputs. */
export function viewOf(
  { done: { call, skill, outputs } }: Extract<Outcome, { kind: "done" }>,
  region: Region,
): ReturnType<View> {
  if (call.view === undefined) return undefined;
  const args = Object.entries(call.args).flatMap(([name, value]) =>
    isGiven(value) && typeof value.value === "string" ? [[name, value.value] as const] : [],
  );
  const { within } = call.view;
  const shown = within === undefined ? outputs : skill.narrow?.(outputs, within, region);
  if (shown === undefined) return undefined;
  return skill.views?.[call.view.name]?.(shown, { ...Object.fromEntries(args), ...call.view.values }, region);
}

/** The failed calls with the reasons, and the calls that were skipped after them. */
function describeProblems(outcomes: readonly Outcome[], skills: readonly Skill[]): ReportPart[] {
  const lines: ReportPart[] = [];
  const seen = new Set<string>();
  for (const outcome of outcomes) {
    if (outcome.kind === "done" || outcome.kind === "skipped") continue;
    if (outcome.kind === "unneeded") {
      if (!seen.has(outcome.sentence)) lines.push({ text: outcome.sentence, isBlock: false });
      seen.add(outcome.sentence);
      continue;
    }
    const { clause } = outcome.call;
    const why = outcome.kind === "missing" ? outcome.sentence : explainFailure(outcome, outcomes, skills);
    const text =
      outcome.kind === "missing" && (outcome.isDeclined === true || outcomes.length <= 2)
        ? why
        : sentences.notDone(clause, why);
    if (!seen.has(text)) lines.push({ text, isBlock: false });
    seen.add(text);
  }
  const failed = new Set(
    outcomes.flatMap((outcome) =>
      outcome.kind === "failed" || outcome.kind === "missing" ? [outcome.call.clause] : [],
    ),
  );
  const skipped = outcomes.flatMap((outcome) =>
    outcome.kind === "skipped" && !failed.has(outcome.call.clause) ? [outcome.call.clause] : [],
  );
  if (skipped.length > 0) lines.push({ text: sentences.notTried([...new Set(skipped)]), isBlock: false });
  return lines;
}

/** An error in plain words with suggestions. */
function explainFailure(
  failed: Extract<Outcome, { kind: "failed" }>,
  outcomes: readonly Outcome[],
  skills: readonly Skill[],
): string {
  const { clause, lookup } = failed.call;
  const { code, message, suggestions = [], context } = failed.error;
  const sentence = /[.!?…]$/.test(message.trim()) ? message.trim() : `${message.trim()}.`;
  const instead = suggestionsFor(failed, outcomes, skills);
  const looked = lookup === undefined ? "" : ` The search was for ${quote(lookup)}.`;
  switch (code) {
    case "APPROVAL_DENIED":
      return context?.["isDecided"] === true ? denialSentence(context["reason"]) : sentence;
    case "POLICY_DENIED":
      return context?.["isOverridden"] === true ? `${sentence} ${sentences.changeSkills}` : sentence;
    case "OUTCOME_UNKNOWN":
      return `${sentence} Look before you ask for ${quote(clause)} again.`;
    default:
      return `${sentence}${looked}${instead.length > 0 ? ` ${sentences.insteadSay(instead)}` : suggestionsForPerson(suggestions, skills)}`;
  }
}

/** The sentence for a denied approval; the message of the error is written for planners. */
function denialSentence(reason: unknown): string {
  return typeof reason === "string" ? `You denied this: ${reason}` : "You denied this.";
}

/**
 * The suggestions of an error for a person: names become suggestions, sentences stay, advice with names of skills is
 * dropped.
 */
function suggestionsForPerson(suggestions: readonly string[], skills: readonly Skill[]): string {
  const isSentence = (text: string): boolean => /[.!?]$/.test(text) && text.includes(" ");
  const names = suggestions
    .filter((text) => !isSentence(text))
    .map((name) => truncateLine(name, MAX_QUOTE_LENGTH));
  const advice = suggestions.filter(isSentence);
  const isForPlanners = advice.some((text) => skills.some(({ id }) => text.includes(id)));
  return [
    ...(names.length > 0 ? [` Perhaps: ${names.join(", ")}.`] : []),
    ...(isForPlanners ? [] : advice.map((sentence) => ` ${sentence}`)),
  ].join("");
}

/** Joins sentences with line breaks, and blocks with empty lines. */
function joinParts(parts: readonly ReportPart[]): string {
  return parts
    .filter(({ text }) => text !== "")
    .reduce((sum, { text, isBlock }, index, all) => {
      if (index === 0) return text;
      return `${sum}${isBlock || all[index - 1]?.isBlock ? "\n\n" : "\n"}${text}`;
    }, "");
}

/** The maximum number of suggestions. */
const MAX_REQUESTS = 3;

/** Arguments that would work, from the error of a skill. */
const Instead = z.object({ instead: z.array(z.record(z.string(), z.unknown())) });

/**
 * Suggests requests after a failed call: with an existing name, a free name, or the missing value. Each suggestion
 * parses to exactly that call.
 */
function suggestInstead(
  { code, context, suggestions = [] }: ErrorDetail,
  { tool, args }: { tool: string; args: Readonly<Record<string, unknown>> },
  skills: readonly Skill[],
): string[] {
  const parsed = Instead.safeParse(context);
  const changes = parsed.success ? parsed.data.instead : [];
  const named =
    code === "FILE_NOT_FOUND" || code === "ALREADY_EXISTS" ? placeIn(args, context?.path) : undefined;
  const names = suggestions.filter((suggestion) => !isSentence(suggestion));
  const renamed = named === undefined ? [] : names.map((name) => ({ [named]: name }));
  const requests = [...changes, ...renamed].flatMap(
    (change) => describeCall(tool, { ...args, ...change }, grammarsOf(skills)) ?? [],
  );
  if (code === "FILE_NOT_FOUND" && suggestions.length === 0 && requests.length === 0)
    return listingRequests(skills);
  return [...new Set(requests)].slice(0, MAX_REQUESTS);
}

/** Whether a suggestion is advice rather than a path. */
const isSentence = (suggestion: string): boolean => /\s.*\.$/u.test(suggestion);

/** Requests that list files. */
function listingRequests(skills: readonly Skill[]): string[] {
  const lister = skills.find(({ finds }) => finds?.kind === "file");
  const request = lister && describeCall(lister.id, {}, grammarsOf(skills));
  return request === undefined ? [] : [request];
}

/** The argument with the path that an error is about. */
function placeIn(args: Readonly<Record<string, unknown>>, path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  return Object.entries(args).find(
    ([, value]) => typeof value === "string" && (path === value || path.endsWith(`/${value}`)),
  )?.[0];
}
