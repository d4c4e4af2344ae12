import { randomBytes } from "node:crypto";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import type {
  ChannelAnswer,
  ChannelEdit,
  ChannelsConfig,
  ChannelState,
  ChannelTestAnswer,
  LastDelivery,
} from "@metahuman/core/contract/channels";
import { type Notice, NoticeChannel, NoticeUrgency } from "@metahuman/core/contract/notice";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import type { ProfileChannelStore } from "@metahuman/core/notices/open-profile-channels";
import { ulid } from "@metahuman/core/text/ulid";
import {
  type ChannelMessage,
  type ChannelSender,
  type ChannelTarget,
  createChannelSender,
} from "@metahuman/sandbox/channels/channel-sender";
import { createWeb } from "@metahuman/sandbox/network/web";
import type { StartOptions } from "@metahuman/agents/operator/operator-options";
import { passwordOf } from "./channel-servers.ts";

/** The channels on which a profile's notices are delivered besides the page and the terminal. */
export interface ProfileChannelControl {
  list(): Promise<ChannelState[]>;
  /** Why the stored channels are not used. */
  problem(): string | undefined;
  /** Turns a channel on or changes it. Throws `ForbiddenError` while the owner has not turned it on for the installation. */
  save(edit: ChannelEdit, by: { surface: Surface }): Promise<ChannelAnswer>;
  /** Turns a channel off and deletes its settings. */
  remove(channel: NoticeChannel, by: { surface: Surface }): Promise<ChannelAnswer>;
  /** Sends a message now. Throws the reason why it was not taken. */
  test(channel: NoticeChannel, signal: AbortSignal): Promise<ChannelTestAnswer>;
}

type Surface = StartOptions["surface"];

interface Parts {
  username: string;
  store: ProfileChannelStore;
  sealer: SecretSealer;
  config: ConfigSource;
  sender: ChannelSender;
  audit: Pick<AuditLog, "append">;
  clock: () => Date;
}

export interface ProfileChannelParts {
  control(notices: NoticePort): ProfileChannelControl;
  /** The channels on which a notice of this urgency is delivered. */
  channelsFor(urgency: NoticeUrgency): NoticeChannel[];
  /** Throws a `MetahumanError` if the notice was not taken. */
  deliver(notice: Notice, channel: NoticeChannel, signal: AbortSignal): Promise<void>;
}

function createProfileChannels(parts: Parts): ProfileChannelParts {
  const { store, config, sender, clock } = parts;
  const settings = () => config.current().channels;

  async function deliver(
    message: ChannelMessage,
    channel: NoticeChannel,
    signal: AbortSignal,
  ): Promise<void> {
    await sender.send(targetOf(channel, parts), message, signal);
  }

  return {
    channelsFor(urgency) {
      const channels = store.current();
      const level = NoticeUrgency.options.indexOf(urgency);
      return NoticeChannel.options.filter((channel) => {
        const least = channels[channel]?.leastUrgency;
        return (
          settings()[channel].enabled && least !== undefined && NoticeUrgency.options.indexOf(least) <= level
        );
      });
    },
    deliver: (notice, channel, signal) => deliver(messageOf(notice, settings()), channel, signal),
    control(notices) {
      const stateOf = async (channel: NoticeChannel): Promise<ChannelState> =>
        describe(channel, { ...parts, last: (await notices.lastDeliveries()).get(channel) ?? null });
      const appendAudit = (event: string, channel: NoticeChannel, surface: Surface) =>
        parts.audit.append({ event, actor: parts.username, surface, details: { channel } });
      return {
        async list() {
          const last = await notices.lastDeliveries();
          return NoticeChannel.options.map((channel) =>
            describe(channel, { ...parts, last: last.get(channel) ?? null }),
          );
        },
        problem: () => store.problem(),
        async save(edit, { surface }) {
          const { channel } = edit;
          if (!settings()[channel].enabled) throw notAvailable(channel);
          const secret = await storeEdit(edit, parts);
          await appendAudit("channel_saved", channel, surface);
          return { channel: await stateOf(channel), ...(secret !== undefined && { secret }) };
        },
        async remove(channel, { surface }) {
          await store.set(channel, undefined);
          await appendAudit("channel_removed", channel, surface);
          return { channel: await stateOf(channel) };
        },
        async test(channel, signal) {
          const started = performance.now();
          const text = "Notices will arrive like this one.";
          const notice = {
            title: "Test message",
            body: text,
            urgency: "normal" as const,
            link: "/automations",
          };
          const id = `notice-${ulid()}`;
          await deliver(
            messageOf({ ...notice, id, visibleAt: clock().toISOString() }, settings()),
            channel,
            AbortSignal.any([signal, AbortSignal.timeout(settings().timeoutMs)]),
          );
          return { delivered: true, latencyMs: Math.round(performance.now() - started) };
        },
      };
    },
  };
}

/** Opens the channels of a profile; messages are sent through the guarded network. */
export function openChannels(parts: Omit<Parts, "sender">): ProfileChannelParts {
  const { config } = parts;
  const web = createWeb(() => ({
    privateHosts: config.current().skills.network.privateHosts,
    timeoutMs: config.current().channels.timeoutMs,
  }));
  return createProfileChannels({ ...parts, sender: createChannelSender(web) });
}

