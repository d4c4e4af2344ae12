import { ApiProblem } from "../api/api-problem.ts";

/** What the server found wrong with each field of a form, by the field's name; empty for every other failure. */
export async function fieldProblems(error: unknown): Promise<Record<string, string>> {
  if (!(error instanceof ApiProblem)) return {};
  const { FieldIssues } = await import("@metahuman/core/contract/problem");
  const read = FieldIssues.safeParse(error.details);
  if (!read.success) return {};
  return Object.fromEntries(
    read.data.issues.map(({ path, message }) => [path.split(".").at(-1) ?? path, sentence(message)]),
  );
}

function sentence(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
