import type { OpenedFunctions } from "@metahuman/core/functions/open-functions";
import type { IndexControl as MemoryIndexControl } from "@metahuman/core/memory/index/index-control";
import type { IndexControl } from "./brain.ts";

/** The search indexes of a profile, memories and functions, as the one thing that people know. */
export function createProfileIndex(parts: {
  memory: MemoryIndexControl;
  functions: Pick<OpenedFunctions, "rebuild">;
}): IndexControl {
  let functionsAreRebuilt = false;

  async function status() {
    const { rebuilding, ...rest } = await parts.memory.status();
    return { ...rest, rebuilding: rebuilding || functionsAreRebuilt };
  }

  function rebuildFunctions(): void {
    if (functionsAreRebuilt) return;
    functionsAreRebuilt = true;
    void parts.functions.rebuild().finally(() => {
      functionsAreRebuilt = false;
    });
  }

  return {
    status,
    async rebuild({ excludeFunctions = false } = {}) {
      if (!excludeFunctions) rebuildFunctions();
      await parts.memory.rebuild();
      return status();
    },
  };
}
