import { z } from "zod";
import { InvalidArgsError } from "../errors/invalid-args-error.ts";

const Place = z.strictObject({ timestamp: z.string(), id: z.string() });
export type Place = z.infer<typeof Place>;

/** A place in a list, in a form that says nothing to its reader. */
export function toCursor({ timestamp, id }: Place): string {
  return Buffer.from(JSON.stringify({ timestamp, id })).toString("base64url");
}

/** Throws `InvalidArgsError` for what `toCursor` did not make. */
export function fromCursor(cursor: string): Place {
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch (error) {
    throw new InvalidArgsError("This is no cursor of this list.", { cause: error });
  }
}
