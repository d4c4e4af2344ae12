import { ModeAnswer } from "@metahuman/core/contract/answers";
import { ModeChange } from "@metahuman/core/contract/http";
import { route } from "../../server/api/route.ts";

export const GET = route(
  { summary: "The cognitive mode", needs: "sign-in", scope: "read", input: {}, output: ModeAnswer },
  ({ caller }) => ({ mode: caller.me.mode }),
);

const change = route(
  {
    summary: "Change the cognitive mode",
    needs: "canChangeMode",
    input: { body: ModeChange },
    output: ModeAnswer,
  },
  async ({ body, caller }) => {
    const { mode } = await caller.profile.store.changeSettings({ mode: body.mode });
    return { mode };
  },
);

export { change as PATCH, change as POST, change as PUT };
