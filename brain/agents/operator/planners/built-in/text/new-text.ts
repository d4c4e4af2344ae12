import { oneOf } from "@metahuman/core/text/patterns";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { plainWords } from "@metahuman/core/text/words";
import { wordSet } from "@metahuman/core/language/tokens/words";
import type { PlanState } from "../../../planner.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import { hasSkill, type Resolution } from "../conversation/resolution.ts";
import { MAX_REQUEST_WITH_TEXT } from "../conversation/limits.ts";
import { STARTS_WITH_ORDER } from "../order-with-reasons.ts";

// Reads an order for a new file whose text the request holds. "Packing list for Rome: socks, charger" becomes a call that writes two
// lines to packing-for-rome-list.txt; "note for the plumber: it has failed again." becomes plumber-note.txt. The words before the text
// are the head. Each of them must say that something is made, what kind of text it is, what it is called, or nothing.

const MAX_NAME = 60;
const MAX_NAME_WORDS = 8;
const MAX_PURPOSE = 5;
const MIN_ITEMS = 2;

const MAKES = wordSet(
  "make create start begin open write save store draft prepare draw set new need want put jot keep do get build take",
);
/** Words that say nothing about the text. */
const IDLE = wordSet(
  "me us a an the my our your its some up out in into as i we i'd we'd let's lets would like to have please pls kindly can could you so ok okay now just also another down little small quick simple text file single empty there be should",
);
const LISTS = wordSet("list checklist lists menu todo-list");
/** Lists by their purpose. Before another noun they are a part of the name: "a log table". */
const RECORDS = wordSet("record log register rota roster tally inventory");
/** Nouns that name a list by themselves. */
const COLLECTIONS = wordSet(
  "groceries shopping packing supplies ingredients guests presents gifts equipment tools parts materials plan programme agenda",
);
const PROSE = wordSet(
  "note memo letter message card invitation text page recipe diary speech reminder-card instructions",
);
const TABLES = wordSet("table csv spreadsheet sheet");
/** What begins the name of a text after its kind. */
const NAMING = wordSet("for of called named titled about on to with");
const OTHER_WORDS = oneOf(
  "add|append|remind|remember|remove|delete|show|read|what|which|who|when|where|how|why|if|unless|until",
  "then|and|or|not|don't|no|is|are|was|were|has|tell|send|call|move|copy|rename|change|find|search|mark",
  "task|tasks|reminder|todo|to-do|todos|folder|that|this|it|them|these|those|all|every|there's|never",
  "nobody|said|says|asked|wants|think|back",
);
/** A head with one of these words orders or asks something else. */
const OTHER = new RegExp(String.raw`^${OTHER_WORDS}$`, "u");

/** What stands between the head of a request and the text. */
const SEPARATORS: readonly RegExp[] = [
  /\s*:\s+|\s*:(?=\n)|:(?=\p{L})/u,
  /\s*\n\s*/u,
  /,?\s+(?:(?:and\s+)?(?:it|that|which|i|we)\s+(?:needs?|has|should\s+have|contains)|needs?|with(?:\s+the)?(?:\s+(?:columns?|items?|entries|headings?|things))?|containing|including|saying|that\s+says|columns?)\s*:?\s+/iu,
  /\s+[-–—]\s+/u,
  /[.?]\s+/u,
  /,\s+(?:with\s+)?(?:(?:the\s+)?(?:columns?|items?)\s+)?/iu,
];
/** "… to packing.md": where the text is to be written. */
const PLACE = /^(?<content>\S.*?)\s+(?:to|in|into|as)\s+(?:the\s+file\s+)?(?<path>\S+\.\p{L}+)$/isu;
const DESCRIBED_WORDS = oneOf(
  String.raw`my|all|the\s+(?:names|contents?|list|results?)|some|ideas|a\s+(?:list|summary|description)`,
  "everything|what|how|why|whatever|is|are|was|were|did|does|do|can|could|should|who|when|where",
);
/** A text that has to be looked up or thought of. */
const DESCRIBED = new RegExp(String.raw`^${DESCRIBED_WORDS}\b`, "iu");
/** The text is an order for an existing list: "back to the list: add jam". */
const ORDERS = /^(?:please\s+)?(?:add|remove|delete|take|tick|cross|show|read)\s/iu;
const ASKS = /\?\s*$|(?:^|[,;.]\s*)(?:so\s+|and\s+)?(?:how\s+(?:many|much)|what|which|who|when|where)\b/iu;
const TO_DO_LIST = /\bto[\s-]?do[\s-]+list\b/iu;
const PATH = /^[\w./-]*[\w-]\.\p{L}[\p{L}\p{N}]*$/u;

