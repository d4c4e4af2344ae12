import { completed } from "./complete.ts";
import { inFolder } from "./in-folder.ts";
import { matchClause, type Binding, type Match, type ReadingContext } from "./match.ts";
import type { PlannedCall, PlannedValue } from "./plan.ts";
import type { Phrase, SkillSpeech } from "./phrase.ts";
import type { SlotValue } from "./slots/slot-reader.ts";

/** A clause's words and one way to carry them out. */
export interface Order {
  match: Match;
  clause: string;
}

/** Why orders cannot be put together: words that refer to nothing, or that `describe` what nothing can read. */
export interface Unlinked {
  words: string;
  describes?: boolean;
}

type Take = "path" | "text" | "reference";

const TAKES: Readonly<Record<string, Take>> = {
  path: "path",
  text: "text",
  wording: "text",
  reference: "reference",
};

function offers(skill: SkillSpeech, take: Take, kind: string | undefined): boolean {
  if (take === "reference") return kind !== undefined && skill.results?.reference?.[kind] !== undefined;
  return skill.results?.[take] !== undefined;
}

/** Puts orders together into calls: look-ups first, pronouns tied to what earlier calls leave. */
class Linker {
  readonly calls: PlannedCall[] = [];
  readonly defaults = new Map<PlannedCall, ReadonlySet<string>>();
  readonly #context: ReadingContext;
  readonly #skills: readonly SkillSpeech[];

  constructor(context: ReadingContext) {
    this.#context = context;
    this.#skills = context.grammar.skills;
  }

  /** Adds the calls of one order; returns what refers to nothing. */
  add({ match, clause }: Order): Unlinked | undefined {
    const several = match.bindings.find((binding) => binding.value.kind === "several");
    const values = several?.value.kind === "several" ? several.value.values : [undefined];
    const earlier = this.calls.length;
    for (const value of values) {
      const bindings = match.bindings.map((binding) =>
        binding === several
          ? { ...binding, value: { kind: "given" as const, value, invented: false } }
          : binding,
      );
      const unlinked = this.#addCall({ ...match, bindings }, clause, earlier);
      if (unlinked !== undefined) return unlinked;
    }
    return undefined;
  }

