import { PersonaEdit } from "@metahuman/core/contract/answers";
import { PersonaAnswer } from "@metahuman/core/contract/http";
import { route } from "../../server/api/route.ts";

export const GET = route(
  { summary: "Who the operator speaks as", needs: "canReadMemory", takes: {}, answer: PersonaAnswer },
  async ({ caller }) => ({ persona: await caller.profile.store.persona() }),
);

const change = route(
  {
    summary: "Change the persona; a missing field stays as it is",
    needs: "canChangePersona",
    takes: { body: PersonaEdit },
    answer: PersonaAnswer,
  },
  async ({ body, caller }) => ({ persona: await caller.profile.store.changePersona(body) }),
);

export { change as PATCH, change as POST, change as PUT };
