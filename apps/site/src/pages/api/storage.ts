import { StorageUsage } from "@metahuman/core/contract/http";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "How many bytes and files the profile holds, and how many it may",
    needs: "canReadMemory",
    input: {},
    output: StorageUsage,
  },
  ({ caller }) => caller.profile.quota.usage(),
);
