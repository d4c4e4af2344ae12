import { describeFunctions } from "./functions-port.suite.ts";
import { createTestFunctions } from "./testing/open-test-functions.ts";

describeFunctions("in files", async () => {
  const both = await createTestFunctions();
  return { here: both, elsewhere: both, close: () => both.remove() };
});
