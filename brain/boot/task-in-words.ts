import { NewTask } from "@metahuman/core/contract/task";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { Clock } from "@metahuman/core/language/dates/clock";
import { readRequest } from "@metahuman/core/language/read-request";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { taskCreate } from "@metahuman/skills/task-create/skill";

const GRAMMAR = [skillGrammar(taskCreate)];

/**
 * The task that words describe, read as in the chat: "call Bob tomorrow at 5, high priority". Words that describe no single
 * task are its title. Throws `InvalidArgsError` for a day that does not exist or may be another one.
 */
export function taskInWords(words: string, { now, timeZone }: Clock): NewTask {
  const title = words.trim();
  const reading = readRequest(`add a task to ${title}`, GRAMMAR, { now, timeZone, isPostponed: true });
  const [call, other] = reading.kind === "plan" ? reading.calls : [];
  if (call === undefined || other !== undefined) return { title };
  const fields = Object.entries(call.args).flatMap(([name, value]): [string, unknown][] => {
    if (value.from === "answer") throw new InvalidArgsError(value.question);
    return value.from === "request" ? [[name, value.value]] : [];
  });
  const task = NewTask.safeParse(Object.fromEntries(fields));
  return task.success ? task.data : { title };
}
