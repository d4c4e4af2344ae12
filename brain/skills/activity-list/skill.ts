import { readPastPeriod } from "@metahuman/core/language/dates/past-periods";
import type { Region } from "@metahuman/core/contract/region";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { View } from "@metahuman/core/language/grammar/phrase";
import type { DoneRequest } from "@metahuman/core/runs/activity";
import { About, Activity, Did, type Period } from "./activity.ts";
import { z } from "zod";
import { defineSkill, type SkillCall } from "../define-skill.ts";
import * as describe from "./describe.ts";
import { actionOf, matchingRequests, whenDone, answerWhetherDone } from "./actions.ts";
import { phrases, slots } from "./phrases.ts";

/** The maximum number of requests that are read. */
const MAX_REQUESTS = 300;

/** An ISO 8601 interval or words as a period. Throws `InvalidArgsError` for anything else. */
function readPeriod(words: string, call: Pick<SkillCall, "now" | "timeZone">): z.infer<typeof Period> {
  const [from = "", until = ""] = words.split("/");
  const isInterval = z.iso.datetime().safeParse(from).success && z.iso.datetime().safeParse(until).success;
  const period = isInterval ? { from, until } : readPastPeriod(words, call);
  if (period === undefined)
    throw new InvalidArgsError(`“${words}” is not a period that has begun.`, {
      suggestions: ["Give a period such as today, last week, or since monday."],
    });
  return { ...period, label: describe.periodInWords(period, call.now, call) };
}

const isWithin = (moment: string | undefined, period: z.infer<typeof Period> | undefined): boolean =>
  moment !== undefined && (period === undefined || (moment >= period.from && moment < period.until));

/** The files that were changed so, each with its last change and those before it, newest first. */
function filesOf(requests: readonly DoneRequest[], did: Activity["did"]): NonNullable<Activity["files"]> {
  const files = new Map<string, NonNullable<Activity["files"]>[number]>();
  for (const { at, changes } of requests)
    for (const { skill, sentence, paths } of changes.toReversed()) {
      const isMeant = did === undefined || did === "change" || actionOf(skill, sentence) === did;
      for (const path of isMeant ? paths : []) {
        const file = files.get(path);
        if (file === undefined) files.set(path, { path, at, sentence, earlier: [] });
        else file.earlier.push({ at, sentence });
      }
    }
  return [...files.values()];
}

/** A view that shows the whole output in one way. */
const view =
  (show: (activity: Activity, region: Region) => string): View =>
  (outputs, _values, region) => {
    const activity = Activity.safeParse(outputs);
    return activity.success ? show(activity.data, region) : undefined;
  };

function describeActivity(activity: Activity, region: Region): string {
  switch (activity.about) {
    case "files":
      return describe.describeFiles(activity, region);
    case "tasks":
      return describe.describeTasks(activity, region);
    case "requests":
    case "all":
      return describe.describeDone(activity, region);
    default:
      return activity.about satisfies never;
  }
}

export const activityList = defineSkill({
  id: "activity_list",
  summary: "Tell what was asked and done in a period",
  category: "memory",
  input: z.strictObject({
    period: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("today, yesterday, this week, on monday, since friday; left out: all that is stored"),
    about: About.default("requests").describe(
      "files or tasks: those that were changed; all: with finished tasks",
    ),
    did: Did.optional().describe("Only what was done so"),
    query: z.string().trim().min(1).max(300).optional().describe("Only what has these words"),
  }),
  output: Activity,
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  views: {
    asked: view(describe.describeAsked),
    last: view(describe.describeLast),
    justDone: view(describe.describeJustDone),
    count: view(describe.describeCount),
    talked: view(describe.describeTalk),
    changes: view((activity, region) => describe.describeDone(activity, region, true)),
    whether: view(answerWhetherDone),
    when: view(whenDone),
    done: view(describe.describeDoneWith),
  },
  narrate: (activity, region) => describeActivity(activity, region).split("\n")[0] ?? "",
  structure: (activity, region) => describeActivity(activity, region),
  async run({ period: words, about, did, query }, call) {
    const { ports, runId, timeZone, locale } = call;
    const period = words === undefined ? undefined : readPeriod(words, call);
    const read = await ports.activity.requests({
      ...(period && { from: period.from, until: period.until }),
      limit: MAX_REQUESTS,
      except: runId,
      region: { timeZone, locale },
    });
    const requests = query === undefined ? read.requests : matchingRequests(read.requests, query);
    const oldest = await ports.activity.oldest(runId);
    const wantsTasks = about === "tasks" || about === "all";
    const { tasks } = wantsTasks ? await ports.tasks.list({ includeDone: true }) : { tasks: [] };
    const momentOf = did === "create" ? "createdAt" : "completedAt";
    return {
      ...(period && { period }),
      about,
      ...(did && { did }),
      ...(query !== undefined && { query }),
      requests,
      total: read.total,
      ...(oldest !== undefined && { oldest }),
      ...(about === "files" && { files: filesOf(requests, did) }),
      ...(wantsTasks && {
        tasks: tasks
          .flatMap(({ id, title, [momentOf]: at }) =>
            at !== undefined && isWithin(at, period) ? [{ id, title, at }] : [],
          )
          .toSorted((one, other) => (one.at < other.at ? -1 : 1)),
      }),
    };
  },
});