type TextKind = "list" | "prose" | "table";

interface TextHead {
  kind: TextKind;
  noun: string;
  name: readonly string[];
  path?: string;
  isNumbered: boolean;
  /** It says that something is made: "make a list", not "my list". */
  isOrdered: boolean;
}

/** What the words before a text say; undefined if one of them says something else. */
function readHead(text: string): TextHead | undefined {
  // "A to do list for moving out" is a list; without a purpose it is tasks.
  const words = text.replace(TO_DO_LIST, "todo-list").trim().split(/\s+/u);
  let kindWord: Pick<TextHead, "kind" | "noun"> | undefined;
  let path: string | undefined;
  let isNumbered = false;
  let isOrdered = false;
  const wordsBefore: string[] = [];
  const wordsAfter: string[] = [];
  for (const [index, written] of words.entries()) {
    const word = written
      .toLowerCase()
      .replace(/[,.!]+$/u, "")
      .replaceAll(/^["“]|["”]$/gu, "");
    const bare = written.replace(/[,.!]+$/u, "").replaceAll(/^["“]|["”]$/gu, "");
    if (word === "" || /^(?:please|pls|plz|kindly)$/u.test(word)) continue;
    // The end of a sentence within a head is not part of a name.
    if (
      /[.?!:;]$/u.test(written) &&
      index < words.length - 1 &&
      !PATH.test(bare) &&
      !/^\p{L}{1,3}\.$/u.test(written)
    )
      return undefined;
    // "A file hem.md for my bride": a purpose, if the name is given.
    if (path !== undefined && word === "for" && words.length - index <= MAX_PURPOSE) break;
    if (PATH.test(bare)) {
      if (path !== undefined) return undefined;
      path = bare;
    } else if (/^(?:numbered|ordered)$/u.test(word)) isNumbered = true;
    // "A list for the cash and carry": two words of a name.
    else if (word === "and" && wordsAfter.length > 0 && !isOrderWord(words[index + 1])) wordsAfter.push(word);
    else if (OTHER.test(word)) return undefined;
    else if (MAKES.has(word) && kindWord === undefined) {
      // "The shop set list": "set" after another word is not a verb.
      if (wordsBefore.length > 0) return undefined;
      isOrdered = true;
    } else if (kindWord === undefined && textKindOf(word) !== undefined) {
      const kind = textKindOf(word) ?? "list";
      // "A shopping list", "a packing checklist": the collection is the name of what follows.
      const next = textKindOf(words[index + 1]?.toLowerCase() ?? "");
      if (COLLECTIONS.has(word) && next !== undefined) wordsBefore.push(bare);
      else kindWord = { kind, noun: word };
    } else if (kindWord !== undefined && RECORDS.has(kindWord.noun) && textKindOf(word) !== undefined) {
      wordsBefore.push(kindWord.noun);
      kindWord = { kind: textKindOf(word) ?? "list", noun: word };
    } else if (kindWord !== undefined && NAMING.has(word)) {
      // "A guest list called guests.md": no part of the name.
      const isName = /^(?:called|named|titled)$/u.test(word);
      if (!isName && (wordsAfter.length > 0 || wordsBefore.length > 0)) wordsAfter.push(bare);
    } else if (IDLE.has(word) && (kindWord === undefined || wordsAfter.length === 0)) continue;
    else (kindWord === undefined ? wordsBefore : wordsAfter).push(bare);
  }
  if (kindWord === undefined && path === undefined) return undefined;
  const { kind = /\.(?:csv|tsv)$/iu.test(path ?? "") ? "table" : "prose", noun = "" } = kindWord ?? {};
  const name = nameWordsOf({ before: wordsBefore, after: wordsAfter, noun });
  if (name.length > MAX_NAME_WORDS || (path !== undefined && name.length > 2)) return undefined;
  return { kind, noun, name, isNumbered, isOrdered, ...(path !== undefined && { path }) };
}

/** True for no word, and for one that begins another order. */
const isOrderWord = (written: string | undefined): boolean =>
  written === undefined || OTHER.test(written.toLowerCase()) || MAKES.has(written.toLowerCase());

const textKindOf = (word: string): TextKind | undefined =>
  LISTS.has(word) || COLLECTIONS.has(word) || RECORDS.has(word)
    ? "list"
    : PROSE.has(word)
      ? "prose"
      : TABLES.has(word)
        ? "table"
        : undefined;

