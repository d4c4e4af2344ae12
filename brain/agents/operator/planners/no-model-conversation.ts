import type { Planner } from "../planner.ts";

const ANSWER =
  "In emulation this is conversation and nothing else, and conversation needs a model, which is not there. " +
  "Start Ollama or name a model server in etc/models.json, or switch the mode to dual or agent to work with skills.";

const ANSWER_TO_GUEST =
  "This persona cannot answer at the moment: there is no language model on its server. Please try again later.";

/** Stands in for conversation while there is no model: says so, and makes nothing up. */
export const noModelConversation: Planner = {
  name: "conversation",
  async next({ persona }) {
    // Only a guest speaks with a persona here, and a guest cannot set up the server.
    return { kind: "answer", thought: "", style: "default", text: persona ? ANSWER_TO_GUEST : ANSWER };
  },
};
