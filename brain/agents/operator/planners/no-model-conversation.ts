import type { Planner } from "../planner.ts";

const ANSWER =
  "In emulation this is conversation and nothing else, and conversation needs a model, which is not there. " +
  "Start Ollama or name a model server in etc/models.json, or switch the mode to dual or agent to work with skills.";

/** Stands in for conversation while there is no model: says so, and makes nothing up. */
export const noModelConversation: Planner = {
  name: "conversation",
  async next() {
    return { kind: "answer", thought: "", style: "default", text: ANSWER };
  },
};
