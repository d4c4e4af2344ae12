import { ChannelAnswer, ChannelEdit, ChannelQuery, ChannelsAnswer } from "@metahuman/core/contract/channels";
import { startOptions } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary:
      "The channels that deliver notices outside the page; owners also see their servers. Secrets are never returned",
    needs: "canReadRuns",
    input: {},
    output: ChannelsAnswer,
  },
  async ({ brain, caller: { profile, policy } }) => {
    const problem = profile.channels.problem();
    return {
      channels: await profile.channels.list(),
      ...(problem !== undefined && { problem }),
      ...(policy.canAdminister && { servers: await brain.channelServers.current() }),
    };
  },
);

export const PUT = route(
  {
    summary: "Turn a channel on or change it; a token is stored encrypted, a signing secret is returned once",
    needs: "canChangePersona",
    input: { body: ChannelEdit },
    output: ChannelAnswer,
  },
  ({ body, caller }) => caller.profile.channels.save(body, startOptions(caller)),
);

export const DELETE = route(
  {
    summary: "Turn a channel off and delete its stored settings",
    needs: "canChangePersona",
    input: { query: ChannelQuery },
    output: ChannelAnswer,
  },
  ({ query: { channel }, caller }) => caller.profile.channels.remove(channel, startOptions(caller)),
);
