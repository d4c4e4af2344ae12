import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { makeTestHome, type TestHome } from "./open-operator.ts";
import { openTestPorts, type TestPorts } from "./test-ports.ts";

/** The environment that the tests of one file share: the same ports, and a data root for each test. */
export interface OperatorStage {
  readonly ports: TestPorts;
  readonly home: TestHome;
}

/** Prepares the environment before each test of the calling file, and removes it afterwards. */
export function operatorStage(): OperatorStage {
  const stage: { ports?: TestPorts; home?: TestHome } = {};
  const set = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the stage is set within tests only");
    return part;
  };
  beforeAll(async () => {
    stage.ports = await openTestPorts();
  });
  afterAll(() => stage.ports?.close());
  beforeEach(() => {
    stage.home = makeTestHome(set(stage.ports));
  });
  afterEach(() => stage.home?.remove());
  return {
    get ports() {
      return set(stage.ports);
    },
    get home() {
      return set(stage.home);
    },
  };
}
