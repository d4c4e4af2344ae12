import { type CommandClause, isForOperator } from "./clauses.ts";
import { startsCommand } from "./grammar.ts";
import { matchClause, type Match, type InterpretationContext } from "./match.ts";

const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "wording", "title"]);

/** Returns the unquoted text at the end of a command, if there is any. */
function trailingText(command: CommandClause): { from: number; to: number } | undefined {
  const match = command.matches[0];
  const last = match?.bindings.toSorted((one, other) => one.to - other.to).at(-1);
  const type = last === undefined ? undefined : match?.rule.slots[last.slot]?.type;
  return last !== undefined && last.free > 0 && TEXT_TYPES.has(type ?? "") ? last : undefined;
}

/** Text that begins on its own line extends to the end of the request. */
function isBlock({ tokens }: InterpretationContext, { from, to }: { from: number; to: number }): boolean {
  const first = tokens.slice(from, to).find((token) => token.kind !== "mark" || token.onNewLine);
  return first?.onNewLine === true;
}

/** Returns where a text contains a command: at its start, inside it, or nowhere. */
function embeddedCommand(
  context: InterpretationContext,
  text: { from: number; to: number },
): "start" | "inside" | undefined {
  for (let index = text.from; index < text.to; index++) {
    const token = context.tokens[index];
    if (token === undefined || !startsCommand(context.grammar, token)) continue;
    // Within a text, a question that names no file is a statement: "the tuner is called Igor".
    const isCommand = ({ rule: { phrase } }: Match): boolean =>
      phrase.lastResort !== true || phrase.implies === undefined;
    if (matchClause(context, index, text.to).some(isCommand)) return index === text.from ? "start" : "inside";
  }
  return undefined;
}

const hasReferent = (match: Match | undefined): boolean =>
  match?.bindings.some((binding) => binding.value.kind === "referent") ?? false;

/**
 * Decides whether two adjacent commands are separate or whether the second belongs to the text of the first. "add a
 * task to buy milk and list my tasks" is two commands; "add a task to read a.md and delete b.md" is one task; "add a
 * task to buy milk and delete b.md" is unclear.
 */
export function classifyAdjacent(
  context: InterpretationContext,
  before: CommandClause,
  after: CommandClause,
): "apart" | "together" | "unclear" {
  if (isForOperator(context, after)) return "apart";
  const text = trailingText(before);
  if (text === undefined || hasReferent(after.matches[0])) return "apart";
  if (isBlock(context, text)) return "together";
  // After "append to a.md: no more milk;" the rest may be text as well.
  const isIntroduced = context.tokens[text.from - 1]?.text === ":" || context.tokens[text.from]?.text === ":";
  if (isIntroduced && context.tokens[after.before?.end ?? 0]?.text === ";") return "unclear";
  if (after.before?.strength === "sentence") return "apart";
  const embedded = embeddedCommand(context, text);
  if (embedded === "start") return "together";
  return embedded === undefined && (after.matches[0]?.literals ?? 0) >= 2 ? "apart" : "unclear";
}