/** "van list", "list for town", "wifi password note": the words of a name, with the noun where a reader would put it. */
function nameWordsOf({
  before,
  after,
  noun,
}: {
  before: readonly string[];
  after: readonly string[];
  noun: string;
}): readonly string[] {
  const plain = after.filter((word) => !/^(?:the|a|an|my|our)$/iu.test(word));
  if (TABLES.has(noun)) return [...before, ...plain];
  const isCollection = COLLECTIONS.has(noun);
  return isCollection ? [...before, noun, ...plain] : [...before, ...plain, noun];
}

const ITEMS_BEHIND_NOUN_WORDS = oneOf(
  "for|of|called|named|titled|about|on|to|with|in|as|containing|including|saying|that|which|what|it|we",
  "i|needs?|should|has|please",
);
/** "Make the market list cilantro, limes and pork": no mark stands between the list and its items. */
const ITEMS_BEHIND_NOUN = new RegExp(
  String.raw`^(?<head>[^:,.?!\n]{0,60}?\b(?:list|checklist))\s+(?!${ITEMS_BEHIND_NOUN_WORDS}\b|[-–—])(?<content>(?![^:\n]*\b(?:with|containing|saying)\b)[^:.?!\n]+?(?:,|\band\b)\s*[^:\n]+)$`,
  "iu",
);
const FETCH = "(?:get|buy|bring|pack)";
/** "What we need for camp" */
const NEEDED = new RegExp(
  String.raw`\bwhat\s+(?:we|i)\s+(?:still\s+|will\s+)?(?:need|want|(?:have|want|need)\s+to\s+${FETCH}|must\s+${FETCH}|should\s+${FETCH})(?:\s+to\s+${FETCH})?`,
  "iu",
);
/** The call that writes the text of a request into a new file; undefined for any other request. */
export function readNewText(state: PlanState): Resolution | undefined {
  const { request } = state;
  if (request.length > MAX_REQUEST_WITH_TEXT || !hasSkill(state, "fs_write")) return undefined;
  const order = stripFiller(request).text.replace(WISHES, "want ");
  const whole = order.replace(NEEDED, "list");
  const withoutReason = whole.replace(REASON_FIRST, "");
  return (
    readHeadAndContent(whole, state) ??
    (withoutReason === whole ? undefined : readHeadAndContent(withoutReason, state))
  );
}

