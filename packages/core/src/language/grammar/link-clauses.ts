import { inFolder } from "../slots/path.ts";
import { withoutTrailing } from "../../text/words.ts";
import {
  allEarlier,
  earlierValue,
  mayFitSlot,
  resultKind,
  type ResultPart,
} from "../references/antecedent.ts";
import { mergeCalls, withoutRepeats } from "./merge-calls.ts";
import { callOf, fromRequest } from "../references/planned.ts";
import { matchClause, type Binding, type Match, type InterpretationContext } from "./match.ts";
import type { PlannedCall, PlannedValue } from "./plan.ts";
import type { Phrase, SkillGrammar, Slot } from "./phrase.ts";
import type { SlotValue } from "../slots/slot-reader.ts";

/** The words of a clause and one match for them. */
export interface Command {
  match: Match;
  clause: string;
}

/**
 * Why commands cannot be linked: `words` refer to nothing or, with `describes`, describe something that no skill can
 * read.
 */
export interface UnresolvedWords {
  words: string;
  describes?: boolean;
}

const RESULT_PART_OF_SLOT: Readonly<Record<string, ResultPart>> = {
  path: "path",
  folder: "path",
  text: "text",
  wording: "text",
  reference: "reference",
};

function provides(skill: SkillGrammar, take: ResultPart, kind: string | undefined): boolean {
  if (take === "reference") return kind !== undefined && skill.results?.reference?.[kind] !== undefined;
  return skill.results?.[take] !== undefined;
}

/** The value of one of several calls; a function adds the look-up that it needs first. */
type ValueOfOne = PlannedValue | undefined | (() => PlannedValue | UnresolvedWords);

/** Turns commands into calls: adds look-ups and links pronouns to the results of earlier calls. */
class Linker {
  readonly calls: PlannedCall[] = [];
  readonly defaults = new Map<PlannedCall, ReadonlySet<string>>();
  readonly #context: InterpretationContext;
  readonly #skills: readonly SkillGrammar[];

  constructor(context: InterpretationContext) {
    this.#context = context;
    this.#skills = context.grammar.skills;
  }

  /** Adds the calls of one command. Returns the words that refer to nothing, if any. */
  add({ match, clause }: Command): UnresolvedWords | undefined {
    const earlier = this.calls.length;
    const [several, values] = this.#severalValues(match, clause, earlier);
    // All look-ups precede the first change, so that an unknown name stops all of it.
    const isLookUp = several?.value.kind === "look-ups";
    const found = values.map((one) => (isLookUp && typeof one === "function" ? one() : one));
    for (const one of found) {
      const value = typeof one === "function" ? one() : one;
      if (value !== undefined && "words" in value) return value;
      const unlinked = this.#addCall(match, clause, earlier, several && { binding: several, value });
      if (unlinked !== undefined) return unlinked;
    }
    return undefined;
  }

