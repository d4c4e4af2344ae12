import { lastMomentFromWords } from "@metahuman/boot/dates-in-words";
import {
  CatchUp,
  NewSchedule,
  type Occurrence,
  type Schedule,
  type ScheduleAnswer,
  type ScheduleItem,
} from "@metahuman/core/contract/schedule";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { describeGrants } from "@metahuman/core/text/describe-grants";
import { describeMoment } from "@metahuman/core/contract/describe-when";
import { recurrenceAt } from "@metahuman/core/text/recurrence";
import type { Command } from "commander";
import { ExitCode } from "../exit-code.ts";
import { formatWhen, table, tableOfPage } from "../output.ts";
import { parseCount, parseInput, parseNameValues } from "../parse-input.ts";
import {
  type AddCommand,
  type CommandContext,
  openSession,
  requirePermission,
  type Session,
} from "../session.ts";

interface AddOptions {
  when?: string;
  remind?: boolean;
  function?: string;
  value?: string[];
  title?: string;
  timeZone?: string;
  until?: string;
  catchUp?: string;
}

const ADD_EXAMPLE =
  'Example: mh schedule add --when "every weekday at 7:30" summarize inbox/a.md into out/today.md';
const LIST_LIMIT = 500;

/** `mh schedule`: adds, lists, changes and runs schedules, and prints what became of them. */
export const addScheduleCommand: AddCommand = (program, context) => {
  const schedule = program
    .command("schedule")
    .description("reminders, and requests and functions that run on a schedule");

  schedule
    .command("add [what...]")
    .description("schedule a request, a reminder or a function")
    .option("--when <when>", 'a moment or a recurrence: "Friday at 9", "every 2 hours", "30 7 * * 1-5"')
    .option("--remind", "only remind me of these words")
    .option("--function <id>", "run this function")
    .option("--value <name=value...>", "values of the function's parameters")
    .option("--title <title>", "a name for it")
    .option("--time-zone <zone>", "the time zone of its times, such as Europe/Oslo")
    .option("--until <moment>", 'the last day or moment: 2030-01-31, "the end of May"')
    .option("--catch-up <rule>", `what happens with missed moments: ${CatchUp.options.join(", ")}`)
    .action(async (words: string[], options: AddOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseSkills, session, "schedule anything");
      const { schedules, username } = session.profile;
      const added = parseInput(NewSchedule, newSchedule(words.join(" "), options, session.timeZone));
      const answer = await schedules.create(added, { actor: username });
      const skills = session.profile.operator.skills();
      context().output.result(answer, describeAdded(answer, { ownZone: session.timeZone, skills }));
    });

  schedule
    .command("list")
    .description("list schedules, the next one first")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see schedules");
      const page = await session.profile.schedules.list({ limit: LIST_LIMIT });
      const rows = page.items.map((item) => rowOf(item, session.timeZone));
      const none =
        'Nothing is scheduled. Add a reminder: mh schedule add --remind call mum --when "Friday at 9"';
      context().output.result(page, tableOfPage(rows, page.total, none));
    });

  addChange(schedule, context, "pause", "pause a schedule", ({ profile }, id) => profile.schedules.pause(id));
  addChange(schedule, context, "resume", "resume a paused schedule", ({ profile }, id) =>
    profile.schedules.resume(id),
  );

  schedule
    .command("run <schedule...>")
    .description("run a schedule now, by id or by words of its title, and wait until it ends")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseSkills, session, "run a schedule");
      const { schedules, scheduler } = session.profile;
      const { id } = await findSchedule(session, words.join(" "));
      const { scheduleId, dueAt } = await schedules.runNow(id);
      const occurrence = await scheduler.execute({ scheduleId, dueAt });
      if (!occurrence) throw new NotFoundError("The occurrence was deleted while it ran.");
      if (occurrence.state === "failed") context().setExitCode(ExitCode.failed);
      context().output.result({ occurrence }, describeOccurrence(occurrence, session.profile.username));
    });

  schedule
    .command("remove <schedule...>")
    .description("delete a schedule, by id or by words of its title; restore it with mh archive")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseSkills, session, "delete a schedule");
      const { id, title } = await findSchedule(session, words.join(" "));
      const archived = await session.profile.schedules.remove(id);
      context().output.result({ archived }, `Deleted: ${title}\nUndo: mh archive restore ${archived.id}`);
    });

  schedule
    .command("history <schedule...>")
    .description("print the occurrences of a schedule, by id or by words of its title, newest first")
    .option("--limit <count>", "the maximum number of lines", "50")
    .action(async (words: string[], options: { limit: string }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see schedules");
      const found = await findSchedule(session, words.join(" "));
      const limit = parseCount("--limit", options.limit, 500);
      const page = await session.profile.schedules.occurrences(found.id, { limit });
      const rows = page.items.map((occurrence) => [
        describeMoment(new Date(occurrence.dueAt), session.timeZone),
        stateOf(occurrence),
        occurrence.reason ?? occurrence.runId ?? "",
      ]);
      context().output.result(page, rows.length > 0 ? table(rows) : "Not due yet.");
    });
};

