import { earlierValue, tellingOf } from "./antecedent.ts";
import type { Clause } from "../grammar/clauses.ts";
import { trailingFiller, afterFiller } from "../tokens/filler-phrases.ts";
import type { Earlier, EarlierCall } from "./earlier-calls.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { SkillGrammar, Slot } from "../grammar/phrase.ts";
import type { PlannedCall, PlannedValue, Interpretation } from "../grammar/plan.ts";
import { nounsOf, referentAt } from "../slots/referents.ts";
import { written } from "../slots/slot-reader.ts";

type Planned = Extract<Interpretation, { kind: "plan" } | { kind: "ambiguous" }>;

const fromRequest = (args: Readonly<Record<string, unknown>>): Record<string, PlannedValue> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { from: "request", value }]));

const callOf = (skill: string, args: Record<string, PlannedValue>, clause: string): PlannedCall => ({
  skill,
  args,
  clause,
  invented: [],
  freeText: [],
  lookup: undefined,
});

function planOf(calls: PlannedCall[], skills: readonly SkillGrammar[]): Planned {
  const reads = calls.every((call) => skills.find(({ id }) => id === call.skill)?.reads === true);
  return { kind: "plan", calls, readOnly: reads };
}

/**
 * What was asked last, to be done once more: read as it was read then, or, when another planner found the way, the same
 * calls. Undefined when nothing was done in this conversation. `read` reads an earlier request in its own place.
 */
export function repeated(
  context: InterpretationContext,
  read: (request: string, earlier: readonly Earlier[]) => Interpretation,
): Planned | undefined {
  const last = tellingOf(context)[0];
  if (last === undefined) return undefined;
  const { skills } = context.grammar;
  const before = context.earlier.slice(context.earlier.indexOf(last) + 1);
  const reading = read(last.request, before);
  const again =
    reading.kind === "plan" || reading.kind === "ambiguous"
      ? reading
      : planOf(
          spokenCalls(last, skills).map((call) => callOf(call.skill, fromRequest(call.args), last.request)),
          skills,
        );
  return { repeats: last.request, ...again };
}

function spokenCalls({ calls }: Earlier, skills: readonly SkillGrammar[]): EarlierCall[] {
  return calls.filter((call) => skills.some(({ id, phrases }) => id === call.skill && phrases.length > 0));
}

/** A thing named without saying what to do with it, and the values it may stand for in a slot. */
interface Named {
  words: string;
  valueFor: (slot: Slot) => PlannedValue | undefined;
}

/** "And the second one?", "what about b.md?": the thing that a clause names, when it says nothing else. */
function namedAlone(context: InterpretationContext, { from, to: end }: Clause): Named | undefined {
  const { request, tokens } = context;
  let { at } = afterFiller(tokens, from, end);
  if (/^(?:what|how)$/.test(tokens[at]?.text ?? "") && tokens[at + 1]?.text === "about") at += 2;
  const first = tokens[at];
  const nouns = [...nounsOf("file"), ...nounsOf("task"), ...nounsOf("memory")];
  const referent = referentAt(tokens, at, end, nouns);
  const pick = referent?.pick;
  const length = first?.kind === "path" ? 1 : pick === undefined ? 0 : (referent?.length ?? 0);
  if (length === 0 || trailingFiller(tokens, at + length, end) === undefined) return undefined;
  const words = written(request, tokens, at, at + length);
  return {
    words,
    valueFor: (slot) => {
      if (first?.kind === "path")
        return slot.type === "path" || slot.type === "folder" || slot.kind === "file"
          ? { from: "request", value: first.text }
          : undefined;
      const take = slot.type === "path" ? "path" : "reference";
      if (pick === undefined || (take === "reference" && slot.kind === undefined)) return undefined;
      const said = { kind: "referent", words, pick, isPlural: false } as const;
      return earlierValue(context, { take, slot, reads: true, referent: said });
    },
  };
}

/**
 * A clause that only names another thing: what was done last is meant for it too, or, after a list, that it be shown.
 * Whether something is to be changed a question leaves open, so then both readings stand. `dangling`: nothing was done
 * that could be meant.
 */
export function elliptic(
  context: InterpretationContext,
  clause: Clause,
): Planned | { dangling: string } | undefined {
  const named = namedAlone(context, clause);
  if (named === undefined) return undefined;
  const { skills } = context.grammar;
  const [last] = tellingOf(context);
  const call = last && spokenCalls(last, skills).at(-1);
  const skill = skills.find(({ id }) => id === call?.skill);
  const shown = shownFor(named, skills);
  if (call === undefined || skill === undefined) return { dangling: named.words };
  const same = sameFor(named, call, skill);
  if (same === undefined || skill.reads) {
    const calls = same ?? shown;
    return calls === undefined ? { dangling: named.words } : planOf([calls], skills);
  }
  return shown === undefined ? planOf([same], skills) : { kind: "ambiguous", plans: [[same], [shown]] };
}

/** The same call about another thing. */
function sameFor(named: Named, call: EarlierCall, skill: SkillGrammar): PlannedCall | undefined {
  for (const [name, declared] of Object.entries(skill.slots ?? {})) {
    const slot: Slot = typeof declared === "string" ? { type: declared } : declared;
    if (!["path", "folder", "reference"].includes(slot.type) || typeof call.args[name] !== "string") continue;
    const value = named.valueFor(slot);
    if (value !== undefined)
      return callOf(skill.id, { ...fromRequest(call.args), [name]: value }, named.words);
  }
  return undefined;
}

/** A call that shows the thing: files are read, other things found by their names. */
function shownFor(named: Named, skills: readonly SkillGrammar[]): PlannedCall | undefined {
  for (const { id, results, finds } of skills) {
    const by = results?.textOf ?? finds?.by;
    const slot: Slot =
      results?.textOf === undefined
        ? { type: "reference", kind: finds?.kind ?? "", byName: true }
        : { type: "path" };
    if (by === undefined || finds?.kind === "file") continue;
    const value = named.valueFor(slot);
    if (value !== undefined) return callOf(id, { [by]: value }, named.words);
  }
  return undefined;
}
