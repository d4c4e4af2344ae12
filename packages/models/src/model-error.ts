import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { ModelFailure } from "@metahuman/core/contract/models";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";

const codes: Record<ModelFailure, ErrorCode> = {
  unreachable: "MODEL_UNAVAILABLE",
  "timed-out": "TIMEOUT",
  "server-error": "MODEL_UNAVAILABLE",
  "model-missing": "MODEL_UNAVAILABLE",
  "key-refused": "MODEL_UNAVAILABLE",
  "rate-limited": "RATE_LIMITED",
  "request-refused": "MODEL_UNAVAILABLE",
  "broke-off": "MODEL_UNAVAILABLE",
  truncated: "MODEL_UNAVAILABLE",
  empty: "MODEL_UNAVAILABLE",
  malformed: "MODEL_UNAVAILABLE",
  "malformed-call": "MODEL_UNAVAILABLE",
};

/** Failures of a server, as opposed to bad answers. Another model may be tried. */
const fallbackReasons = new Set<ModelFailure>([
  "unreachable",
  "timed-out",
  "server-error",
  "model-missing",
  "key-refused",
  "rate-limited",
  "broke-off",
  "truncated",
]);

export interface ModelErrorFacts {
  provider: string;
  model?: string | undefined;
  /** The HTTP status, if the server answered. */
  status?: number | undefined;
  suggestions?: readonly string[];
  cause?: unknown;
}

/** A failed call to a model server. `reason` is the cause. Contains no prompt, key or reply text. */
export class ModelError extends MetahumanError {
  override readonly name = "ModelError";
  readonly code: ErrorCode;
  readonly reason: ModelFailure;

  constructor(reason: ModelFailure, message: string, facts: ModelErrorFacts) {
    super(message, {
      context: {
        reason,
        provider: facts.provider,
        ...(facts.model !== undefined && { model: facts.model }),
        ...(facts.status !== undefined && { status: facts.status }),
      },
      suggestions: facts.suggestions ?? [],
      cause: facts.cause,
    });
    this.reason = reason;
    this.code = codes[reason];
  }

  /** Whether the next model of the fallback list may be asked. A bad answer never falls back. */
  get allowsFallback(): boolean {
    return fallbackReasons.has(this.reason);
  }
}
