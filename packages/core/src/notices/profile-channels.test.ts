import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProfileChannels } from "./open-profile-channels.ts";
import { describeProfileChannels } from "./profile-channels.suite.ts";

describeProfileChannels("in a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mh-channels-"));
  return {
    open: async () => openProfileChannels({ channels: join(folder, "channels.json") }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
});
