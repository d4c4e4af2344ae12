import { z } from "zod";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { describeCall } from "@metahuman/core/language/grammar/describe-call";
import type { Skill } from "@metahuman/skills/define-skill";
import { grammarsOf } from "./interpret-request.ts";

/** The maximum number of suggestions. */
const MAX_SENTENCES = 3;

/** Arguments that would work, from the error of a skill. */
const Instead = z.object({ instead: z.array(z.record(z.string(), z.unknown())) });

/**
 * Suggests requests after a failed call: with an existing name, a free name, or the missing value. Each suggestion
 * parses to exactly that call.
 */
export function suggestInstead(
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
  const sentences = [...changes, ...renamed].flatMap(
    (change) => describeCall(tool, { ...args, ...change }, grammarsOf(skills)) ?? [],
  );
  if (code === "FILE_NOT_FOUND" && suggestions.length === 0 && sentences.length === 0)
    return listingRequests(skills);
  return [...new Set(sentences)].slice(0, MAX_SENTENCES);
}

/** Whether a suggestion is advice rather than a path. */
const isSentence = (suggestion: string): boolean => /\s.*\.$/u.test(suggestion);

/** Requests that list files. */
function listingRequests(skills: readonly Skill[]): string[] {
  const lister = skills.find(({ finds }) => finds?.kind === "file");
  const sentence = lister && describeCall(lister.id, {}, grammarsOf(skills));
  return sentence === undefined ? [] : [sentence];
}

/** The argument with the path that an error is about. */
function placeIn(args: Readonly<Record<string, unknown>>, path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  return Object.entries(args).find(
    ([, value]) => typeof value === "string" && (path === value || path.endsWith(`/${value}`)),
  )?.[0];
}
