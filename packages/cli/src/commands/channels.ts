import { text as readText } from "node:stream/consumers";
import {
  ChannelEdit,
  type ChannelServers,
  ChannelServersEdit,
  type ChannelState,
} from "@metahuman/core/contract/channels";
import { NoticeChannel } from "@metahuman/core/contract/notice";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import type { Command } from "commander";
import { formatTime, table } from "../output.ts";
import { parseInput } from "../parse-input.ts";
import { type AddCommand, type CommandContext, openSession, requirePermission } from "../session.ts";

const SURFACE = { surface: "cli" } as const;

/** `mh channels`: where notices are delivered besides the page and the terminal. */
export const addChannelsCommand: AddCommand = (program, context) => {
  const channels = program
    .command("channels")
    .description("where notices are delivered besides the page: ntfy, e-mail, a webhook");

  channels
    .command("list")
    .description("list the channels with their last delivery")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see channels");
      const items = await session.profile.channels.list();
      const servers = session.policy.canAdminister ? await session.brain.channelServers.current() : undefined;
      const problem = session.profile.channels.problem();
      const lines = [
        table(items.map((state) => [state.channel, describe(state), lastOf(state, session.timeZone)])),
        ...(problem === undefined ? [] : [`channels.json of the profile is not used: ${problem}`]),
      ];
      context().output.result({ channels: items, servers }, lines.join("\n"));
    });

  addOn(channels, context);

  channels
    .command("off <channel>")
    .description("turn a channel off and delete its settings")
    .action(async (text: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canChangePersona, session, "change channels");
      const answer = await session.profile.channels.remove(parseChannel(text), SURFACE);
      context().output.result(answer, `Notices no longer go to ${answer.channel.channel}.`);
    });

  channels
    .command("test <channel>")
    .description("send a test message now")
    .action(async (text: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canChangePersona, session, "send messages");
      const channel = parseChannel(text);
      const answer = await session.profile.channels.test(channel, context().signal);
      context().output.result(answer, `The server accepted the message after ${answer.latencyMs} ms.`);
    });

  addServer(channels, context);
};

interface OnOptions {
  to?: string;
  urgency?: string;
  token?: boolean;
  renewSecret?: boolean;
}

function addOn(channels: Command, context: () => CommandContext): void {
  channels
    .command("on <channel>")
    .description("deliver notices to a channel")
    .requiredOption("--to <address>", "a topic of ntfy, an e-mail address, or the address of a webhook")
    .option("--urgency <least>", "the lowest urgency to deliver: low, normal (the default) or high")
    .option("--token", "ntfy: read the access token of the topic from standard input")
    .option("--renew-secret", "webhook: make a new secret for the signatures")
    .action(async (text: string, options: OnOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canChangePersona, session, "change channels");
      const channel = parseChannel(text);
      const to = channel === "ntfy" ? "topic" : channel === "smtp" ? "to" : "url";
      const edit = parseInput(ChannelEdit, {
        channel,
        [to]: options.to,
        ...(options.urgency !== undefined && { leastUrgency: options.urgency }),
        ...(options.token === true && { token: (await readText(context().input)).trim() }),
        ...(options.renewSecret === true && { renewSecret: true }),
      });
      const answer = await session.profile.channels.save(edit, SURFACE);
      const { secret } = answer;
      const secretLines =
        secret === undefined ? [] : [`Secret for checking signatures, shown only now: ${secret}`];
      const outputLines = [
        `Notices go to ${describe(answer.channel)}.`,
        ...secretLines,
        `Test: mh channels test ${channel}`,
      ];
      context().output.result(answer, outputLines.join("\n"));
    });
}

interface ServerOptions {
  on?: boolean;
  off?: boolean;
  server?: string;
  host?: string;
  port?: string;
  security?: string;
  username?: string;
  password?: boolean;
  from?: string;
  pageUrl?: string;
}

function addServer(channels: Command, context: () => CommandContext): void {
  channels
    .command("server <channel>")
    .description("for owners: turn a channel on for this installation and name its server")
    .option("--on", "turn the channel on for everybody")
    .option("--off", "turn the channel off for everybody")
    .option("--server <address>", "ntfy: the server, https://ntfy.sh by default")
    .option("--host <host>", "smtp: the mail server")
    .option("--port <port>", "smtp: its port")
    .option("--security <kind>", "smtp: tls, starttls or none")
    .option("--username <name>", "smtp: the user name to sign in with")
    .option("--password", "smtp: read the password from standard input; it is stored encrypted")
    .option("--from <address>", "smtp: the sender")
    .option("--page-url <address>", "where people reach the page; links in messages begin with it")
    .action(async (text: string, options: ServerOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canAdminister, session, "change the servers of channels");
      const channel = parseChannel(text);
      const { on, off, pageUrl, port, password, ...given } = options;
      const edit = parseInput(ChannelServersEdit, {
        [channel]: {
          ...given,
          ...((on ?? off) !== undefined && { enabled: on === true }),
          ...(port !== undefined && { port: Number(port) }),
          ...(password === true && { password: (await readText(context().input)).trim() }),
        },
        ...(pageUrl !== undefined && { pageUrl }),
      });
      const servers = await session.brain.channelServers.save(edit);
      await session.profile.audit.append({
        event: "channel_servers_changed",
        actor: session.profile.username,
        surface: "cli",
        details: { changed: Object.keys(edit) },
      });
      context().output.result({ servers }, describeServer(channel, servers));
    });
}

function parseChannel(text: string): NoticeChannel {
  const channel = NoticeChannel.safeParse(text);
  if (channel.success) return channel.data;
  throw new InvalidRequestError(`There is no channel "${text}".`, { suggestions: NoticeChannel.options });
}

function describe(state: ChannelState): string {
  if (!state.available) return "not turned on by the owner";
  if (!state.enabled) return "off";
  switch (state.channel) {
    case "ntfy":
      return `${state.server}, topic ${state.topic}${state.hasToken ? ", with a token" : ""}`;
    case "smtp":
      return state.to;
    case "webhook":
      return state.url;
    default:
      return state satisfies never;
  }
}

function lastOf({ last }: ChannelState, timeZone: string): string {
  if (last === null) return "nothing sent yet";
  return last.state === "delivered"
    ? `delivered${last.at === undefined ? "" : ` ${formatTime(last.at, timeZone)}`}`
    : `${last.state}: ${last.error ?? "no answer"}`;
}

function describeServer(channel: NoticeChannel, { ntfy, smtp, webhook }: ChannelServers): string {
  switch (channel) {
    case "ntfy":
      return `ntfy is ${ntfy.enabled ? `on: ${ntfy.server}` : "off"}.`;
    case "smtp":
      return `E-mail is ${smtp.enabled ? `on: ${smtp.host}:${smtp.port}, ${smtp.security}, from ${smtp.from}` : "off"}.`;
    case "webhook":
      return `Webhooks are ${webhook.enabled ? "on" : "off"}.`;
    default:
      return channel satisfies never;
  }
}
