import { ChannelServers, ChannelServersEdit } from "@metahuman/core/contract/channels";
import { auditAction } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

export const PUT = route(
  {
    summary: "Set which channels people may use, and their servers; a password is stored encrypted",
    needs: "canAdminister",
    input: { body: ChannelServersEdit },
    output: ChannelServers,
  },
  async ({ body, brain, caller }) => {
    const servers = await brain.channelServers.save(body);
    await auditAction(caller, "channel_servers_changed", { changed: Object.keys(body) });
    return servers;
  },
);
