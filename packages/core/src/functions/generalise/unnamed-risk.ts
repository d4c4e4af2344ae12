import { knownOutputs } from "./known-outputs.ts";
import { leavesOf } from "./leaves.ts";
import type { FactsOf, LearnableRun, MadeCall, SkillFacts } from "./learnable-run.ts";

/** A risky call whose target neither the request nor an answer named. */
export interface UnnamedRisk {
  skill: string;
  target: string;
}

type Risk = NonNullable<SkillFacts["risk"]>;

/** Words by which a request asks for something risky itself, so that a listing may say what it is done to. */
const ASKS_FOR: Readonly<Record<Risk, RegExp>> = {
  removes: /\b(?:delet|remov|clean|clear|drop|discard|forget|empt|get rid|throw|tid)/i,
  moves: /\b(?:mov|renam|archiv|put|sort|tid|clean|fil)/i,
  replaces: /\b(?:overwrit|replac|rewrit|chang|updat|fix|correct|edit|translat|set|sav)/i,
  sends: /\b(?:get|fetch|download|send|post|look|read|open|visit|search)/i,
  runs: /\b(?:run|execut|start|build|test|commit)/i,
};

/**
 * The first call of a run that deletes, overwrites, moves, sends or runs something that nobody named: such a run teaches
 * nothing, because what it did may have been asked for by what it read. Named is what the request or an answer says, with
 * or without root and ending, and what was found by listing what they say, where they ask for the deed itself.
 */
export function unnamedRisk(run: LearnableRun, factsOf: FactsOf): UnnamedRisk | undefined {
  const calls = run.calls.filter(({ success }) => success);
  const answers = calls.flatMap(({ outputs: { answer } }) => (typeof answer === "string" ? [answer] : []));
  const said = new Set([run.request, ...answers].flatMap((text) => [...namesSaid(text)]));
  for (const [index, call] of calls.entries()) {
    const risk = riskOf(call, factsOf);
    if (risk === undefined) continue;
    const asksForIt = ASKS_FOR[risk].test(run.request);
    const target = targetsOf(call, factsOf).find(
      (text) =>
        !isSaid(text, said) && !(asksForIt && isListed(text, calls.slice(0, index), { said, factsOf })),
    );
    if (target !== undefined) return { skill: call.skill, target };
  }
  return undefined;
}

function riskOf({ skill, args }: MadeCall, factsOf: FactsOf): Risk | undefined {
  return factsOf(skill)?.risk ?? (args["overwrite"] === true ? "replaces" : undefined);
}

/** What a risky call acts on; of a write, only the place. */
function targetsOf({ skill, args }: MadeCall, factsOf: FactsOf): string[] {
  const facts = factsOf(skill);
  const targets = Object.entries(args).filter(
    ([name]) =>
      !facts?.fixedArgs.includes(name) && (facts?.risk !== undefined || facts?.pathArgs.includes(name)),
  );
  return targets.flatMap(([, value]) =>
    leavesOf(value).flatMap((leaf) =>
      typeof leaf.value === "string" && /[\p{L}\p{N}]/u.test(leaf.value) ? [leaf.value] : [],
    ),
  );
}

/** True when the words of a path's last part, or of the text, were all said. */
function isSaid(text: string, said: ReadonlySet<string>): boolean {
  const isPath = /^[^\s:]*[/.][^\s:]*$/.test(text);
  const last = isPath ? (text.replace(/\/$/, "").split("/").at(-1) ?? text) : text;
  const words = [...wordsOf(isPath ? last.replace(/\.[^.]*$/, "") : last)];
  return words.length > 0 && words.every((word) => said.has(word));
}

/**
 * True when a listing of what was said holds this as a path or an id, or holds it beside a name that was said: then it is
 * a member of a set that was asked for. Text that was read names nothing.
 */
function isListed(
  text: string,
  earlier: readonly MadeCall[],
  { said, factsOf }: { said: ReadonlySet<string>; factsOf: FactsOf },
): boolean {
  const outputs = knownOutputs(earlier, { request: "", answers: [] });
  return outputs.before(earlier.length).some(({ value, source: { step, field } }) => {
    if (value !== text || !/(?:^|\.)(?:path|id)$/.test(field)) return false;
    const call = earlier[step - 1];
    if (call === undefined || factsOf(call.skill)?.reads !== true) return false;
    const asked = Object.entries(call.args)
      .filter(([name]) => !factsOf(call.skill)?.fixedArgs.includes(name))
      .flatMap(([, given]) => leavesOf(given))
      .flatMap((leaf) => (typeof leaf.value === "string" ? [leaf.value] : []));
    return asked.every((one) => isSaid(one, said));
  });
}

/** The words of what a person said; of a path only its last part, for its folders are not what it is about. */
function namesSaid(text: string): Set<string> {
  const parts = text
    .split(/\s+/)
    .map((token) => (token.includes("://") ? token : token.replace(/^.*\/(?=.)/, "")));
  return wordsOf(parts.join(" "));
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
