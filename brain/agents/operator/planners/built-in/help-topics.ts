/** Examples for a subject that a question for help names, in an order in which each works after those before it. */
const TOPICS: readonly (readonly [names: RegExp, title: string, examples: readonly string[]])[] = [
  [
    /^(?:(?:shopping|packing|guest|check)?\s?lists?|checklists?)$/iu,
    "Lists",
    [
      "make a shopping list with milk and eggs",
      "add bread to the shopping list",
      "what is on the shopping list?",
      "remove the eggs from the shopping list",
      "sort the shopping list",
    ],
  ],
  [
    /^(?:tables?|spreadsheets?|sheets?|csvs?|csv files?|columns?|rows?)$/iu,
    "Tables",
    [
      "create a table fees.csv with name, amount and paid",
      "add Ann, 30, no to fees.csv",
      "mark Ann as paid in fees.csv",
      "what is the sum of amount in fees.csv?",
      "sort fees.csv by amount, highest first",
    ],
  ],
  [
    /^(?:notes?|letters?|texts?|documents?|minutes)$/iu,
    "Notes and letters",
    [
      'write "Pekka sends the contract" to meeting.md',
      'add "Anna checks the prices" to meeting.md',
      "read meeting.md",
      'replace "Anna" with "Ola" in meeting.md',
      "summarize meeting.md",
    ],
  ],
  [
    /^(?:(?:my\s)?files?|folders?|uploads?)$/iu,
    "Files",
    [
      'write "rope, paint" to boat.md',
      "list my files",
      "rename boat.md to harbour.md",
      "search my files for rope",
      "delete harbour.md",
      "undo that",
    ],
  ],
  [
    /^(?:(?:my\s)?(?:tasks?|to-?dos?|to do lists?|todo lists?|deadlines?|jobs|chores))$/iu,
    "Tasks",
    [
      "add a task to call the plumber by Friday",
      "what is due this week?",
      "move call the plumber to next Monday",
      "mark call the plumber as done",
      "show my tasks",
    ],
  ],
  [
    /^(?:reminders?|alarms?|timers?|alerts?|notifications?)$/iu,
    "Reminders",
    [
      "remind me tomorrow at 9 to call Ann",
      "remind me every Monday to water the plants",
      "set a timer for 20 minutes",
      "what is scheduled?",
      "stop reminding me about the plants",
    ],
  ],
  [
    /^(?:schedules?|automations?|routines?|recurring (?:tasks|things|requests|orders))$/iu,
    "Schedules",
    ["list my open tasks every weekday at 8", "what is scheduled?", "stop listing my open tasks"],
  ],
  [
    /^(?:(?:my\s)?memor(?:y|ies)|facts?|things to remember|what you know|remembering)$/iu,
    "Memory",
    [
      "remember that my shoe size is 39",
      "what is my shoe size?",
      "what do you know about me?",
      "forget my shoe size",
    ],
  ],
  [
    /^(?:calculations?|calculator|maths?|arithmetic|numbers|sums?|units?|conversions?|percent(?:ages?)?|dates?)$/iu,
    "Calculations",
    [
      "calculate 12 % of 340",
      "12 miles in km",
      "how many days until 24 December?",
      "what time is it in New York?",
    ],
  ],
  [
    /^(?:functions?|learning|learned functions?)$/iu,
    "Functions",
    ["which functions do you know?", "what did you do today?"],
  ],
];

/** What precedes the subject in a question for help; the rest of the request is the subject. */
const ASKS = [
  /^(?:help|examples?|commands?|tips|tutorial)(?:\s+me)?(?:\s+(?:with|on|about|for|of))?\s+(?:using\s+|making\s+|my\s+|the\s+)?(?<topic>[\p{L}\s-]{3,30})$/iu,
  /^(?:(?:please|pls)\s+)?(?:give|show|tell)\s+me\s+(?:some\s+|an\s+|a few\s+)?(?:help|examples?)\s+(?:with|on|about|for|of)\s+(?<topic>[\p{L}\s-]{3,30})$/iu,
  /^(?:i\s+need\s+|can\s+(?:you|i\s+get)\s+|could\s+you\s+)help(?:\s+me)?\s+with\s+(?:my\s+|the\s+)?(?<topic>[\p{L}\s-]{3,30})$/iu,
  /^what\s+(?:can|could|may)\s+(?:you|i|we)\s+(?:do|ask|say|type|write|tell)(?:\s+you)?\s+(?:with|about|for|to|on)\s+(?:my\s+|the\s+)?(?<topic>[\p{L}\s-]{3,30})$/iu,
  /^how\s+(?:do|does|can|could|would|should)\s+(?:i|we|you|one)\s+(?:make|create|add|set|set up|use|start|write|work with|manage|handle|change|edit|get|do)\s+(?:an?\s+|the\s+|my\s+|some\s+|new\s+)*(?<topic>[\p{L}\s-]{3,30})$/iu,
  /^how\s+(?:do|does)\s+(?:the\s+|my\s+|your\s+)?(?<topic>[\p{L}\s-]{3,30}?)\s+work(?:\s+here)?$/iu,
  /^(?:do|can)\s+you\s+(?:do|know|support|handle|understand|work with)\s+(?<topic>[\p{L}\s-]{3,30})$/iu,
];

/** The maximum length of a question for help on a subject. */
const MAX_LENGTH = 80;

/** Help on the subject that a question names: "how do I make a reminder?"; undefined for any other request. */
export function helpOnTopic(request: string): { text: string; suggestions: string[] } | undefined {
  if (request.length > MAX_LENGTH) return undefined;
  const asked = request
    .trim()
    .replace(/[\s?.!]+$/u, "")
    .replaceAll(/\s+/gu, " ");
  for (const pattern of ASKS) {
    const topic = pattern.exec(asked)?.groups?.["topic"]?.trim();
    const found = topic === undefined ? undefined : TOPICS.find(([names]) => names.test(topic));
    if (found === undefined) continue;
    const [, title, examples] = found;
    const lines = examples.map((example) => `- “${example}”`);
    return {
      text: [`**${title}.** Say, for example:`, ...lines].join("\n"),
      suggestions: examples.slice(0, 1),
    };
  }
  return undefined;
}

/** Every example of the help, for each subject in its order. */
export const helpExamples: readonly (readonly string[])[] = TOPICS.map(([, , examples]) => examples);