  /** Returns the binding that names several things, with one value per thing; each value becomes a call. */
  #severalValues(match: Match, clause: string, earlier: number): [Binding | undefined, ValueOfOne[]] {
    for (const binding of match.bindings) {
      const { value } = binding;
      if (value.kind === "look-ups") {
        const { kind } = match.rule.slots[binding.slot] ?? {};
        return [binding, value.words.map((words) => () => this.#lookUp(words, kind, clause))];
      }
      if (value.kind === "several") {
        const isText = match.rule.slots[binding.slot]?.standsForText === true;
        const values = value.values.map((one): ValueOfOne => {
          const requested: PlannedValue = { from: "request", value: one };
          return isText ? () => this.#readText(requested, clause) : requested;
        });
        return [binding, values];
      }
      if (value.kind !== "referent" || !value.isPlural) continue;
      const slot = match.rule.slots[binding.slot];
      const take = RESULT_PART_OF_SLOT[slot?.type ?? ""];
      if (
        take === undefined ||
        earlier > 0 ||
        this.#antecedent(take, slot, match.rule.skill.reads, earlier) !== undefined
      )
        continue;
      const all = allEarlier(this.#context, { take, slot, reads: match.rule.skill.reads, referent: value });
      if (all.length > 0) return [binding, all];
    }
    return [undefined, [undefined]];
  }

  #addCall(
    match: Match,
    clause: string,
    earlier: number,
    one?: { binding: Binding; value: PlannedValue | undefined },
  ): UnresolvedWords | undefined {
    const { rule } = match;
    const args: Record<string, PlannedValue> = {};
    const names: Record<string, PlannedValue> = {};
    const invented: string[] = [];
    const freeText: string[] = [];
    for (const [name, value] of Object.entries(rule.phrase.args ?? {}))
      args[name] = { from: "request", value };
    for (const binding of [...match.bindings, ...impliedBindings(match, clause)]) {
      const value = binding === one?.binding ? one.value : this.#valueOf(binding, match, clause, earlier);
      if (value === undefined) continue;
      if ("words" in value) return value;
      args[binding.slot] = value;
      names[binding.slot] = this.#textPath(binding, match, earlier) ?? value;
      if (binding.value.kind === "given" && binding.value.invented) invented.push(binding.slot);
      if (binding.free > 0) freeText.push(binding.slot);
    }
    for (const [name, question] of Object.entries(rule.phrase.asks ?? {}))
      args[name] ??= { from: "answer", question: withValues(question, args) };
    const composed = composedArgs(args, rule.phrase.compose ?? {}, this.calls);
    const { view } = rule.phrase;
    const values = Object.fromEntries(
      (view?.slots ?? []).flatMap((name) => {
        const value = composed[name];
        return value?.from === "request" ? [[name, String(value.value)]] : [];
      }),
    );
    const passed = Object.fromEntries(
      Object.entries(composed).filter(([name]) => view?.slots?.includes(name) !== true),
    );
    const joined = joinedArgs(passed, names, rule.phrase.join ?? {});
    const { folderOf } = rule.phrase;
    const call: PlannedCall = {
      skill: rule.skill.id,
      args: joined,
      clause,
      invented,
      freeText,
      lookup: undefined,
      ...(folderOf && { folderOf }),
      ...(view && {
        view: { name: view.name, values, ...(view.other !== undefined && { other: view.other }) },
      }),
    };
    const bound = new Set(match.bindings.map((binding) => binding.slot));
    this.defaults.set(call, new Set(Object.keys(rule.phrase.args ?? {}).filter((name) => !bound.has(name))));
    this.calls.push(call);
    return undefined;
  }

  /** Returns the path of the file whose text a slot refers to; destination names derive from this path. */
  #textPath({ slot: name, value }: Binding, { rule }: Match, earlier: number): PlannedValue | undefined {
    const slot = rule.slots[name];
    if (!slot?.standsForText) return undefined;
    if (value.kind === "given") return { from: "request", value: value.value };
    return value.kind === "referent" ? this.#referred(value, slot, rule.skill.reads, earlier) : undefined;
  }

