import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { UnexpectedError } from "@metahuman/core/errors/run-errors";
import type { z } from "zod";

/** A skill's result as its schema promises it. A mismatch is our own mistake and throws `UnexpectedError`. */
export function checkedOutput<Output extends z.ZodObject>(
  skill: string,
  output: Output,
  result: unknown,
): z.output<Output> {
  const checked = output.safeParse(result, { error: plainIssue });
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new UnexpectedError(`${skill} returned something other than it promises.`, {
    context: { skill, problems },
  });
}