/** Stores a channel. Returns a secret that was made for it. */
async function storeEdit(edit: ChannelEdit, { store, sealer, config, username, clock }: Parts) {
  const before = store.current();
  const changedAt = clock().toISOString();
  switch (edit.channel) {
    case "ntfy": {
      const { topic, token } = edit;
      const storedToken = token === undefined ? before.ntfy?.token : undefined;
      const sealed =
        typeof token === "string" ? sealer.seal(token, tokenPurpose(username, config)) : storedToken;
      const leastUrgency = edit.leastUrgency ?? before.ntfy?.leastUrgency ?? "normal";
      await store.set("ntfy", { topic, leastUrgency, changedAt, ...(sealed && { token: sealed }) });
      return undefined;
    }
    case "smtp": {
      const leastUrgency = edit.leastUrgency ?? before.smtp?.leastUrgency ?? "normal";
      await store.set("smtp", { to: edit.to, leastUrgency, changedAt });
      return undefined;
    }
    case "webhook": {
      const storedSecret = edit.renewSecret === true ? undefined : before.webhook?.secret;
      const made = storedSecret ? undefined : `whsec_${randomBytes(32).toString("base64")}`;
      const secret = storedSecret ?? sealer.seal(made ?? "", webhookPurpose(username));
      const leastUrgency = edit.leastUrgency ?? before.webhook?.leastUrgency ?? "normal";
      await store.set("webhook", { url: edit.url, leastUrgency, changedAt, secret });
      return made;
    }
    default:
      return edit satisfies never;
  }
}

/** Everything that is needed to send there. Throws `NotFoundError` for a channel that is off. */
function targetOf(channel: NoticeChannel, { username, store, sealer, config }: Parts): ChannelTarget {
  const { ntfy, smtp } = config.current().channels;
  const channels = store.current();
  if (!config.current().channels[channel].enabled) throw notAvailable(channel);
  switch (channel) {
    case "ntfy": {
      const { topic, token } = requireChannel(channels.ntfy);
      if (!token) return { channel, server: ntfy.server, topic };
      const opened = sealer.open(token, tokenPurpose(username, config));
      if (opened === undefined) throw unreadableSecretError("token");
      return { channel, server: ntfy.server, topic, token: opened };
    }
    case "smtp": {
      const { to } = requireChannel(channels.smtp);
      const { host, port, security, from, username: user } = smtp;
      const auth = user === "" ? undefined : { user, pass: passwordOf(smtp, sealer) };
      return { channel, host, port, security, from, to, ...(auth && { auth }) };
    }
    case "webhook": {
      const { url, secret } = requireChannel(channels.webhook);
      const opened = sealer.open(secret, webhookPurpose(username));
      if (opened === undefined) throw unreadableSecretError("secret");
      return { channel, url, secret: opened };
    }
    default:
      return channel satisfies never;
  }
}

function describe(
  channel: NoticeChannel,
  { store, config, last }: Pick<Parts, "store" | "config"> & { last: LastDelivery | null },
): ChannelState {
  const servers = config.current().channels;
  const channels = store.current();
  const state = {
    available: servers[channel].enabled,
    enabled: channels[channel] !== undefined,
    leastUrgency: channels[channel]?.leastUrgency ?? "normal",
    last,
  };
  switch (channel) {
    case "ntfy":
      return {
        channel,
        ...state,
        topic: channels.ntfy?.topic ?? "",
        server: servers.ntfy.server,
        hasToken: channels.ntfy?.token !== undefined,
      };
    case "smtp":
      return { channel, ...state, to: channels.smtp?.to ?? "", sender: servers.smtp.from };
    case "webhook":
      return { channel, ...state, url: channels.webhook?.url ?? "" };
    default:
      return channel satisfies never;
  }
}

function messageOf(
  {
    id,
    title,
    body,
    urgency,
    link,
    visibleAt,
  }: Pick<Notice, "id" | "title" | "body" | "urgency" | "link" | "visibleAt">,
  { pageUrl }: Pick<ChannelsConfig, "pageUrl">,
): ChannelMessage {
  const page = link === undefined || pageUrl === "" ? undefined : URL.parse(link, pageUrl)?.href;
  return { id, title, body, urgency, at: visibleAt, ...(page !== undefined && { link: page }) };
}

/** A token is sent only to the server that it was entered for. */
const tokenPurpose = (username: string, config: ConfigSource): string =>
  secretPurposes(username, config.current().channels).ntfy;
const webhookPurpose = (username: string): string => `${username} webhook`;

/** The purposes for which the secrets of a person's channels are encrypted. */
export function secretPurposes(
  username: string,
  { ntfy }: Pick<ChannelsConfig, "ntfy">,
): { ntfy: string; webhook: string } {
  return {
    ntfy: `${username} ntfy ${new URL(ntfy.server).origin}`,
    webhook: webhookPurpose(username),
  };
}

function requireChannel<Channel>(channel: Channel | undefined): Channel {
  if (channel === undefined) throw new NotFoundError("This channel is off.");
  return channel;
}

function notAvailable(channel: NoticeChannel): ForbiddenError {
  return new ForbiddenError(`The owner of this installation has not turned ${channel} on.`, {
    suggestions: ["The owner turns it on in the settings, or in etc/channels.json."],
  });
}

function unreadableSecretError(what: "token" | "secret"): InvalidArgsError {
  return new InvalidArgsError(
    `The stored ${what} cannot be read, because it was stored for another server or on another installation.`,
    {
      suggestions: [what === "token" ? "Enter the token again." : "Make a new secret."],
    },
  );
}
