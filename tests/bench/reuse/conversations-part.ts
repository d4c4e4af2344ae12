import type { Profile } from "@metahuman/boot/brain";
import type { Run } from "@metahuman/core/contract/run";
import { z } from "zod";
import { installSimulatedClock } from "../../soak/simulated-clock.ts";
import { lines } from "./labelled-requests.ts";
import { describeCalls, includes, stateOf, type State, withProfile } from "./requests-part.ts";

/** When a conversation begins that does not say it, and where all are had. */
const BEGIN = "2026-11-28T08:00:00.000Z";
const ZONE = "Europe/Helsinki";
/** A longer answer that shares no word with the choices is a new request, as on the page. */
const MAX_CHOICE_WORDS = 3;
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;

const Words = z.array(z.string());
/** What must hold after a turn. All given parts must hold; texts are compared without case. */
const Effects = z.strictObject({
  /** Texts of the answer; of a list, one is enough. */
  answer: z.array(z.union([z.string(), Words])).optional(),
  answerLacks: Words.optional(),
  /** A file, or any file, that has these texts and lacks those. */
  file: z.strictObject({ path: z.string(), has: Words.default([]), lacks: Words.default([]) }).optional(),
  noFile: z.string().optional(),
  /** An open task with these words in its title, and its due day or local time. */
  task: z.strictObject({ has: Words, due: z.string().optional() }).optional(),
  noTask: Words.optional(),
  /** A finished task with these words. */
  done: Words.optional(),
  /** A task or schedule with these words at this local time. */
  reminder: z.strictObject({ has: Words, at: z.string().optional() }).optional(),
  schedule: z.strictObject({ has: Words }).optional(),
  memory: z.strictObject({ has: Words }).optional(),
  noMemory: Words.optional(),
  /** Nothing may have changed. */
  unchanged: z.literal(true).optional(),
  /** The answer asks back. */
  asks: z.literal(true).optional(),
});
type Effects = z.infer<typeof Effects>;

/** A conversation by somebody who has not seen the code: what is said, and what must hold after each turn. */
export const LabelledConversation = z.strictObject({
  id: z.string(),
  person: z.string(),
  begins: z.iso.datetime().default(BEGIN),
  files: z.record(z.string(), z.string()).default({}),
  turns: z.array(
    z.strictObject({ say: z.string(), expect: Effects.extend({ or: z.array(Effects).default([]) }) }),
  ),
});
export type LabelledConversation = z.infer<typeof LabelledConversation>;

export interface TurnResult {
  conversation: string;
  say: string;
  answer: string;
  calls: string[];
  /** The differences from what is expected; none if the turn is right. */
  problems: string[];
  /** Something changed although nothing may change. */
  isHarm: boolean;
}

/** Reads one labelled conversation per line; none if the file is missing. */
export const readConversations = (file: string): LabelledConversation[] => lines(file, LabelledConversation);

/** Has each conversation in a new profile without a model, and checks every turn. */
export async function measureConversations(
  conversations: readonly LabelledConversation[],
): Promise<TurnResult[]> {
  const clock = installSimulatedClock();
  try {
    const results: TurnResult[] = [];
    for (const conversation of conversations) {
      clock.setDate(Date.parse(conversation.begins) - clock.now());
      const setup = { files: conversation.files, tasks: [], memories: [] };
      results.push(
        ...(await withProfile({ setup, timeZone: ZONE }, (profile, folder) =>
          haveConversation(conversation, profile, folder),
        )),
      );
    }
    return results;
  } finally {
    clock.remove();
  }
}

interface SeenState extends State {
  schedules: string[];
}

async function haveConversation(
  { id, turns }: LabelledConversation,
  profile: Profile,
  folder: string,
): Promise<TurnResult[]> {
  const seen = async (): Promise<SeenState> => {
    const { items } = await profile.schedules.list({ limit: 100 });
    const schedules = items.map(({ next: _, lastOccurrence: __, ...schedule }) => JSON.stringify(schedule));
    return { ...(await stateOf(profile, folder)), schedules };
  };
  const results: TurnResult[] = [];
  let before = await seen();
  let last: Run | undefined;
  for (const { say, expect } of turns) {
    last = await sayTo(profile, say, last);
    const after = await seen();
    const answer = textOf(last);
    const { or, ...first } = expect;
    const expected = Object.keys(first).length === 0 && or.length > 0 ? or : [first, ...or];
    const alternatives = expected.map((effects) => problemsOf(effects, { before, after, answer }));
    const [problems = []] = alternatives.toSorted((one, other) => one.length - other.length);
    const isHarm = problems.includes(CHANGED);
    results.push({ conversation: id, say, answer, calls: describeCalls(last), problems, isHarm });
    before = after;
  }
  return results;
}

