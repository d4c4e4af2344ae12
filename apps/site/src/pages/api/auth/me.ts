import { Me } from "@metahuman/core/contract/profile";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  { summary: "Who is signed in", needs: "sign-in", scope: "read", guests: true, input: {}, output: Me },
  ({ caller }) => caller.me,
);
