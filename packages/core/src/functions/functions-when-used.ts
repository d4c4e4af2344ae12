import { openWhenUsed } from "../memory/open-when-used.ts";
import { DEFAULT_AGENT } from "../contract/function.ts";
import type { FunctionsPort } from "./functions-port.ts";
import { forwardFunctionCalls } from "./forward-calls.ts";
import type { OpenedFunctions } from "./open-functions.ts";

/** What an open profile needs of its functions. */
export type UsedFunctions = Omit<OpenedFunctions, "evidence" | "ready" | "embedded">;

/** Functions that `open` opens when they are first used. */
export function openFunctionsWhenUsed(open: () => Promise<OpenedFunctions>): UsedFunctions {
  const { use, opened, close } = openWhenUsed("the functions", open);
  const ports = new Map<string, FunctionsPort>();
  function of(agentId = DEFAULT_AGENT): FunctionsPort {
    const port =
      ports.get(agentId) ?? forwardFunctionCalls(async (work) => work((await use()).functions.of(agentId)));
    ports.set(agentId, port);
    return port;
  }
  return {
    functions: {
      of,
      reverification: () => opened()?.functions.reverification(),
      awaitingReverification: async () => (await use()).functions.awaitingReverification(),
    },
    archive: {
      list: async () => (await use()).archive.list(),
      read: async (...args) => (await use()).archive.read(...args),
      restore: async (...args) => (await use()).archive.restore(...args),
    },
    quarantined: async () => (await use()).quarantined(),
    reconcile: async () => (await use()).reconcile(),
    rebuild: async () => (await use()).rebuild(),
    close,
  };
}
