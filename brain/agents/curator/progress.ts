import type { CurationStage } from "@metahuman/core/contract/curation";
import type { CurationCall } from "@metahuman/skills/support/curation";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";

/** How a stage ended, and what it came to. */
export interface StageEnd<Value> {
  ok: boolean;
  detail: string;
  value: Value;
}

/** The stages of one curation: told as they begin and end, and kept for its outcome. */
export interface Progress {
  readonly stages: CurationStage[];
  /** Does what a stage does. One that throws has failed; one that was stopped has not ended. */
  during<Value>(name: CurationStage["name"], work: () => Promise<StageEnd<Value>>): Promise<Value>;
}

export function followProgress({ reached, signal }: Pick<CurationCall, "reached" | "signal">): Progress {
  const stages: CurationStage[] = [];
  const end = (name: CurationStage["name"], ok: boolean, detail: string) => {
    stages.push({ name, ok, detail });
    reached({ name, state: ok ? "done" : "failed", detail });
  };
  return {
    stages,
    async during(name, work) {
      signal.throwIfAborted();
      reached({ name, state: "begun" });
      try {
        const { ok, detail, value } = await work();
        end(name, ok, detail);
        return value;
      } catch (error) {
        if (!signal.aborted) end(name, false, toErrorDetail(error).message);
        throw error;
      }
    },
  };
}
