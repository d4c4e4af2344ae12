import { z } from "zod";

/** The name of one file, no path: hidden files and folders are not for outsiders to make. */
export const InboxName = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u, "must be the name of a file, without a path");

/** Where a file that was sent lies now; a name that was taken got a number. */
export const InboxAnswer = z.strictObject({ path: z.string(), bytes: z.int().nonnegative() });
export type InboxAnswer = z.infer<typeof InboxAnswer>;
