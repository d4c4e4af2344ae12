import { ChannelQuery, ChannelTestAnswer } from "@metahuman/core/contract/channels";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Send a test message on a channel now; the answer says why it was not taken",
    needs: "canChangePersona",
    input: { body: ChannelQuery },
    output: ChannelTestAnswer,
  },
  ({ body: { channel }, caller, request }) => caller.profile.channels.test(channel, request.signal),
);
