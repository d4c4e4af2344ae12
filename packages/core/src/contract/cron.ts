import { z } from "zod";

/** The five fields of a cron expression with their bounds; 7 is also Sunday. */
const FIELDS = [
  ["minute", 0, 59],
  ["hour", 0, 23],
  ["day of the month", 1, 31],
  ["month", 1, 12],
  ["day of the week", 0, 7],
] as const;

// A star, `5` or `5-9`; a star or a range may be followed by a slash and a step.
const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** Returns why this is not a cron expression of five numeric fields; undefined if it is valid. */
function cronProblem(line: string): string | undefined {
  const fields = line.trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    return "must be five fields: minute, hour, day of the month, month, day of the week";
  for (const [index, [name, min, max]] of FIELDS.entries()) {
    const parts = fields[index]?.split(",") ?? [];
    if (!parts.every((part) => isPart(part, min, max)))
      return `has a ${name} that is not *, a number from ${min} to ${max}, a range or a step`;
  }
  return undefined;
}

function isPart(part: string, min: number, max: number): boolean {
  const found = PART.exec(part);
  if (!found) return false;
  const [, from, to, step] = found;
  if (step !== undefined && (Number(step) < 1 || (from !== undefined && to === undefined))) return false;
  const first = Number(from ?? min);
  const last = Number(to ?? first);
  return min <= first && first <= last && last <= max;
}

/** A schedule as a cron expression in the machine's local time: `30 3 * * *` is every night at 03:30. */
export const CronLine = z.string().superRefine((line, context) => {
  const problem = cronProblem(line);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem, input: line });
});
export type CronLine = z.infer<typeof CronLine>;