/** "I'd like to have a list" */
const WISHES =
  /^(?:(?:i|we)(?:\s+would|['’]?d)\s+(?:like|love)(?:\s+to\s+(?:have|make|start))?|have)\s+(?=an?\s)/iu;
/** "We're off to my mother's, I need a packing list: …": the reason for a list precedes the order. */
const REASON_FIRST = new RegExp(
  [
    String.raw`^(?:[^\s:?]+\s+){2}[^:?\n]{0,150}?(?:[,.;!]|\s(?:so|and))\s+`,
    String.raw`(?=(?:(?:so|and|please|now)\s+)*(?:(?:can|could|would)\s+you\s+)?`,
    String.raw`(?:(?:i|we)\s+(?:need|want)|let['’]?s\s+(?:make|start)|make|create|start|write)\s+(?:me\s+|us\s+)?`,
    String.raw`(?:an?|my|our)\s+(?:[\p{L}-]+\s+){0,3}(?:list|checklist)\b)`,
  ].join(""),
  "iu",
);

function readHeadAndContent(text: string, state: PlanState): Resolution | undefined {
  const behindNoun = ITEMS_BEHIND_NOUN.exec(text)?.groups;
  if (behindNoun?.["head"] !== undefined && behindNoun["content"] !== undefined) {
    const head = readHead(behindNoun["head"]);
    if (head?.kind === "list" && (head.isOrdered || COLLECTIONS.has(head.name[0] ?? "")))
      return createTextRequest(head, { content: behindNoun["content"], isDictated: false, state });
  }
  for (const separator of SEPARATORS) {
    const at = separator.exec(text);
    if (at === null || at.index === 0) continue;
    const head = readHead(stripContentsPhrase(text.slice(0, at.index)));
    const content = text.slice(at.index + at[0].length).trim();
    if (head === undefined || content === "") continue;
    // "Page 4: 'make a task of each risk'. Sounds dull": what somebody else wrote, and a remark.
    if (IN_QUOTATION.test(content) && STARTS_WITH_ORDER.test(content.slice(1))) return undefined;
    const isDictated = /[:\n]/u.test(at[0]);
    return createTextRequest(head, { content, isDictated, state });
  }
  return undefined;
}

/** A quotation before other words. */
const IN_QUOTATION = /^(?:"[^"]+"|“[^“”]+”|'[^']+'|‘[^‘’]+’|«[^«»]+»)[.,;!]?\s+\S/u;

/** "With these three things in it", "with": what says that the text follows. */
const CONTENTS = new RegExp(
  [
    String.raw`\s+(?:with|containing|and\s+(?:put|write))(?:\s+(?:in\s+it|inside))?(?:\s+(?:all\s+)?(?:these|this|the\s+following|the))?`,
    String.raw`(?:\s+\p{L}+)?(?:\s+(?<items>things|items|lines|entries|points|names)|\s+(?:text|words|content))?(?:\s+(?:in|inside|on)\s+it)?$`,
  ].join(""),
  "iu",
);
/** "Save it in offer.txt": the text follows, too. */
const REFERS_AHEAD =
  /^(?<verb>(?:please\s+)?(?:save|write|put|store|keep))\s+(?:it|this|that)\s+(?=(?:in|into|to|as|under)\s(?:[^:]*\s)?\S+\.\p{L}+$)/iu;

/** The head of a new text without the words that only say that its text follows. */
function stripContentsPhrase(head: string): string {
  const plain = head.replace(REFERS_AHEAD, "$<verb> ");
  const phrase = CONTENTS.exec(plain);
  if (phrase === null) return plain;
  return `${plain.slice(0, phrase.index)}${phrase.groups?.["items"] === undefined ? "" : " list"}`;
}

interface Content {
  content: string;
  /** It follows a colon or a new line: then it is the text, word by word. */
  isDictated: boolean;
  state: PlanState;
}

function createTextRequest(head: TextHead, { content, isDictated, state }: Content): Resolution | undefined {
  const { request } = state;
  const place = PLACE.exec(content)?.groups;
  const rest = place?.["content"] ?? content;
  if (DESCRIBED.test(rest) || ORDERS.test(rest)) return undefined;
  // "250 guests, 3 pieces each, how many pieces" is a question although it begins with figures.
  if (!head.isOrdered && !isDictated && ASKS.test(rest)) return undefined;
  const path = place?.["path"] ?? head.path ?? createPath(head);
  if (path === undefined) return undefined;
  const items = splitListItems(rest);
  switch (head.kind) {
    case "table":
      return items.length >= MIN_ITEMS &&
        !/\n/u.test(rest) &&
        items.every((item) => item.split(/\s+/u).length <= 3)
        ? {
            kind: "request",
            request: `create a table ${path.includes(".") ? path : `${path}.csv`} with ${items.join(", ")}`,
          }
        : undefined;
    case "list": {
      // Without a purpose a to-do list is tasks; "my list: milk" may mean a list that exists.
      if (head.noun === "todo-list" && head.name.length === 1 && head.path === undefined) return undefined;
      const isNew = head.isOrdered || head.name.length > 1 || COLLECTIONS.has(head.noun);
      if (!isNew || (items.length < MIN_ITEMS && !isDictated)) return undefined;
      const lines = items.map((item, index) => (head.isNumbered ? `${String(index + 1)}. ${item}` : item));
      return {
        kind: "calls",
        calls: [callOf("fs_write", fromRequest({ path, content: lines.join("\n") }), request)],
      };
    }
    case "prose": {
      // "A letter with an apology" would have to be composed.
      if (!isDictated || (head.noun === "" && !head.isOrdered)) return undefined;
      const args = { path, content: place === undefined ? restoreEnding(rest, request) : rest };
      return { kind: "calls", calls: [callOf("fs_write", fromRequest(args), request)] };
    }
    default:
      return head.kind satisfies never;
  }
}

/** The items of a list: separated by commas or on lines, or by each "and" if nothing else separates them. */
function splitListItems(content: string): string[] {
  const pattern = /[,;\n]/u.test(content)
    ? /\s*[,;\n]\s*(?:and\s+)?|\s+and\s+(?=[^,;\n]*$)/iu
    : /\s+and\s+(?:also\s+)?/iu;
  return content
    .split(pattern)
    .map((item) => item.trim().replace(/^(?:[-*•]|\d{1,2}[.)])\s+/u, ""))
    .filter((item) => item !== "");
}

/** The text up to the end of the request: the "again." of "it has failed again." is stripped as filler from other messages. */
function restoreEnding(text: string, request: string): string {
  const at = request.lastIndexOf(text);
  return at < 0 ? text : request.slice(at).trim();
}

/** "plumber-note.txt" for a note for the plumber; undefined for a name that is a sentence. */
function createPath({ kind, name }: TextHead): string | undefined {
  const slug = plainWords(name.join(" ").replace("todo-list", "to-do-list")).join("-");
  if (slug === "" || slug.length > MAX_NAME) return undefined;
  return kind === "table" ? `${slug}.csv` : `${slug}.txt`;
}
