import { copy } from "./copy.ts";
import { CurationOutcome, CurationRequest } from "@metahuman/core/contract/curation";
import { FunctionName } from "@metahuman/core/contract/function";
import type { CallStage, Run } from "@metahuman/core/contract/run";
import { z } from "zod";
import type { App } from "../shell/app.svelte.ts";
import { FormState } from "../../lib/ui/form-state.svelte.ts";
import { RunView } from "../runs/run-view.svelte.ts";

/** The running curation or its outcome. */
export type CurationPhase =
  | "asking"
  | "loading"
  | "unavailable"
  | "at-work"
  | "waiting"
  | "interrupted"
  | "published"
  | "unpublished"
  | "cancelled"
  | "failed";

const Asked = z.object({ userRequest: z.string(), functionName: z.string() });
type Asked = z.infer<typeof Asked>;
const STAGE_SENTENCES: Readonly<Record<string, string>> = {
  gather: copy.curatorSearching,
  look: copy.curatorLooking,
  write: copy.curatorWriting,
  verify: copy.curatorChecking,
  publish: copy.curatorComparing,
};

interface Services extends Pick<App, "api" | "attempt" | "session"> {
  feed: Pick<App["feed"], "watch">;
}

/** A function that the curator generates or improves: the request, the progress and the outcome. */
export class Curation {
  request = $state("");
  name = $state("");
  readonly form = new FormState();
  readonly view: RunView;

  readonly run = $derived.by(() => this.view.state?.run);
  readonly stages = $derived.by((): readonly CallStage[] => this.run?.scratchpad[0]?.stages ?? []);
  readonly outcome = $derived.by((): CurationOutcome | undefined => {
    const read = CurationOutcome.safeParse(this.run?.scratchpad[0]?.observation?.outputs);
    return read.success ? read.data : undefined;
  });
  readonly phase = $derived.by((): CurationPhase => {
    if (this.run) return phaseOf(this.run, this.outcome);
    if (this.view.id === undefined) return "asking";
    return this.view.problem ? "unavailable" : "loading";
  });
  /** The request of the run; empty until its step begins, unless it was made here. */
  readonly asked = $derived.by(() => this.#askedInRun?.userRequest ?? this.request);
  readonly #askedInRun = $derived.by(
    (): Asked | undefined => Asked.safeParse(this.run?.scratchpad[0]?.action?.args).data,
  );
  /** The reason why there is no outcome. */
  readonly failure = $derived.by(() => this.run?.scratchpad[0]?.observation?.error ?? this.run?.error);

  readonly #app: Services;
  /** The name follows the request until a person edits it. */
  #named: boolean;
  #isClosed = false;

  constructor(app: Services, functionName?: string) {
    this.#app = app;
    this.view = new RunView(app);
    this.name = functionName ?? "";
    this.#named = functionName !== undefined;
  }

  /** The reason why no model is available; undefined if one is. */
  get writerMissing(): string | undefined {
    const { roles, available, summary } = this.#app.session.models;
    const writer = roles.find(({ role }) => role === "curator");
    if (writer && writer.models.length > 0) return undefined;
    return available ? (writer?.missing ?? summary) : summary;
  }

  /** Sets the request and derives the name from it. */
  ask(request: string): void {
    this.request = request;
    if (!this.#named) this.name = nameFrom(request);
  }

  call(name: string): void {
    this.name = name;
    this.#named = name !== "";
  }

  /** Starts the run. Resolves to whether it started. */
  async start(): Promise<boolean> {
    const asked = CurationRequest.safeParse({ userRequest: this.request, functionName: this.name });
    if (!asked.success) {
      this.form.problems = {
        ...(this.request.trim() === "" && { userRequest: copy.curatorRequestRequired }),
        ...(!FunctionName.safeParse(this.name).success && {
          functionName: copy.nameRule,
        }),
      };
      return false;
    }
    return this.form.submit(async () => {
      const { runId } = await this.#app.api.functions.curate(asked.data);
      if (!this.#isClosed) await this.view.open(runId);
    });
  }

  /** Loads the run again after a problem. */
  async reload(): Promise<void> {
    if (this.view.id !== undefined) await this.view.open(this.view.id);
  }

  /** Follows no run any more, also none that is about to start. */
  close(): void {
    this.#isClosed = true;
    this.view.close();
  }

  async cancel(): Promise<void> {
    const id = this.run?.id;
    if (id !== undefined) await this.#app.attempt(() => this.#app.api.cancel(id));
  }

  async resume(): Promise<void> {
    const id = this.run?.id;
    if (id === undefined) return;
    const resumed = await this.#app.attempt(() => this.#app.api.resume(id));
    if (resumed) await this.view.open(id);
  }

  /** Returns to the form with the same request; the earlier run is unchanged. */
  again(): void {
    const asked = this.#askedInRun;
    this.view.close();
    if (asked) {
      this.request = asked.userRequest;
      this.call(asked.functionName);
    }
    this.form.reset();
  }
}

export function progressSentence({ phase, stages }: Pick<Curation, "phase" | "stages">): string {
  const last = stages.at(-1);
  switch (phase) {
    case "asking":
    case "unavailable":
      return "";
    case "loading":
      return "Loading…";
    case "at-work": {
      const isRetry = stages.filter(({ name }) => name === "write").length > 1;
      if (last?.name === "write" && isRetry) return copy.curatorRewriting;
      // After reading, the model resumes writing, which began earlier.
      if (last?.name === "look" && last.state !== "begun") return copy.curatorWriting;
      return (last && STAGE_SENTENCES[last.name]) ?? copy.curatorStarting;
    }
    case "waiting":
      return copy.curatorWaiting;
    case "interrupted":
      return copy.curatorInterrupted;
    case "published":
      return copy.curatorPassed;
    case "unpublished":
      return copy.curatorFailed;
    case "cancelled":
      return copy.curatorCancelled;
    case "failed":
      return copy.curatorNothing;
    default:
      return phase satisfies never;
  }
}

/** Derives a name from a request: "Count the words of a note" becomes `count-words-note`. */
export function nameFrom(request: string): string {
  const words = request
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "" && !FILLERS.has(word));
  return words.slice(0, 4).join("-").slice(0, 64).replace(/-+$/u, "");
}

const FILLERS: ReadonlySet<string> = new Set(
  "a an the of in on at to for from with and or my me i it its that this every each all please is are".split(
    " ",
  ),
);

function phaseOf(run: Run, outcome: CurationOutcome | undefined): CurationPhase {
  switch (run.status) {
    case "queued":
    case "running":
      return "at-work";
    case "waiting":
      return "waiting";
    case "interrupted":
      return "interrupted";
    case "ended":
      if (outcome) return outcome.published ? "published" : "unpublished";
      return run.outcome === "cancelled" ? "cancelled" : "failed";
    default:
      return run.status satisfies never;
  }
}
