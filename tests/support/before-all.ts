import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Client } from "./client.ts";
import { openModelHarness, type ModelHarness } from "./model-harness.ts";
import { startOwnedServer, type TestServer } from "./server.ts";

/** Starts a server before all tests of a file, passes it with its owner to `take`, and closes it afterwards. */
export function serveBeforeAll(take: (served: { server: TestServer; owner: Client }) => void): void {
  let server: TestServer;
  beforeAll(async () => {
    const served = await startOwnedServer();
    ({ server } = served);
    take(served);
  });
  afterAll(() => server.dispose());
}

/** Opens a fixture before all tests, resets it before each, and closes it after all. */
export function harnessBeforeAll(take: (harness: ModelHarness) => void): void {
  let harness: ModelHarness;
  beforeAll(async () => {
    harness = await openModelHarness();
    take(harness);
  });
  beforeEach(() => harness.set());
  afterAll(() => harness.close());
}

interface Disposable {
  dispose(): Promise<void>;
}

/** Registers servers and folders that are disposed of after all tests, the last one first. */
export function disposeAfterAll(): { kept: <Kept extends Disposable>(one: Kept) => Kept } {
  const all: Disposable[] = [];
  afterAll(async () => {
    // The later servers use the folder of an earlier one.
    for (const one of all.toReversed()) await one.dispose();
  });
  return {
    kept(one) {
      all.push(one);
      return one;
    },
  };
}
