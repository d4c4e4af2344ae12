import { pgliteHarness } from "./testing/harness.ts";
import { describePorts } from "./testing/port-suites.ts";

describePorts("in PostgreSQL", pgliteHarness);