  #valueOf(
    binding: Binding,
    match: Match,
    clause: string,
    earlier: number,
  ): PlannedValue | UnresolvedWords | undefined {
    const slot = match.rule.slots[binding.slot];
    const { value } = binding;
    switch (value.kind) {
      case "given":
        if (slot?.standsForText && typeof value.value === "string")
          return this.#readText({ from: "request", value: value.value }, clause);
        if (slot?.standsForLines && typeof value.value === "string")
          return this.#readLines({ from: "request", value: value.value }, clause);
        return { from: "request", value: value.value };
      case "nested":
        return this.#nested(value, earlier);
      case "question":
        return {
          from: "answer",
          question: value.question,
          ...(value.within !== undefined && { within: value.within }),
        };
      case "choice":
        return {
          from: "earlier",
          mention: value.words,
          candidates: value.values.map((one) => ({ id: one, label: one })),
        };
      case "description":
      case "look-ups":
      case "several":
        return undefined;
      case "referent": {
        const referred = this.#referred(value, slot, match.rule.skill.reads, earlier);
        if (referred === undefined) return { words: value.words };
        if (slot?.standsForLines) return this.#readLines(referred, clause);
        return slot?.standsForText ? this.#readText(referred, clause) : referred;
      }
      case "listing":
        return this.#listing(value, slot, clause);
      case "look-up":
        return this.#lookUp(value.words, slot?.kind, clause, slot?.exact);
      default:
        return value satisfies never;
    }
  }

  /** Resolves "it" to a result of this request or of an earlier one in the conversation. */
  #referred(
    referent: SlotValue & { kind: "referent" },
    slot: Slot | undefined,
    reads: boolean,
    earlier: number,
  ): PlannedValue | undefined {
    const take = RESULT_PART_OF_SLOT[slot?.type ?? ""];
    if (take === undefined) return undefined;
    const { pick } = referent;
    const kind = pick === undefined ? slot?.kind : resultKind(take, slot);
    const call =
      pick === undefined ? this.#antecedent(take, slot, reads, earlier) : this.#listingCall(kind, earlier);
    // Once this request has produced something, a pronoun does not refer to earlier requests.
    if (call === undefined && earlier > 0 && pick === undefined) return undefined;
    if (call === undefined) return earlierValue(this.#context, { take, slot, reads, referent });
    return {
      from: "call",
      call,
      take,
      ...(kind !== undefined && { kind }),
      ...(pick !== undefined && { pick }),
      ...(slot?.byName && { byName: true }),
    };
  }

  /** Returns the index of the last earlier call that lists things of this kind. */
  #listingCall(kind: string | undefined, earlier: number): number | undefined {
    const index = this.calls.slice(0, earlier).findLastIndex(({ skill: id, lookup }) => {
      const skill = this.#skills.find((candidate) => candidate.id === id);
      return lookup === undefined && (skill?.finds?.kind === kind || skill?.results?.items?.kind === kind);
    });
    return index < 0 ? undefined : index;
  }

  /**
   * Returns the index of the earlier call that a pronoun refers to: the last one with a result of this kind. A
   * command that changes something accepts only the call directly before it, so that it does not change a more
   * distant thing by mistake.
   */
  #antecedent(take: ResultPart, slot: Slot | undefined, reads: boolean, earlier: number): number | undefined {
    for (let call = earlier - 1; call >= 0; call--) {
      const planned = this.calls[call];
      const skill = this.#skills.find((candidate) => candidate.id === planned?.skill);
      if (planned === undefined || skill === undefined || planned.lookup !== undefined) continue;
      if (provides(skill, take, slot?.kind))
        return take !== "path" || mayFitSlot(planned, skill, slot) ? call : undefined;
      if (!reads) return undefined;
    }
    return undefined;
  }

  /** Adds a call that reads the text of a file. */
  #readText(path: PlannedValue, clause: string): PlannedValue | UnresolvedWords {
    const reader = this.#skills.find((skill) => skill.results?.textOf !== undefined);
    if (reader?.results?.textOf === undefined) return { words: clause };
    const args: Record<string, PlannedValue> = { [reader.results.textOf]: path };
    this.calls.push({ skill: reader.id, args, clause, invented: [], freeText: [], lookup: undefined });
    return { from: "call", call: this.calls.length - 1, take: "text" };
  }

  /** Adds a call that reads a file, each line of which becomes a call of its own. */
  #readLines(path: PlannedValue, clause: string): PlannedValue | UnresolvedWords {
    const text = this.#readText(path, clause);
    const read = this.calls.at(-1);
    if ("words" in text || text.from !== "call" || read === undefined) return text;
    this.calls[this.calls.length - 1] = { ...read, lookup: clause };
    return { ...text, take: "reference", kind: "line", every: true };
  }

  /** Adds the best matching read for the words and returns its text result. */
  #nested(value: SlotValue & { kind: "nested" }, earlier: number): PlannedValue | UnresolvedWords {
    const { from, to, words } = value;
    const match = matchClause(this.#context, from, to).find(
      ({ rule: { skill, phrase } }) =>
        // A view answers about a part of the result, and the text is the whole.
        skill.reads && skill.results?.text && (phrase.view === undefined || skill.answers !== undefined),
    );
    if (match === undefined) return { words, describes: true };
    const unlinked = this.#addCall(match, words, earlier);
    return unlinked ?? { from: "call", call: this.calls.length - 1, take: "text" };
  }

  /** Adds a call that lists things, each of which becomes a call of its own once they are listed. */
  #listing(
    { words, args }: SlotValue & { kind: "listing" },
    slot: Slot | undefined,
    clause: string,
  ): PlannedValue | UnresolvedWords {
    const { kind, confirm } = slot ?? {};
    const lists = ({ results, finds }: SkillGrammar): boolean =>
      kind !== undefined && (slot?.onlyEvery ? finds?.kind === kind : results?.items?.kind === kind);
    const lister = this.#skills.find(lists);
    if (lister === undefined || kind === undefined) return { words };
    this.calls.push({
      ...callOf(lister.id, fromRequest(args), clause),
      lookup: words,
    });
    return {
      from: "call",
      call: this.calls.length - 1,
      take: "reference",
      kind,
      every: true,
      ...(confirm !== undefined && { confirm }),
    };
  }

  #lookUp(
    words: string,
    kind: string | undefined,
    clause: string,
    exact = false,
  ): PlannedValue | UnresolvedWords {
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
      freeText: [by],
      lookup: words,
    });
    const call = this.calls.length - 1;
    return { from: "call", call, take: "reference", kind, ...(exact && { exact }) };
  }
}

