import { z } from "zod";
import { ArchivePage } from "@metahuman/core/contract/http";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { commaList, listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Deleted and overwritten files, memories and tasks, newest first; all, or those in ?ids=",
    needs: "canReadRuns",
    input: { query: listQuery("newest").extend({ ids: commaList(z.string().max(500)).optional() }) },
    output: ArchivePage,
  },
  ({ query: { sort: _newest, ...query }, caller }) => caller.profile.archive.list(omitUndefined(query)),
);
