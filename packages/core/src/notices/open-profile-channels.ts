import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ProfileChannels } from "../contract/channels.ts";
import type { NoticeChannel } from "../contract/notice.ts";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { replaceFile } from "../files/durable-file.ts";
import { fileText, parseFile } from "../files/file-content.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";

/** The channels of a profile, in its `channels.json`. Several processes may use them at once. */
export interface ProfileChannelStore {
  /**
   * The stored channels. Reads the file again only if it has changed, and synchronously, because a notice needs its
   * channels in the transaction that records it. An unreadable file counts as no channels; `problem` states the reason.
   */
  current(): ProfileChannels;
  /** Why the file is not used. */
  problem(): string | undefined;
  /** Sets one channel, or removes it. Throws `ConfigInvalidError` while the file is unreadable. */
  set<Channel extends NoticeChannel>(
    channel: Channel,
    entry: ProfileChannels[Channel] | undefined,
  ): Promise<void>;
  /** Call it only when no call is pending. */
  close(): void;
}

export function openProfileChannels({ channels: path }: Pick<ProfilePaths, "channels">): ProfileChannelStore {
  const lock = openFileLock(join(dirname(path), ".channels.lock"), "the channels");
  let cached: { stamp: string; channels: ProfileChannels; problem?: string } | undefined;

  function read(): { channels: ProfileChannels; problem?: string } {
    try {
      const { ino, size, mtimeNs } = statSync(path, { bigint: true });
      const stamp = `${ino}:${size}:${mtimeNs}`;
      if (cached?.stamp === stamp) return cached;
      const content = parseFile(ProfileChannels, readFileSync(path));
      cached =
        "reason" in content
          ? { stamp, channels: {}, problem: content.reason }
          : { stamp, channels: content.value };
      return cached;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return { channels: {} };
      throw fromNodeError(error, "the channels");
    }
  }

  return {
    current: () => read().channels,
    problem: () => read().problem,
    set: (channel, entry) =>
      lock.hold(async () => {
        const { channels, problem } = read();
        if (problem !== undefined)
          throw new ConfigInvalidError(`channels.json of the profile is not used: ${problem}.`, {
            suggestions: ["Correct the file, or move it elsewhere and set the channels up again."],
          });
        const { [channel]: _before, ...others } = channels;
        const changed = { ...others, ...(entry !== undefined && { [channel]: entry }) };
        const text = fileText(ProfileChannels.parse(changed));
        await replaceFile(path, text, "the channels", { mode: 0o600 });
      }),
    close: () => lock.close(),
  };
}
