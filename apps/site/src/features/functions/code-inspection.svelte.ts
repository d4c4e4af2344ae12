import type { CodeInspection, CodeToInspect } from "@metahuman/core/contract/code-inspection";
import { describeError } from "../../lib/api/api-problem.ts";

export type FoundProblem = CodeInspection["problems"][number];

/** The pause in typing after which the code is checked, in milliseconds. */
const PAUSE_MS = 400;

/**
 * The problems of code while it is typed. One check runs at a time; later changes are checked after it, and only the
 * result for the latest code is shown.
 */
export class CodeInspector {
  problems = $state.raw<readonly FoundProblem[]>([]);
  /** Skills that the code calls without a grant. */
  ungranted = $state.raw<readonly string[]>([]);
  /** The known problems: none at first, unchanged if a check fails. */
  status = $state<"unread" | "read" | "unknown">("unread");
  /** Whether there are unchecked changes. */
  behind = $state(true);
  /** The reason why the problems are unknown. */
  reason = $state("");

  readonly #read: (code: CodeToInspect) => Promise<CodeInspection>;
  readonly #pauseMs: number;
  #latest: CodeToInspect | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #busy = false;

  constructor(read: (code: CodeToInspect) => Promise<CodeInspection>, pauseMs = PAUSE_MS) {
    this.#read = read;
    this.#pauseMs = pauseMs;
  }

  /** Sets the code; it is checked when typing pauses. */
  setCode(code: CodeToInspect): void {
    this.#latest = code;
    this.behind = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#go(), this.#pauseMs);
  }

  /** Cancels the pending check. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#latest = undefined;
  }

  async #go(): Promise<void> {
    const code = this.#latest;
    if (this.#busy || !code) return;
    this.#busy = true;
    try {
      const { problems, ungranted } = await this.#read(code);
      if (this.#latest === code) {
        this.problems = problems;
        this.ungranted = ungranted;
        this.status = "read";
        this.behind = false;
      }
    } catch (error) {
      if (this.#latest === code) {
        this.reason = describeError(error).text;
        this.status = "unknown";
        this.behind = false;
      }
    } finally {
      this.#busy = false;
    }
    if (this.#latest !== code) await this.#go();
  }
}
