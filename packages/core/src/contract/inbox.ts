import { z } from "zod";

/** The name of a file without a path. Hidden files and folders are refused. */
export const InboxName = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u, "must be the name of a file, without a path");

/** The path of an uploaded file; a number is added to a taken name. */
export const InboxAnswer = z.strictObject({ path: z.string(), bytes: z.int().nonnegative() });
export type InboxAnswer = z.infer<typeof InboxAnswer>;
