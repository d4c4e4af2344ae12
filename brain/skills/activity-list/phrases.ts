import type { ActionKind } from "./activity.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const sofar = "[so far|already|until now]";
const when = `${sofar} [{period}]`;
const show = "(show|list|tell|give) [me] [all] [of]";
const anyone = "(you|we|I)";
const helper = "(did|have|had)";

/** The verbs of each action, in the forms that follow “did” and “have”. */
export const VERBS: Readonly<Record<ActionKind, string>> = {
  create:
    "add|added|create|created|make|made|write|wrote|written|put|set|set up|schedule|scheduled|save|saved|store|stored|note|noted",
  change:
    "change|changed|edit|edited|modify|modified|update|updated|touch|touched|rename|renamed|move|moved|correct|corrected|fix|fixed",
  delete:
    "delete|deleted|remove|removed|forget|forgot|forgotten|cancel|cancelled|canceled|throw away|threw away|thrown away",
  finish:
    "finish|finished|complete|completed|close|closed|tick off|ticked off|check off|checked off|get done|got done",
};
/** What a person says of their own performed; “did I note …?” asks for the note. */
const OWN_VERBS: Readonly<Record<ActionKind, string>> = {
  ...VERBS,
  create: "add|added|create|created|make|made|set up|schedule|scheduled",
};
const ACTIONS: readonly ActionKind[] = ["create", "change", "delete", "finish"];

const ofAction = (action: ActionKind): readonly Phrase[] => {
  const own = `(${OWN_VERBS[action]})`;
  const rest = { args: { did: action }, isWhole: true };
  const whether = "[already|ever|really|actually|just]";
  const end = "[yet|already] [{period}]";
  const asks = (subject: string, verbs: string): Phrase[] => [
    {
      template: `(did|have|had) ${subject} ${whether} ${verbs} {query} ${end}`,
      ...rest,
      view: { name: "whether" },
    },
    { template: `when ${helper} ${subject} [last] ${verbs} {query}`, ...rest, view: { name: "when" } },
  ];
  return [
    ...asks("(you|we)", `(${VERBS[action]})`),
    // "Did I finish the report?" asks for the status of the task.
    ...(action === "finish" ? [] : asks("I", own)),
  ];
};

const ofFiles = (action: ActionKind): readonly Phrase[] => {
  const args = { about: "files", did: action };
  const verbs =
    action === "create" ? "add|added|create|created|make|made|write|wrote|written|save|saved" : VERBS[action];
  return [
    { template: `(which|what|how many) [of] [my] files ${helper} ${anyone} [just] (${verbs}) ${when}`, args },
    { template: `${show} [my] files [that|which] ${anyone} [have] [just] (${verbs}) ${when}`, args },
    {
      template: `(which|what|how many) [of] [my] files [have|has|were|was|got|have been] (${verbs}) ${sofar} {period}`,
      args,
    },
    {
      template: `[${show}] [my] files [that|which] [have|were|got|have been] (${verbs}) ${sofar} {period}`
        .replace("[(", "(")
        .replace("[of]]", "[of]"),
      args,
    },
  ];
};

const ofTasks = (action: "create" | "finish"): readonly Phrase[] => {
  const args = { about: "tasks", did: action };
  const verbs =
    action === "create" ? "add|added|create|created|make|made" : `${VERBS.finish}|do|done|manage|managed`;
  return [
    {
      template: `(which|what|how many) [of] [my] tasks ${helper} ${anyone} (${verbs}) ${sofar} {period}`,
      args,
    },
    {
      template: `(which|what|how many) [of] [my] tasks [have|were|got|have been] (${verbs}) ${sofar} {period}`,
      args,
    },
    { template: `${show} [my] tasks [that|which] ${anyone} [have] (${verbs}) ${sofar} {period}`, args },
    {
      template: `${show} [my] tasks [that|which] [have|were|got|have been] (${verbs}) ${sofar} {period}`,
      args,
    },
  ];
};

