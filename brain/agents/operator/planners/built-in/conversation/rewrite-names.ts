import { ARTICLES, stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../../planner.ts";
import { type Subject, findSubjects } from "./subjects.ts";
import { MAX_REQUEST } from "./limits.ts";

// Rewrites the names of files: "the letter to Will Petty" and "Will's letter" as the path of the letter that the conversation knows,
// "put it there" as a move into the folder.

const MAX_NAME_WORDS = 3;
const KIND = "(?:letter|note|list|memo|card|message|invitation|recipe)";
/** "The letter to Will Petty", "Will's letter" */
const NAMED_TEXT = new RegExp(
  String.raw`\b(?:the|my|our|that)\s+(?<kind>${KIND})\s+(?:to|for|of|about)\s+(?<name>[\p{L}\p{N}'’-]+(?:\s[\p{L}\p{N}'’-]+){0,2})|\b(?<owner>\p{L}{2,})['’]s\s+(?<owned>${KIND})\b`,
  "iu",
);
/** What makes a new text, or has one in it. */
const NEW =
  /^\W*(?:(?:please|can\s+you|could\s+you)\s+)*(?:make|write|create|start|draft|begin|prepare|need|new|another|and\s+one)\b|:\s/iu;
/** "Move loans.csv there" */
const THERE =
  /^(?<order>\W*(?:please\s+|and\s+|now\s+)*(?:move|copy|put|save)\s+\S+\.\p{L}\w*)\s+(?:there|in\s+there|in(?:to)?\s+(?:it|that|this|the\s+(?:new\s+)?folder))[\s.!]*$/iu;
/** "Same with overdue.csv" */
const SAME_FILE =
  /^\W*(?:and\s+|now\s+|do\s+)*(?:the\s+)?same\s+(?:with|for|to)\s+(?<path>\S+\.\p{L}\w*?)[\s.!]*$/iu;

/**
 * The request with the paths that its words mean in this conversation: "the letter to Will", "move it there", "same with b.csv".
 * Undefined if none of them is known, or several.
 */
export async function rewriteNames(state: PlanState): Promise<string | undefined> {
  const { request } = state;
  if (request.length > MAX_REQUEST || request.includes("\n")) return undefined;
  const other = SAME_FILE.exec(request)?.groups?.["path"];
  if (other !== undefined) return rewriteSameForFile(other, state);
  const order = THERE.exec(request)?.groups?.["order"];
  if (order !== undefined) {
    const [newest] = await findSubjects(state);
    return newest?.kind === "folder"
      ? `${order.replace(/\bput\b|\bsave\b/iu, "move")} to ${newest.path.replace(/\/?$/u, "/")}`
      : undefined;
  }
  const namedText = NEW.test(request) ? null : NAMED_TEXT.exec(request);
  if (namedText === null) return undefined;
  const { kind = namedText.groups?.["owned"] ?? "", name = "", owner } = namedText.groups ?? {};
  const subjects = await findSubjects(state);
  if (owner !== undefined) {
    const path = findPath(`${owner} ${kind}`, subjects);
    const replaced = path && request.replace(namedText[0], () => path);
    return replaced === path ? path && `show ${path}` : replaced;
  }
  const words = name.split(" ");
  for (let count = Math.min(words.length, MAX_NAME_WORDS); count > 0; count--) {
    const named = words.slice(0, count).join(" ");
    const path = findPath(`${named} ${kind}`, subjects);
    if (path === undefined) continue;
    const rest = words.slice(count).join(" ");
    return request.replace(namedText[0], () => (rest === "" ? path : `${path} ${rest}`));
  }
  return undefined;
}

/** The only text or table whose path has all these words. */
function findPath(name: string, subjects: readonly Subject[]): string | undefined {
  // "Will" is a name here.
  const nameWords = plainWords(name)
    .filter((word) => !ARTICLES.has(word))
    .map(stem);
  if (nameWords.length < 2) return undefined;
  const [only, ...others] = subjects.flatMap((subject) => {
    if (subject.kind !== "text" && subject.kind !== "table") return [];
    const pathWords = plainWords(subject.path.replaceAll(/[/._-]/gu, " ")).map(stem);
    return nameWords.every((word) => pathWords.includes(word)) ? [subject.path] : [];
  });
  return others.length === 0 ? only : undefined;
}

/** The last move or copy into a folder, for another file. */
async function rewriteSameForFile(path: string, state: PlanState): Promise<string | undefined> {
  const [last] = (await state.earlier?.()) ?? [];
  const { skill, outputs } = last?.calls.at(-1) ?? {};
  const to = outputs?.["to"] ?? outputs?.["path"];
  const folder = typeof to === "string" ? /^(?<folder>.+)\/[^/]+$/u.exec(to)?.groups?.["folder"] : undefined;
  if (folder === undefined) return undefined;
  if (skill === "fs_move") return `move ${path} to ${folder}/`;
  return skill === "fs_copy" ? `copy ${path} to ${folder}/` : undefined;
}