/** Answers the open question as the page does, or sends a request; allows what needs approval. */
async function sayTo({ operator }: Profile, text: string, last: Run | undefined): Promise<Run> {
  const pending = last?.status === "waiting" ? last.pending : undefined;
  if (last && pending?.kind === "question") {
    if (!isNewRequest(text, pending.options)) {
      await operator.answer(last.id, text);
      return settled(operator, last.id);
    }
    await operator.cancel(last.id);
  }
  const request = { goal: text, ...(last && { conversationId: last.conversationId }) };
  const { id } = await operator.start(request, { identity, surface: "api" });
  return settled(operator, id);
}

async function settled(operator: Profile["operator"], id: string): Promise<Run> {
  for (;;) {
    const run = await operator.settled(id);
    if (run.status !== "waiting" || run.pending?.kind !== "approval") return run;
    await operator.decide(run.pending.approvalId, "once");
  }
}

function isNewRequest(text: string, options: readonly string[]): boolean {
  const wordsOf = (one: string): string[] => one.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  if (options.length === 0 || text.trim().split(/\s+/u).length <= MAX_CHOICE_WORDS) return false;
  const known = new Set(options.flatMap(wordsOf));
  return !wordsOf(text).some((word) => known.has(word));
}

const textOf = ({ result, pending }: Run): string =>
  pending?.kind === "question" ? [pending.question, ...pending.options].join("\n") : (result ?? "");

const CHANGED = "something changed";

interface Turn {
  before: SeenState;
  after: SeenState;
  answer: string;
}

function problemsOf(effects: Effects, { before, after, answer }: Turn): string[] {
  const problems: string[] = [];
  const demand = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
  const hasAll = (text: string, parts: readonly string[]): boolean =>
    parts.every((part) => includes(text, part));
  for (const part of effects.answer ?? [])
    demand(
      [part].flat().some((one) => includes(answer, one)),
      `not answered: ${[part].flat().join(" | ")}`,
    );
  for (const part of effects.answerLacks ?? []) demand(!includes(answer, part), `answered: ${part}`);
  const { file, noFile, task, noTask, done, reminder, schedule, memory, noMemory } = effects;
  if (file) {
    const fits = Object.entries(after.files).some(
      ([path, content]) =>
        (file.path === "any" || path === file.path) &&
        hasAll(`${path}\n${content}`, file.has) &&
        !file.lacks.some((part) => includes(content, part)),
    );
    demand(fits, `no file ${JSON.stringify(file)} among ${JSON.stringify(after.files)}`);
  }
  if (noFile !== undefined) demand(!(noFile in after.files), `${noFile} exists`);
  const open = after.tasks.filter(({ status }) => status !== "done" && status !== "cancelled");
  const titled = (words: readonly string[], at: string | undefined): boolean =>
    open.some(({ title, due }) => hasAll(title, words) && (at === undefined || isDue(due, at)));
  const titles = open.map(({ title, due = "" }) => `${title}|${localTime(due)}`).join("; ");
  if (task) demand(titled(task.has, task.due), `no task ${JSON.stringify(task)} among ${titles}`);
  if (noTask) demand(!open.some(({ title }) => hasAll(title, noTask)), `a task ${noTask.join(" ")} is open`);
  const finished = after.tasks.filter(({ status }) => status === "done");
  if (done)
    demand(
      finished.some(({ title }) => hasAll(title, done)),
      `no finished task ${done.join(" ")}`,
    );
  const scheduled = (words: readonly string[]): boolean => after.schedules.some((one) => hasAll(one, words));
  if (reminder)
    demand(
      titled(reminder.has, reminder.at) || scheduled(reminder.has),
      `no reminder ${JSON.stringify(reminder)} among ${titles}`,
    );
  if (schedule) demand(scheduled(schedule.has), `no schedule ${JSON.stringify(schedule)}`);
  if (memory)
    demand(
      after.memories.some((one) => hasAll(one, memory.has)),
      `not remembered: ${memory.has.join(", ")}`,
    );
  if (noMemory)
    demand(!after.memories.some((one) => hasAll(one, noMemory)), `still remembered: ${noMemory.join(" ")}`);
  if (effects.unchanged) demand(JSON.stringify(before) === JSON.stringify(after), CHANGED);
  if (effects.asks) demand(/\?/u.test(answer), "does not ask");
  return problems;
}

/** True for a due day or time that is the expected day or local time. */
const isDue = (due: string | undefined, at: string): boolean =>
  due !== undefined && localTime(due).startsWith(at);

/** A moment as local date and time, to the minute; a day stays a day. */
function localTime(due: string): string {
  if (!due.includes("T")) return due;
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone: ZONE, dateStyle: "short", timeStyle: "short" });
  return parts.format(new Date(due)).replace(" ", "T");
}
