import { flushCompileCache } from "node:module";

/** Before each file: what is compiled by now is there for the processes and threads that tests start, however they end. */
flushCompileCache();
