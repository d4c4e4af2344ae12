import { NOT_OLD_IN_PHRASE } from "@metahuman/core/language/tokens/contrast";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** "port to 8080", "port = 8080": a key and its new value. */
const assignment: Slot = {
  type: "text",
  like: /^(?:the\s+)?\S+\s*(?:[=:]|\s(?:to|as)\s)\s*\S/u,
  sample: "port to 8080",
};
const named: Slot = { type: "path", ending: ".json", sample: "settings.json" };

const key = "[(number|amount|count) of] {key} [setting|key|field|value|option|flag|property]";
const inFile = "(in|of|inside|within) [the] [=json|config|settings] [file] {path}";
const change = "(set|change|update|put|switch|turn|make|raise|lower|increase|decrease|bump|adjust)";
const setTo = "(to|=|as|:|into|at)";
const assign = "{key} = {value}";

/** The file is the JSON file of the request before. */
const unnamed: Partial<Phrase> = { implies: "path", lastResort: true };

/** One value, said in words; the place of a value may come before or after it. */
const inWords = (template: string, rest: Partial<Phrase> = {}): Phrase => ({
  template,
  compose: { set: assign },
  ...rest,
  slots: { path: named, ...rest.slots },
});

export const phrases: readonly (string | Phrase)[] = [
  { template: "(set|change|update) {set} in [file] {path}", slots: { set: assignment, path: named } },
  "(set|change|update) {set} in [the] =json [file] {path}",
  "in [the] =json [file] {path} (set|change|update) {set}",
  { template: "in [file] {path} (set|change|update) {set}", slots: { set: assignment, path: named } },
  {
    template: "(set|change|update) {set} in a new [=json] file [called] {path}",
    slots: { set: assignment, path: named },
    args: { create: true },
  },
  "update [the] =json [file] {path} : {set}",
  inWords(`${change} [the] [value of] [the] ${key} ${inFile} [back] [from {old}] ${setTo} {value}`),
  inWords(`${change} [the] [value of] [the] ${key} [back] [from {old}] ${setTo} {value} ${inFile}`),
  inWords(
    `in [the] [=json|config|settings] [file] {path} ${change} [the] [value of] [the] ${key} [back] [from {old}] ${setTo} {value}`,
  ),
  inWords(
    `(in|for) [the] [=json] [file] {path} [the] ${key} (should be|must be|shall be|needs to be|has to be|should become|becomes|should read) [set to] {value} [${NOT_OLD_IN_PHRASE} {old}]`,
  ),
  inWords(
    `[file] {path} : [the] ${key} (should be|must be|shall be|needs to be|has to be|should become|should read) [set to] {value} [${NOT_OLD_IN_PHRASE} {old}]`,
    { mayStartWithSlot: true },
  ),
  inWords(
    `=the ${key} ${inFile} (should be|must be|shall be|needs to be|has to be|should become|should read) [set to] {value} [${NOT_OLD_IN_PHRASE} {old}]`,
  ),
  inWords(
    `{key} ${inFile} (should be|must be|shall be|needs to be|has to be|should become|should read) [set to] {value} [${NOT_OLD_IN_PHRASE} {old}]`,
    { mayStartWithSlot: true },
  ),
  inWords(`(make|let) [file] {path} (have|use|say) [the] [a] ${key} [of|=|:|set to|to] {value}`),
  inWords(`(make|let) the ${key} ${inFile} (be) {value}`),
  inWords(`make the ${key} ${inFile} {value}`),
  inWords(`(=make the|=set|=set the) {key} {value} ${inFile}`, {
    slots: { value: { type: "text", like: /^(?:-?\d[\d.,]*|true|false|on|off)$/iu, sample: "8080" } },
  }),
  inWords(
    `${change} in [the] [=json|config|settings] [file] {path} [the] ${key} [back] [from {old}] ${setTo} {value}`,
  ),
  inWords(`{key} ${inFile} [please] change [from {old}] ${setTo} {value}`, { mayStartWithSlot: true }),
  inWords(`(turn|bring|set|put) the {key} (up|down) to {value} ${inFile}`),
  inWords(
    `(add|put|insert|write) [the] [a] [new] (key|field|setting|value|entry|property|option) {key} (with|with value|with the value|=|:|set to|of) [value] {value} (to|in|into) [file] {path}`,
  ),
  inWords(`(add|put|insert) {key} (=|:) {value} (to|in|into) [file] {path}`),
  inWords(
    `give [file] {path} [the|a] [new] (key|field|setting|value|entry|property|option) {key} (with|with value|with the value|=|:|set to|of) [value] {value}`,
  ),
  {
    template: `(add|append|push|put) [the] [value|entry|item] {value} (to|in|into|onto) [the] {key} [list|array] (in|of) [file] {path}`,
    compose: { set: "{key}.- = {value}" },
    slots: { path: named },
  },
  {
    template: `(remove|delete|drop|take|cut) [out|off] [the] [value|entry|item] {value} (from|out of|off|off of) [the] {key} [list|array] (in|of) [file] {path}`,
    compose: { set: "{key} -= {value}" },
    slots: { path: named },
  },
  {
    template: `(remove|delete|drop|take out|get rid of) [the] (key|field|setting|entry|property|option) {key} (from|in|of|out of) [the] [=json] [file] {path}|(remove|delete|drop) [the] {key} [key|field|setting|property|option] (from|out of) [the] [=json] [file] {path}`,
    compose: { set: "remove {key}" },
    slots: { path: named },
  },
  inWords(
    `${change} [the] [value of] [the] {key} (under|inside|within|below) [the] {parent} ${inFile} ${setTo} {value}`,
    {
      compose: { set: "{parent}.{key} = {value}" },
    },
  ),
  inWords(
    `in [the] [=json|config|settings] [file] {path} ${change} [the] [value of] [the] {key} (under|inside|within|below) [the] {parent} ${setTo} {value}`,
    { compose: { set: "{parent}.{key} = {value}" } },
  ),
  ...(["+=", "-="] as const).flatMap((sign): Phrase[] => {
    const add =
      sign === "+=" ? "(increase|raise|bump|increment|up)" : "(decrease|lower|reduce|decrement|cut|drop)";
    const upOrDown = sign === "+=" ? "up" : "down";
    const moved = `(bump|push|turn|move|bring|put|take|set)`;
    const compose = { set: `{key} ${sign} {amount}` };
    const slots: Record<string, Slot> = { path: named };
    return [
      { template: `${add} [the] [value of] [the] ${key} ${inFile} by {amount}`, compose, slots },
      {
        template: `${moved} [the] ${key} ${inFile} ${upOrDown} by {amount}|${moved} [the] ${key} ${upOrDown} by {amount} ${inFile}|${moved} ${upOrDown} [the] ${key} by {amount} ${inFile}`,
        compose,
        slots,
      },
      { template: `${add} [the] [value of] [the] ${key} by {amount} ${inFile}`, compose, slots },
      { template: `${add} [the] [value of] [the] ${key} by {amount}`, compose, slots, ...unnamed },
      {
        template: `${add} [the] [value of] [the] ${key} by {amount}`,
        compose,
        asks: { path: "In which JSON file?" },
        lastResort: true,
      },
    ];
  }),
  {
    template: `(set|change|update|put) [the] [value of] [the] ${key} [back] ${setTo} {value}`,
    compose: { set: assign },
    slots: { path: named },
    ...unnamed,
  },
  ...(["on", "off"] as const).flatMap((state): Phrase[] => {
    const enable =
      state === "on" ? "(enable|activate|switch on|turn on)" : "(disable|deactivate|switch off|turn off)";
    const toggled = `{key} = ${state === "on" ? "true" : "false"}`;
    const as = `[[set] {said} to {again}]`;
    // What is said again in brackets changes nothing.
    const slots: Record<string, SlotType | Slot> = { path: named, said: "description", again: "description" };
    return [
      { template: `${enable} [the] ${key} ${inFile} ${as}`, compose: { set: toggled }, slots },
      { template: `(switch|turn) [the] ${key} ${state} ${inFile} ${as}`, compose: { set: toggled }, slots },
      {
        template: `${enable} [the] {key} (under|inside|within|below) [the] {parent} ${inFile}|(switch|turn) [the] {key} ${state} (under|inside|within|below) [the] {parent} ${inFile}`,
        compose: { set: `{parent}.${toggled}` },
        slots,
      },
      {
        template: `in [file] {path} (${enable} [the] ${key}|(switch|turn) [the] ${key} ${state})`,
        compose: { set: toggled },
        slots,
      },
    ];
  }),
  {
    template: `(set|change|update) [the] [value of] [the] ${key} ${inFile}|give [file] {path} (another|a different|a new|a better|some other) ${key}`,
    compose: { set: assign },
    slots: { path: named },
    asks: { value: "What should {key} be set to?" },
  },
];

export const slots: Record<string, SlotType | Slot> = {
  key: { type: "name", like: /^[\p{L}_$][\p{L}\p{N}_$. -]*$/u, sample: "port" },
  value: { type: "text", like: /^(?!.*\.json\b).{1,200}$/su, sample: "8080" },
  amount: { type: "name", like: /^\d+(?:\.\d+)?$/u, sample: "2" },
  parent: { type: "name", like: /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u, sample: "server" },
  old: "description",
  path: { type: "path", sample: "settings.json" },
  set: { type: "text", sample: "port to 8080" },
};

export const results: Results = { path: "path" };