function addChange(
  parent: Command,
  context: () => CommandContext,
  name: string,
  summary: string,
  change: (session: Session, id: string) => Promise<ScheduleAnswer>,
): void {
  parent
    .command(`${name} <schedule...>`)
    .description(`${summary}, by id or by words of its title`)
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseSkills, session, "change schedules");
      const { id } = await findSchedule(session, words.join(" "));
      const answer = await change(session, id);
      context().output.result(answer, describeSchedule(answer.schedule, answer.next[0], session.timeZone));
    });
}

/** Builds the schedule from the words and options. The words may begin with the recurrence. */
function newSchedule(words: string, options: AddOptions, ownZone: string): unknown {
  const { when, remind = false, function: functionId, value = [], title, timeZone, until, catchUp } = options;
  const found = when === undefined ? recurrenceAt(words) : undefined;
  const text = (found ? words.slice(found.length) : words).replace(/^[\s,:]+/u, "");
  const whenText = when ?? (found && words.slice(0, found.length));
  if (whenText === undefined)
    throw new InvalidRequestError("When should it happen?", { suggestions: [ADD_EXAMPLE] });
  if (text === "" && functionId === undefined)
    throw new InvalidRequestError("What would you like to schedule?", { suggestions: [ADD_EXAMPLE] });
  return {
    what:
      functionId !== undefined
        ? { kind: "function", functionId, values: parseNameValues(value, "--value") }
        : remind
          ? { kind: "reminder", text }
          : { kind: "request", goal: text },
    when: whenText,
    ...(title !== undefined && { title }),
    ...(timeZone !== undefined && { timeZone }),
    ...(until !== undefined && { until: lastMomentFromWords(until, timeZone ?? ownZone) }),
    ...(catchUp !== undefined && { catchUp }),
  };
}

/** Finds a schedule by id, or the one whose title has the words. */
async function findSchedule({ profile }: Session, words: string): Promise<Schedule> {
  if (words.startsWith("sched-")) return (await profile.schedules.get(words)).schedule;
  const [first, ...others] = await profile.schedules.find(words, 5);
  if (!first)
    throw new NotFoundError(`No schedule matches "${words}".`, {
      suggestions: ["List them: mh schedule list"],
    });
  if (others.length > 0)
    throw new InvalidRequestError(`Several schedules match "${words}".`, {
      suggestions: [first, ...others].map(({ id, title }) => `${id}  ${title}`),
    });
  return first;
}

/** The recurrence is in the time zone of the schedule, which is named if it is another one; the next moment is in `ownZone`. */
function rowOf(
  { id, title, when, timeZone, until, enabled, next, pausedReason }: ScheduleItem,
  ownZone: string,
): string[] {
  const [first] = next;
  const state = !enabled
    ? `paused${pausedReason === undefined ? "" : `: ${pausedReason}`}`
    : first === undefined
      ? "ended"
      : describeMoment(new Date(first), ownZone);
  return [title, formatWhen({ when, timeZone, until }, ownZone), state, id];
}

function describeAdded(
  { schedule, next }: ScheduleAnswer,
  { ownZone, skills }: { ownZone: string; skills: readonly SkillCard[] },
): string {
  const lines = [describeSchedule(schedule, next[0], ownZone)];
  if (next.length > 1)
    lines.push(
      `Then ${next
        .slice(1)
        .map((at) => describeMoment(new Date(at), ownZone))
        .join(", ")}.`,
    );
  if (schedule.what.kind !== "reminder")
    lines.push(
      `Without asking it may do this: ${describeGrants(schedule.grants, skills)} (trust level ${schedule.trustLevel}).`,
    );
  if (schedule.needsModel) lines.push("It needs a language model: without one it fails when it is due.");
  return lines.join("\n");
}

function describeSchedule(
  { title, when, timeZone, until, enabled }: Schedule,
  next: string | undefined,
  ownZone: string,
): string {
  const about = `${title} · ${formatWhen({ when, timeZone, until }, ownZone)}`;
  if (!enabled) return `${about} · paused`;
  return `${about} · ${next === undefined ? "ended" : `next on ${describeMoment(new Date(next), ownZone)}`}`;
}

/** The state, and for a page that is watched what was found. */
function stateOf({ state, outcome }: Occurrence): string {
  return outcome === "changed" || outcome === "unchanged" ? `${state}: ${outcome}` : state;
}

function describeOccurrence(occurrence: Occurrence, username: string): string {
  const { reason, runId } = occurrence;
  const run = runId === undefined ? "" : `\nRun: mh -u ${username} runs show ${runId}`;
  return `${stateOf(occurrence)}${reason === undefined ? "." : `: ${reason}`}${run}`;
}
