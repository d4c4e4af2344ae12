import type { InterpretationContext } from "./match.ts";
import type { PlannedCall, PlannedValue } from "./plan.ts";

/** "Check it", "send it to Bob": the text itself contains nothing that "it" refers to. */
const LEADING_IT = /^((?:(?!(?:and|or|but)\b)[\p{L}'’-]+\s+){1,3})it\b(?!['’])/iu;

/** Names the file that an earlier call of the request writes or reads in a title with "it": "check k3.txt". */
export function withNamedFile(
  { grammar, tokens }: InterpretationContext,
  calls: readonly PlannedCall[],
): PlannedCall[] {
  const isQuoted = (words: string): boolean =>
    tokens.some(({ kind, text }) => kind === "quoted" && text === words);
  /** The path of a call, if the request names it. */
  const pathOf = ({ skill: id, args }: PlannedCall): string | undefined => {
    const name = grammar.skills.find((skill) => skill.id === id)?.results?.path;
    const value = name === undefined ? undefined : args[name];
    return value?.from === "request" && typeof value.value === "string" ? value.value : undefined;
  };
  const named = (value: PlannedValue | undefined, path: string): PlannedValue | undefined => {
    if (value?.from !== "request" || typeof value.value !== "string") return undefined;
    if (isQuoted(value.value) || !LEADING_IT.test(value.value)) return undefined;
    return { from: "request", value: value.value.replace(LEADING_IT, (_, before: string) => before + path) };
  };
  return calls.map((call, index) => {
    const path = calls
      .slice(0, index)
      .flatMap((earlier) => pathOf(earlier) ?? [])
      .at(-1);
    const slots = grammar.skills.find(({ id }) => id === call.skill)?.slots ?? {};
    const titles = call.freeText.filter((name) => {
      const slot = slots[name];
      return (typeof slot === "string" ? slot : slot?.type) === "title";
    });
    if (path === undefined || titles.length === 0) return call;
    const changed = titles.flatMap((name) => {
      const value = named(call.args[name], path);
      return value ? [[name, value] as const] : [];
    });
    return changed.length === 0 ? call : { ...call, args: { ...call.args, ...Object.fromEntries(changed) } };
  });
}
