import { parseJson } from "@metahuman/core/contract/parse-json";
import { PlannerReply } from "./reply.ts";

/** A planner's reply, or every reason why it is none, in words that the model can act on. */
export type ReadReply = { ok: true; reply: PlannerReply } | { ok: false; problems: string[] };

/**
 * Reads a reply as models really write it: bare JSON, JSON in a fence, after `<think>` text, or with words around it.
 * The first whole JSON object that is outside of thinking counts.
 */
export function readReply(text: string): ReadReply {
  const json = firstJsonObject(text);
  if (json === undefined) return { ok: false, problems: ["The reply held no complete JSON object."] };
  const parsed = PlannerReply.safeParse(json);
  if (parsed.success) return { ok: true, reply: parsed.data };
  return {
    ok: false,
    problems: parsed.error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join(".")}: ${message}` : message,
    ),
  };
}

/** The first whole JSON object in a reply that is outside of thinking; undefined when there is none. */
export function firstJsonObject(text: string): unknown {
  return firstObject(withoutThinking(text));
}

/** Thinking that was never closed has swallowed the rest: then there is no reply. */
function withoutThinking(text: string): string {
  return text.replaceAll(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, " ");
}

/** How many opening braces are tried: a reply that needs more is no reply, and each costs a pass over the text. */
const MAX_STARTS = 32;

/** The first `{…}` in the text that parses as a JSON object. */
function firstObject(text: string): unknown {
  let start = text.indexOf("{");
  for (let tries = 0; start !== -1 && tries < MAX_STARTS; tries += 1, start = text.indexOf("{", start + 1)) {
    const end = closingBrace(text, start);
    if (end === undefined) return undefined;
    const value = parseJson(text.slice(start, end + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Where the object that opens at `start` closes, braces inside of strings left aside. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}
