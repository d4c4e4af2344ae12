import { StorageUsage } from "@metahuman/core/contract/http";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "The profile's use of storage and its quota, in bytes and files",
    needs: "canReadMemory",
    input: {},
    output: StorageUsage,
  },
  ({ caller }) => caller.profile.quota.usage(),
);
