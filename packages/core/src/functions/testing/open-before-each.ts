import { afterEach, beforeEach } from "vitest";
import type { FunctionsPort } from "../functions-port.ts";
import { createTestFunctions, type TestFunctions } from "./open-test-functions.ts";

/** Opens functions on a profile of their own before each test, hands them over, and removes them after it. */
export function openBeforeEach(
  take: (opened: { test: TestFunctions; functions: FunctionsPort }) => void,
): void {
  let test: TestFunctions;
  beforeEach(async () => {
    test = await createTestFunctions();
    take({ test, functions: (await test.open()).functions.of() });
  });
  afterEach(() => test.remove());
}
