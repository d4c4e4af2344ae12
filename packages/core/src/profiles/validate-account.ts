import type { z } from "zod";
import { Password } from "../contract/http.ts";
import { Username } from "../contract/ids.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { InvalidRequestError } from "../errors/request-errors.ts";
import { invalidNameReason } from "../paths/file-names.ts";

/** The folder of the sample profile in the repository. */
const SAMPLE = "example";

/** Parses the username of a new account. Throws `InvalidRequestError`. */
export function parseUsername(username: string): string {
  const parsed = parse(Username, username, "The username is not valid");
  if (parsed === SAMPLE) throw reserved(`The name ${SAMPLE} is reserved for the sample profile.`);
  // A profile may be moved to another system, where its folder needs this name, too.
  const problem = invalidNameReason(parsed);
  if (problem !== undefined) throw reserved(`The name ${parsed} cannot be used: ${problem}.`);
  return parsed;
}

/** `context.issues` has the field of the form. */
const reserved = (message: string): InvalidRequestError =>
  new InvalidRequestError(message, { context: { issues: [{ path: "username", message }] } });

/** Parses a new password. Throws `InvalidRequestError` without the password. */
export function parseNewPassword(password: string): string {
  return parse(Password, password, "The password is not valid");
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown, sentence: string): Value {
  const parsed = schema.safeParse(value, { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(`${sentence}: ${plainReason(parsed.error)}.`);
}
