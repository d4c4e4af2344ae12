import type { z } from "zod";
import { Password } from "../contract/http.ts";
import { Username } from "../contract/ids.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { InvalidRequestError } from "../errors/request-errors.ts";

/** The folder of the sample profile in the repository. */
const SAMPLE = "example";

/** Parses the username of a new account. Throws `InvalidRequestError`. */
export function parseUsername(username: string): string {
  if (username === SAMPLE)
    throw new InvalidRequestError(`The name ${SAMPLE} is reserved for the sample profile.`);
  return parse(Username, username, "The username is not valid");
}

/** Parses a new password. Throws `InvalidRequestError` without the password. */
export function parseNewPassword(password: string): string {
  return parse(Password, password, "The password is not valid");
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown, sentence: string): Value {
  const parsed = schema.safeParse(value, { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(`${sentence}: ${plainReason(parsed.error)}.`);
}
