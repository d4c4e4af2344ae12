import { truncateLine } from "@metahuman/core/text/format";
import { copy } from "./parts-copy.ts";

const MAX_LENGTH = 40;
/** How many changes are described; the others are only counted in. */
const MAX_CHANGES = 3;

/** What a call that changed a file returned. */
type Outputs = Readonly<Record<string, unknown>>;

/**
 * What restoring the earliest text of a file undoes of the calls that changed it, the latest call first: "“25” → “20”"
 * for a changed value, "Brings back “hat”" for a removed one, "Takes out “tea”" for an added line and "Moves “flour” back"
 * for a line that was removed and added elsewhere. Undefined if no call returned what it changed.
 */
export function restoredValues(calls: readonly Outputs[]): string | undefined {
  const [first, second] = calls;
  if (calls.length === 2 && first?.["action"] === "remove" && isInsertion(second)) {
    const [moved, ...others] = textsOf(first["before"]);
    const isMoved = moved !== undefined && others.length === 0 && moved === textsOf(second?.["after"])[0];
    if (isMoved) return `Moves ${quote(moved)} back`;
  }
  const changes = calls.toReversed().flatMap((call) => restoredByOne(call) ?? []);
  if (changes.length === 0) return undefined;
  return [...changes.slice(0, MAX_CHANGES), ...(changes.length > MAX_CHANGES ? ["…"] : [])].join(" · ");
}

const quote = (text: string): string => `“${truncateLine(text, MAX_LENGTH)}”`;

/** Whether a call added lines beside one, which `before` names and which stays. */
const isInsertion = (call: Outputs | undefined): boolean =>
  call?.["action"] === "insert_before" || call?.["action"] === "insert_after";

function restoredByOne(call: Outputs): string | undefined {
  const [first, ...others] = textsOf(call["before"]).map(quote);
  const old = first === undefined || others.length === 0 ? first : `${first}, …`;
  const [after] = textsOf(call["after"]);
  switch (call["action"]) {
    case "check":
      return old && copy.clearsBox(old);
    case "uncheck":
      return old && `Ticks ${old}`;
    case "sort":
      return copy.earlierOrder;
    case "swap":
      return old && after && `Swaps ${old.replace(", …", "")} and ${quote(after)} back`;
    default:
      if (after === undefined) return old && `Brings back ${old}`;
      return old === undefined || isInsertion(call)
        ? `Takes out ${quote(after)}`
        : `${quote(after)} → ${old}`;
  }
}

/** The texts of an output that is a text or a list of texts, without empty ones. */
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
    typeof one === "string" && one.trim() !== "" ? [one.trim()] : [],
  );
