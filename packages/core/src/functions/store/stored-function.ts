import { z } from "zod";
import {
  FunctionEvidence,
  FunctionMemory,
  type FunctionContent,
  type FunctionMemory as WholeFunction,
} from "../../contract/function.ts";

/** A function as stored in its file, without the counters, which are in `state.db`. */
export const StoredFunction = FunctionMemory.omit({
  usageCount: true,
  lastUsedAt: true,
  offeredCount: true,
  stats: true,
});
export type StoredFunction = z.infer<typeof StoredFunction>;

/** The file format. An exported function includes its counters, which are ignored here. */
export const FunctionFile = z
  .strictObject({ ...StoredFunction.shape, ...FunctionEvidence.partial().shape })
  .transform(
    ({
      usageCount: _uses,
      lastUsedAt: _last,
      offeredCount: _offers,
      stats: _stats,
      ...stored
    }): StoredFunction => stored,
  );

const NO_EVIDENCE: FunctionEvidence = {
  usageCount: 0,
  offeredCount: 0,
  stats: { executions: 0, successes: 0, failures: 0 },
};

export function withEvidence(
  stored: StoredFunction,
  evidence: FunctionEvidence = NO_EVIDENCE,
): WholeFunction {
  return { ...stored, ...evidence };
}

/** The content of a function: a change of it creates a new version. */
export function contentOf(stored: StoredFunction | FunctionContent): FunctionContent {
  const {
    name,
    title,
    summary,
    tags,
    steps,
    skillsUsed,
    examples,
    parameters,
    kind,
    recipe,
    code,
    provenance,
  } = stored;
  return {
    name,
    title,
    summary,
    tags,
    steps,
    skillsUsed,
    examples,
    parameters,
    kind,
    ...(recipe && { recipe }),
    ...(code && { code }),
    ...(provenance && { provenance }),
  };
}
