import { z } from "zod";
import { ApiProblem } from "./api-problem.ts";

const Issues = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) });

/** What the server found wrong with each field of a form, by the field's name; empty for every other failure. */
export function fieldProblems(error: unknown): Record<string, string> {
  const read = error instanceof ApiProblem ? Issues.safeParse(error.details) : undefined;
  if (!read?.success) return {};
  return Object.fromEntries(
    read.data.issues.map(({ path, message }) => [path.split(".").at(-1) ?? path, sentence(message)]),
  );
}

function sentence(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
