import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { makeTestHome, type TestHome } from "./open-operator.ts";
import { openTestPorts, type TestPorts } from "./test-ports.ts";

/** The environment that the tests of one file share: the same ports, and a data root for each test. */
export interface OperatorHarness {
  readonly ports: TestPorts;
  readonly home: TestHome;
}

/** Prepares the environment before each test of the calling file, and removes it afterwards. */
export function operatorHarness(): OperatorHarness {
  const harness: { ports?: TestPorts; home?: TestHome } = {};
  const set = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the harness exists within tests only");
    return part;
  };
  beforeAll(async () => {
    harness.ports = await openTestPorts();
  });
  afterAll(() => harness.ports?.close());
  beforeEach(() => {
    harness.home = makeTestHome(set(harness.ports));
  });
  afterEach(() => harness.home?.remove());
  return {
    get ports() {
      return set(harness.ports);
    },
    get home() {
      return set(harness.home);
    },
  };
}
