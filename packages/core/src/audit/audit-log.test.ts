import { describeAuditLog } from "./audit-log.suite.ts";
import { TestLog } from "./testing/test-log.ts";

describeAuditLog("in files", async () => {
  const test = new TestLog();
  return {
    open: async () => test.open(),
    setTime(time) {
      test.now = time;
    },
    close: () => test.remove(),
  };
});
