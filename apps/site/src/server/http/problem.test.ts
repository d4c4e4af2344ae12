import { expect, it } from "vitest";
import { StorageUnavailableError } from "@metahuman/core/errors/storage-errors";
import { toProblem } from "./problem.ts";

it("answers 503 with the time to wait while the storage cannot be used", () => {
  const error = new StorageUnavailableError("The database server cannot be reached.", {
    suggestions: ["Try again in a moment."],
    context: { retryAfterMs: 1_500 },
  });
  expect(toProblem(error)).toMatchObject({
    status: 503,
    headers: { "Retry-After": "2" },
    body: { error: { code: "STORAGE_UNAVAILABLE", message: "The database server cannot be reached." } },
  });
});
