import type { CodeInspection, CodeToInspect } from "@metahuman/core/contract/code-inspection";
import { describeError } from "../../lib/api/api-problem.ts";

export type FoundProblem = CodeInspection["problems"][number];

/** Typing has to stop for this long, in milliseconds, before the code is read. */
const PAUSE_MS = 400;

/**
 * What is wrong with code while it is typed. One reading at a time: what is typed meanwhile is read after it, and only
 * what was found in the latest code is shown.
 */
export class CodeInspector {
  problems = $state.raw<readonly FoundProblem[]>([]);
  /** Skills that the code calls without being granted them. */
  ungranted = $state.raw<readonly string[]>([]);
  /** What is known: nothing at first, and nothing new when the code could not be read just now. */
  status = $state<"unread" | "read" | "unknown">("unread");
  /** Something was typed that has not been read yet. */
  behind = $state(true);
  /** Why it is unknown. */
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

  /** Takes the code as it stands now; it is read when typing rests. */
  look(code: CodeToInspect): void {
    this.#latest = code;
    this.behind = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#go(), this.#pauseMs);
  }

  /** Forgets what waits to be read. */
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