  #addCall(match: Match, clause: string, earlier: number): Unlinked | undefined {
    const { rule } = match;
    const args: Record<string, PlannedValue> = {};
    const invented: string[] = [];
    for (const [name, value] of Object.entries(rule.phrase.args ?? {}))
      args[name] = { from: "request", value };
    for (const binding of match.bindings) {
      const value = this.#valueOf(binding, match, clause, earlier);
      if (value === undefined) continue;
      if ("words" in value) return value;
      args[binding.slot] = value;
      if (binding.value.kind === "given" && binding.value.invented) invented.push(binding.slot);
    }
    const joined = joinedArgs(args, rule.phrase.join ?? {});
    const call = { skill: rule.skill.id, args: joined, clause, invented, lookup: undefined };
    const spoken = new Set(match.bindings.map((binding) => binding.slot));
    this.defaults.set(call, new Set(Object.keys(rule.phrase.args ?? {}).filter((name) => !spoken.has(name))));
    this.calls.push(call);
    return undefined;
  }

  #valueOf(
    binding: Binding,
    match: Match,
    clause: string,
    earlier: number,
  ): PlannedValue | Unlinked | undefined {
    const slot = match.rule.slots[binding.slot];
    const { value } = binding;
    switch (value.kind) {
      case "given":
        if (slot?.standsForText && typeof value.value === "string") return this.#textAt(value.value, clause);
        return { from: "request", value: value.value };
      case "nested":
        return this.#nested(value, earlier);
      case "description":
      case "several":
        return undefined;
      case "referent": {
        const take = TAKES[slot?.type ?? ""];
        const call =
          take === undefined
            ? undefined
            : this.#antecedent(take, slot?.kind, match.rule.skill.reads, earlier);
        if (take === undefined || call === undefined) return { words: value.words };
        return { from: "call", call, take, ...(slot?.kind !== undefined && { kind: slot.kind }) };
      }
      case "look-up":
        return this.#lookUp(value.words, slot?.kind, clause);
      default:
        return value satisfies never;
    }
  }

  /**
   * The earlier call that a pronoun means: the last one that leaves something of the kind. What changes something takes
   * it only from the call right before, so that no more distant thing is changed by mistake.
   */
  #antecedent(take: Take, kind: string | undefined, reads: boolean, earlier: number): number | undefined {
    for (let call = earlier - 1; call >= 0; call--) {
      const planned = this.calls[call];
      const skill = this.#skills.find((candidate) => candidate.id === planned?.skill);
      if (planned === undefined || skill === undefined || planned.lookup !== undefined) continue;
      if (offers(skill, take, kind)) return call;
      if (!reads) return undefined;
    }
    return undefined;
  }

  /** What is in a file, read by the skill that reads such text. */
  #textAt(path: string, clause: string): PlannedValue | Unlinked {
    const reader = this.#skills.find((skill) => skill.results?.textOf !== undefined);
    if (reader?.results?.textOf === undefined) return { words: path };
    const args: Record<string, PlannedValue> = { [reader.results.textOf]: { from: "request", value: path } };
    this.calls.push({ skill: reader.id, args, clause, invented: [], lookup: undefined });
    return { from: "call", call: this.calls.length - 1, take: "text" };
  }

  /** What the best reading of some words as a read leaves as text. */
  #nested(value: SlotValue & { kind: "nested" }, earlier: number): PlannedValue | Unlinked {
    const { from, to, words } = value;
    const match = matchClause(this.#context, from, to).find(
      ({ rule }) => rule.skill.reads && rule.skill.results?.text,
    );
    if (match === undefined) return { words, describes: true };
    const unlinked = this.#addCall(match, words, earlier);
    return unlinked ?? { from: "call", call: this.calls.length - 1, take: "text" };
  }

  #lookUp(words: string, kind: string | undefined, clause: string): PlannedValue | Unlinked {
    const finder = this.#skills.find((skill) => kind !== undefined && skill.finds?.kind === kind);
    if (finder?.finds === undefined || kind === undefined) return { words };
    const { by, query, args } = finder.finds;
    const fixed = Object.entries(args ?? {}).map(([name, value]): [string, PlannedValue] => [
      name,
      { from: "request", value },
    ]);
    this.calls.push({
      skill: finder.id,
      args: { ...Object.fromEntries(fixed), [by]: { from: "request", value: query?.(words) ?? words } },
      clause,
      invented: [],
      lookup: words,
    });
    return { from: "call", call: this.calls.length - 1, take: "reference", kind };
  }
}

/** Arguments in which paths are made of a folder and a name; the folders alone are no arguments. */
function joinedArgs(
  args: Readonly<Record<string, PlannedValue>>,
  join: NonNullable<Phrase["join"]>,
): Record<string, PlannedValue> {
  const folders = new Set(Object.values(join).map(([folder]) => folder));
  const paths = Object.entries(join).flatMap(([name, [folderSlot, nameSlot]]): [string, PlannedValue][] => {
    const folder = args[folderSlot];
    const path = args[nameSlot];
    if (folder?.from !== "request" || typeof folder.value !== "string" || path === undefined) return [];
    if (path.from === "call") return [[name, { ...path, folder: folder.value }]];
    if (typeof path.value !== "string") return [];
    return [[name, { from: "request", value: inFolder(folder.value, path.value) }]];
  });
  const others = Object.entries(args).filter(([name]) => !folders.has(name));
  return { ...Object.fromEntries(others), ...Object.fromEntries(paths) };
}

/** The calls that carry out `orders` one after the other, or the words that stand in the way. */
export function link(orders: readonly Order[], context: ReadingContext): PlannedCall[] | Unlinked {
  const linker = new Linker(context);
  for (const order of orders) {
    const unlinked = linker.add(order);
    if (unlinked !== undefined) return unlinked;
  }
  return completed(linker.calls, linker.defaults);
}
