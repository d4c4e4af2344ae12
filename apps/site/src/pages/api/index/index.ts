import { IndexStatus } from "@metahuman/core/contract/http";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  { summary: "How far the search index is", needs: "canReadMemory", takes: {}, answer: IndexStatus },
  ({ caller }) => caller.profile.index.status(),
);

export const POST = route(
  {
    summary: "Rebuild the search index from the files, in the background",
    needs: "canWriteMemory",
    takes: {},
    answer: IndexStatus,
    status: 202,
  },
  ({ caller }) => caller.profile.index.rebuild(),
);
