import type { z } from "zod";
import { Password } from "../contract/http.ts";
import { Username } from "../contract/ids.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { InvalidRequestError } from "../errors/request-errors.ts";

/** The folder of the sample that comes with the repository. */
const SAMPLE = "example";

/** Throws `InvalidRequestError` for what cannot name a new account. */
export function checkUsername(username: string): string {
  if (username === SAMPLE) throw new InvalidRequestError(`The name ${SAMPLE} belongs to the sample profile.`);
  return check(Username, username, "This cannot be a username");
}

/** Throws `InvalidRequestError` for what cannot be a password; never repeats it. */
export function checkNewPassword(password: string): string {
  return check(Password, password, "This cannot be a password");
}

function check<Value>(schema: z.ZodType<Value>, value: unknown, sentence: string): Value {
  const parsed = schema.safeParse(value, { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(`${sentence}: ${plainReason(parsed.error)}.`);
}
