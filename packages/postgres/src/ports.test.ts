import { pgliteBench } from "./testing/bench.ts";
import { describePorts } from "./testing/port-suites.ts";

describePorts("in PostgreSQL", pgliteBench);