/** Adds the implied "it" of phrases such as "I meant Tuesday". */
function impliedBindings({ rule: { phrase } }: Match, clause: string): Binding[] {
  const { implies } = phrase;
  if (implies === undefined) return [];
  const value: SlotValue = { kind: "referent", words: clause, isPlural: false };
  return [{ slot: implies, value, from: 0, to: 0, free: 0 }];
}

/** Puts the values of other arguments into a question: "What should {from} be called?" */
function withValues(question: string, args: Readonly<Record<string, PlannedValue>>): string {
  return question.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = args[name];
    return value?.from === "request" ? String(value.value) : "it";
  });
}

/**
 * Fills in the templates of arguments with several slots; at most one of them may still be a question. A look-up
 * contributes its words and fills its own argument, too.
 */
function composedArgs(
  args: Readonly<Record<string, PlannedValue>>,
  compose: Readonly<Record<string, string>>,
  calls: readonly PlannedCall[],
): Record<string, PlannedValue> {
  const composed: Record<string, PlannedValue> = {};
  const used = new Set<string>();
  for (const [name, template] of Object.entries(compose)) {
    const parts = [...template.matchAll(/\{(\w+)\}/gu)].flatMap(([, part]) => part ?? []);
    let text = template;
    let asked: string | undefined;
    for (const part of parts) {
      const value = args[part];
      const lookup = value?.from === "call" ? calls[value.call]?.lookup : undefined;
      if (lookup === undefined) used.add(part);
      if (value?.from === "answer") asked = value.question;
      const answer = value?.from === "answer" ? (value.within ?? "{}") : "{}";
      const words = lookup ?? (value?.from === "request" ? String(value.value) : answer);
      // "How many liters are 3 gallons?": the mark ends the question, not the value in the middle of the text.
      const isAtEnd = template.endsWith(`{${part}}`);
      text = text.replace(`{${part}}`, () => (isAtEnd ? words : withoutTrailing(words, /[?\s]/u)));
    }
    composed[name] =
      asked === undefined
        ? { from: "request", value: text }
        : { from: "answer", question: asked, within: text };
  }
  const others = Object.entries(args).filter(([name]) => !used.has(name));
  return { ...Object.fromEntries(others), ...composed };
}

/** Builds path arguments from a folder and a name in `names`, and removes the folder arguments. */
function joinedArgs(
  args: Readonly<Record<string, PlannedValue>>,
  names: Readonly<Record<string, PlannedValue>>,
  join: NonNullable<Phrase["join"]>,
): Record<string, PlannedValue> {
  const folders = new Set(Object.values(join).map(([folder]) => folder));
  const paths = Object.entries(join).flatMap(([name, [folderSlot, nameSlot]]): [string, PlannedValue][] => {
    const folder = args[folderSlot];
    const path = names[nameSlot];
    const isReferred = folder?.from === "call" || folder?.from === "earlier";
    if (isReferred && path?.from === "request" && typeof path.value === "string")
      return [[name, { ...folder, below: path.value }]];
    if (isReferred && path?.from === "call" && path.every) return [[name, { ...path, into: folder }]];
    if (folder?.from !== "request" || typeof folder.value !== "string" || path === undefined) return [];
    if (path.from === "answer") return [[name, { ...path, within: inFolder(folder.value, "{}") }]];
    if (path.from === "call" || path.from === "earlier") return [[name, { ...path, folder: folder.value }]];
    if (typeof path.value !== "string") return [];
    return [[name, { ...path, value: inFolder(folder.value, path.value) }]];
  });
  const others = Object.entries(args).filter(([name]) => !folders.has(name));
  return { ...Object.fromEntries(others), ...Object.fromEntries(paths) };
}

/** Returns the calls that execute `commands` in order, or the words that prevent it. */
export function linkClauses(
  commands: readonly Command[],
  context: InterpretationContext,
): PlannedCall[] | UnresolvedWords {
  const linker = new Linker(context);
  for (const command of commands) {
    const unlinked = linker.add(command);
    if (unlinked !== undefined) return unlinked;
  }
  return withoutRepeats(mergeCalls(linker.calls, linker.defaults));
}
