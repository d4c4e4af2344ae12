import { copy } from "../copy.ts";
import { capitalize } from "@metahuman/core/text/format";
import { describeError, type ErrorDescription, ApiProblem } from "../api/api-problem.ts";

/** The problems of saving what another window deleted; the archive keeps it. */
const DELETED: ReadonlySet<string> = new Set(["TASK_NOT_FOUND", "MEMORY_NOT_FOUND", "FUNCTION_NOT_FOUND"]);

/** The state of a form submission: in progress, rejected by field, or rejected as a whole. */
export class FormState {
  busy = $state(false);
  /** A sentence for each rejected field. */
  problems = $state.raw<Readonly<Record<string, string>>>({});
  /** A problem that belongs to no field. */
  problem = $state.raw<ErrorDescription>();

  /** Resolves to whether the submission succeeded. */
  async submit(action: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.reset();
    try {
      await action();
      return true;
    } catch (error) {
      this.problems = await fieldProblems(error);
      if (Object.keys(this.problems).length > 0) return false;
      this.problem =
        error instanceof ApiProblem && DELETED.has(error.code)
          ? { text: copy.deletedElsewhere, suggestions: [] }
          : describeError(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  reset(): void {
    this.problems = {};
    this.problem = undefined;
  }
}

/** The problem of each form field in a validation error, by field name; empty for other errors. */
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
  const capitalized = capitalize(message);
  return /[.!?…]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}