export const phrases: readonly (string | Phrase)[] = [
  {
    template: `what ${helper} you =just (do|done|change|changed) [there|here|now]|what ${helper} you (do|done|change|changed) (=just now|a moment ago|there)|what was (that|it) you =just did`,
    view: { name: "justDone" },
  },
  "what did you do {period}",
  `what ${helper} (you|we) [all] (do|done|got done|get done|accomplish|accomplished|achieve|achieved|work on|worked on|been working on|been doing|been up to|manage|managed) [for me] ${when}`,
  `what (were|was|are) (you|we) (doing|up to|working on) {period}`,
  `what (happened|has happened|was done|has been done|got done|was going on|went on|did happen) [here] ${sofar} {period}`,
  `${show} (what|everything|all|whatever) [that] (you|we) [have] (did|done|worked on) [for me] ${when}`,
  `(show|list|give|tell) [me] [a|an] [my|your|our] (activity|activities|history|recap|rundown|overview|summary) (of|for|from) {period}`,
  `(show|list) [me] (my|your|our|the) [recent] (=activity|=activities) [{period}]`,
  "recap {period}",
  {
    template: `what ${helper} (you|we|I) [just|already] (do|done|change|changed) (with|to|in|about) {query} ${when}|what (happened|has happened|was done|has been done|was changed|did happen|changed|has changed) (with|to|in) {query} ${when}|(show|list|give|tell|what is|what are) [me] the (history|changes|=versions|edits) (of|to|in) {query} ${when}`,
    slots: { query: { type: "query", like: /\.[a-z]\w{0,5}$/iu, sample: "budget.csv" } },
    view: { name: "done" },
  },
  `${helper} you (do|done) (anything|something|much) [for me] ${when}`,
  `(has|did|have) (anything|something) (happen|happened) ${sofar} {period}`,
  { template: `what ${helper} (you|we) (change|changed) ${when}`, view: { name: "changes" } },
  {
    template: `(has|did|have) (anything|something) (change|changed) ${sofar} {period}`,
    view: { name: "changes" },
  },
  { template: `what [has|was|got|have you] changed ${sofar} {period}`, view: { name: "changes" } },
  {
    template: `what ${helper} I (do|done|accomplish|accomplished|achieve|achieved|work on|worked on) ${sofar} {period}`,
    args: { about: "all" },
  },
  {
    template: `what ${helper} (I|we) (${VERBS.finish}) ${sofar} {period}`,
    args: { about: "tasks", did: "finish" },
  },
  {
    template: `what ${helper} ${anyone} (add|added|put) (to|on) (my list|my tasks|my task list|my to do list|my todo list|the list) ${sofar} {period}`,
    args: { about: "tasks", did: "create" },
  },
  {
    template: `what ${helper} I [just] (ask|asked|request|requested|want|wanted|order|ordered|say|said|type|typed|tell|told) [you] [for|to do|of you|from you] ${sofar} {period}`,
    view: { name: "asked" },
  },
  {
    template: `what ${helper} I [just] (ask|asked|say|said|tell|told) [you] [for|to do] (just now|before|before that|a moment ago|last)|what did I just (ask|say|tell) [you] [for|to do]|what was my (last|previous) (question|request|message|order) [to you]`,
    view: { name: "last" },
  },
  {
    template: `${show} [my] (=requests|=questions|=orders) [that I made|I made] (of|from|for|since) {period}|${show} what I (asked|requested|wanted|ordered|said|told) [you] [for|to do] ${sofar} {period}`,
    view: { name: "asked" },
  },
  {
    template: `how (many|much|often) [requests|questions|things|times] ${helper} I (ask|asked|make|made|request|requested) [you] [for|to do] ${when}|how many (=requests|=questions) (were there|did I have|did you get) ${when}`,
    view: { name: "count" },
  },
  {
    template: `what ${helper} (we|I) [been] (talk|talked|talking|speak|spoke|spoken|chat|chatted|chatting|discuss|discussed) [about] [with you] ${when}|what (was|were) (our|my) (conversation|conversations|chat|chats) [about] ${sofar} {period}|${show} [our|my] (=conversations|=chats) (of|from|for|since) {period}|(which|what) (=conversations|=chats) (did|have) (we|I) [have|had] ${sofar} {period}`,
    view: { name: "talked" },
  },
  ...ACTIONS.flatMap(ofAction),
  ...(["create", "change", "delete"] as const).flatMap(ofFiles),
  ...(["create", "finish"] as const).flatMap(ofTasks),
  {
    template: `what ${helper} you (write|wrote|written|save|saved|edit|edited|touch|touched) ${sofar} {period}`,
    args: { about: "files", did: "change" },
  },
];

export const slots: Record<string, SlotType | Slot> = {
  period: "period",
  query: { type: "query", sample: "the dentist task" },
};
