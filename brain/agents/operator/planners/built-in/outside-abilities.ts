import { oneOf } from "@metahuman/core/text/patterns";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { withoutAsides } from "./filler-words.ts";

/** A longer request is a text, which may only mention what no skill does. */
const MAX_LENGTH = 500;

/** A person, as the object of a verb: "my boss", "anna", "anna@example.com". */
const SOMEBODY = String.raw`(?:(?:my|our|the|his|her|their)\s+\p{L}+(?:\s\p{L}+)?|him|her|them|everyone|everybody|\p{L}+(?:\s\p{Lu}\p{L}+)?|\S+@\S+)`;
const CHANNEL = String.raw`e-?mail|mail|text|sms|whatsapp|signal|telegram|messenger|facebook|instagram|twitter|phone|fax`;
/** The forms of an order to send a message. */
const SENDS_MESSAGE: readonly string[] = [
  // "text Anna"
  String.raw`^(?:e-?mail|mail|text|message|whatsapp|sms|dm|tweet|fax)\s+(?!(?:file|files|folder|list|address|addresses|column|from|in|of|is)\b)(?:${SOMEBODY})(?=\s|$)`,
  // "send Anna a message"
  String.raw`^(?:send|forward|write|post|drop)\s+(?:(?:${SOMEBODY})\s+)?(?:an?|the|this|that|my)?\s*(?:e-?mail|mail|text message|sms|whatsapp|tweet|message|fax)\b(?!.*\.(?:md|txt)\b)`,
  // "forward notes.md to Anna"
  String.raw`^(?:send|forward|e-?mail|mail|post|fax|share)\s+.+\s+(?:to|with)\s+(?:${SOMEBODY})[\s.!?]*$`,
  // "send it by e-mail"
  String.raw`^(?:send|forward|write|post|share|drop|give)\s+.+\s(?:by|via|per|on|over|through|in)\s+(?:an?\s+)?(?:${CHANNEL})[\s.!?]*$`,
  // "let Anna know"
  String.raw`^let\s+(?!me\b|us\b)(?:${SOMEBODY})\s+know\b`,
  // "tell Anna that I am late"
  String.raw`^tell\s+(?!me\b|us\b)(?:${SOMEBODY})\s+(?:that\s+)?(?:i|we|to|he|she|it)(?:['’]\p{L}+)?\s`,
];
const DEVICES = oneOf(
  "music|songs?|radio|tv|television|video|film|movie|podcast|playlist|volume|sound|lights?|lamps?|heating",
  String.raw`alarm clock|spotify|netflix|\p{L}+ lights?`,
);
const USES_DEVICE: readonly string[] = [
  String.raw`^(?:play|skip|pause|turn (?:on|off|up|down)|switch (?:on|off)|dim|mute|unmute)\s+(?:some |the |a |my )?${DEVICES}\b`,
  String.raw`^(?:take|make) (?:a |me a )?(?:photo|picture|selfie|screenshot)\b`,
];
const ASKS_OR_LOOKS_UP = oneOf(
  "what|how|where|who|is|are|will|any|look up|check|get|tell|show|give|search|find|google",
);
const WEATHER_AND_PRICES = oneOf(
  "weather|forecast|temperature outside|traffic|latest news|news today|headlines",
  "stock price|share price|exchange rate|football score|match result",
);
const PRICE_WORDS = oneOf(
  String.raw`prices?|rates?|costs?|worth|one \p{L}+ in|(?:euros?|dollars?|pounds?|yen|francs?|crowns?) in`,
);
const BOOKABLE = oneOf("table|flights?|hotel|room|rooms|taxi|cab|tickets?|train|seats?|appointment");
const BOOKS_OR_ORDERS: readonly string[] = [
  String.raw`^(?:order|buy|get|book|reserve)\s+(?:me|us)\s+(?!an?\s+(?:list|file|table|note)\b)\S`,
  String.raw`^(?:book|reserve)\s+(?:an?|the|my|our|some|\d+|two|three|four)\s+${BOOKABLE}\b`,
];
/** What no skill does, so that a model could not do it either. */
const OUTSIDE: readonly (readonly [asked: RegExp, sentence: string])[] = [
  [new RegExp(SENDS_MESSAGE.join("|"), "iu"), "mail and messages cannot be sent from here."],
  [
    new RegExp(
      String.raw`^(?:call|phone|ring|dial|facetime|skype)(?:\s+up)?\s+(?!(?:it|this|that|the file|the folder|the list)\b)(?:${SOMEBODY})(?:\s+(?:up|back|now|please|for me))*[\s.!?]*$`,
      "iu",
    ),
    "nobody can be called from here.",
  ],
  [
    new RegExp(USES_DEVICE.join("|"), "iu"),
    "music, lights and other devices cannot be controlled from here.",
  ],
  [
    new RegExp(String.raw`^${ASKS_OR_LOOKS_UP}\b.*\b${WEATHER_AND_PRICES}\b(?!.*\.\p{L})`, "iu"),
    "the weather, the news and prices of today cannot be looked up from here.",
  ],
  [
    /^(?:is|will|does|when|what['’]?s|what is)\b.*\b(?:rain|raining|snow|snowing|be (?:sunny|cloudy|windy|freezing)|on (?:tv|telly|television|at the (?:cinema|movies)))\b(?!.*\.\p{L})/iu,
    "the weather, the news and prices of today cannot be looked up from here.",
  ],
  [new RegExp(BOOKS_OR_ORDERS.join("|"), "iu"), "nothing can be ordered or booked from here."],
  [
    new RegExp(
      String.raw`^(?:what|how|where|who|is|are|will|look up|check|get|tell|show|give|google)\b.*\b${PRICE_WORDS}\b.*\b(?:today|now|right now|at the moment|this (?:week|month))\W*$`,
      "iu",
    ),
    "the weather, the news and prices of today cannot be looked up from here.",
  ],
  [
    /^print(?:\s+(?:it|this|that|them|(?:the|my)\s+\p{L}+|out))*(?:\s+on (?:paper|the printer))?[\s.!]*$/iu,
    "nothing can be printed from here.",
  ],
];

/** Says that the request asks for something that no skill does, and offers what would come nearest; undefined for any other request. */
export function outsideAbilities(
  request: string,
  skills: readonly Skill[],
  clock: Pick<PlanState, "requestedAt" | "timeZone">,
): { text: string; suggestions: string[] } | undefined {
  if (request.length > MAX_LENGTH) return undefined;
  const words = withoutPoliteness(request);
  const [, sentence] = OUTSIDE.find(([asked]) => asked.test(words)) ?? [];
  if (sentence === undefined) return undefined;
  const isQuestion = /^(?:what|how|when|where|who|is|are|will|does|do)(?:['’]?s)?\b|\?\W*$/iu.test(words);
  const task = `add a task to ${words}`;
  const reading = isQuestion ? undefined : interpretAlone({ request: task, skills, ...clock });
  const isTask = reading?.kind === "plan" && reading.calls.length === 1;
  return {
    text: `Nothing was done: ${sentence}${isTask ? " Should it become a task?" : ""}`,
    suggestions: isTask ? [task] : [],
  };
}

const withoutPoliteness = (request: string): string =>
  withoutAsides(request)
    .trim()
    .replace(
      /^(?:(?:please|pls|hey|hi|ok|okay|now|and|then|so|well|(?:can|could|would|will) (?:you|u|ya)(?: (?:please|kindly|maybe))?)[\s,]+)+/iu,
      "",
    )
    .replace(/[\s,]+(?:please|pls|for me|thanks|thank you)[\s.!?]*$/iu, "")
    .replace(/[\s.!?]+$/u, "");
