import { PersonaEdit } from "@metahuman/core/contract/answers";
import { PersonaAnswer } from "@metahuman/core/contract/http";
import { route } from "../../server/api/route.ts";

export const GET = route(
  { summary: "The persona of the operator", needs: "canReadMemory", input: {}, output: PersonaAnswer },
  async ({ caller }) => ({ persona: await caller.profile.store.persona() }),
);

const change = route(
  {
    summary: "Change the persona; omitted fields stay unchanged",
    needs: "canChangePersona",
    input: { body: PersonaEdit },
    output: PersonaAnswer,
  },
  async ({ body, caller }) => ({ persona: await caller.profile.store.changePersona(body) }),
);

export { change as PATCH, change as POST, change as PUT };
