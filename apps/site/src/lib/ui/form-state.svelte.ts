import { describeError, type ErrorDescription } from "../api/api-problem.ts";
import { fieldProblems } from "./field-problems.ts";

/** What became of sending a form: under way, refused field by field, or refused as a whole. */
export class FormState {
  busy = $state(false);
  /** By field, as sentences. */
  problems = $state.raw<Readonly<Record<string, string>>>({});
  /** What belongs to no field. */
  problem = $state.raw<ErrorDescription>();

  /** True when it was accepted. */
  async submit(act: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.forget();
    try {
      await act();
      return true;
    } catch (error) {
      this.problems = await fieldProblems(error);
      if (Object.keys(this.problems).length === 0) this.problem = describeError(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Starts anew. */
  forget(): void {
    this.problems = {};
    this.problem = undefined;
  }
}
