import { describeMemoryPort } from "./memory-port.suite.ts";
import { createTestProfile } from "./testing/open-test-memory.ts";

describeMemoryPort("in files", async () => {
  const profile = await createTestProfile();
  return { open: (options) => profile.open(options), close: () => profile.remove() };
});
