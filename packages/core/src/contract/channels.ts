import { z } from "zod";
import { Timestamp } from "./ids.ts";
import { NoticeChannel, NoticeUrgency } from "./notice.ts";

/** An encrypted secret, in base64. Worth nothing without the key of the installation. */
export const SealedSecret = z.strictObject({ nonce: z.base64(), tag: z.base64(), data: z.base64() });
export type SealedSecret = z.infer<typeof SealedSecret>;

/** The address of a server or a page. Without credentials, because addresses are shown and logged. */
const HttpUrl = z
  .url({ protocol: /^https?$/, error: "write an address such as https://example.org/hook" })
  .max(1_000)
  .refine((text) => {
    const url = URL.parse(text);
    return url === null || `${url.username}${url.password}${url.hash}` === "";
  }, "write the address without a user name and without a fragment");

/** `tls` from the first byte (port 465), `starttls` before anything is sent (587), or no encryption. */
export const SmtpSecurity = z.enum(["tls", "starttls", "none"]);
export type SmtpSecurity = z.infer<typeof SmtpSecurity>;

const MailAddress = z.email("write an address such as ada@example.org").max(254);
const HostName = z
  .string()
  .trim()
  .max(253)
  .regex(/^(?:[\w-]+\.)*[\w-]+$|^\[?[\da-f:.]+\]?$/i, "write a host name such as mail.example.org");

const SmtpServer = z.strictObject({
  enabled: z.boolean().default(false),
  host: HostName.or(z.literal("")).default(""),
  port: z.int().min(1).max(65_535).default(465),
  security: SmtpSecurity.default("tls"),
  username: z.string().trim().max(254).default(""),
  /** Written by the page or `mh channels`; bound to host and port. */
  password: SealedSecret.optional(),
  from: MailAddress.or(z.literal("")).default(""),
});
export type SmtpServer = z.infer<typeof SmtpServer>;

/** `etc/channels.json`: which channels the people of this installation may use, and through which servers. */
export const ChannelsConfig = z.strictObject({
  ntfy: z
    .strictObject({ enabled: z.boolean().default(false), server: HttpUrl.default("https://ntfy.sh") })
    .prefault({}),
  smtp: SmtpServer.prefault({})
    .refine(({ enabled, host, from }) => !enabled || (host !== "" && from !== ""), "name a host and a sender")
    .refine(
      ({ security, username }) => security !== "none" || username === "",
      "a password is not sent without encryption: choose tls or starttls, or no username",
    ),
  webhook: z.strictObject({ enabled: z.boolean().default(false) }).prefault({}),
  /** Where people reach the page; links in messages begin with it. Without it they have none. */
  pageUrl: HttpUrl.or(z.literal("")).default(""),
  timeoutMs: z.int().min(100).max(60_000).default(20_000),
  /** How often a delivery that failed is repeated, and how long before each, in seconds. */
  retryAfterSeconds: z.array(z.int().min(1).max(86_400)).max(10).default([30, 120, 600, 3_600]),
});
export type ChannelsConfig = z.infer<typeof ChannelsConfig>;

const Topic = z.string().regex(/^[\w-]{1,64}$/, "a topic has up to 64 letters, digits, _ and -");
const common = {
  /** Notices below this urgency are not delivered there. */
  leastUrgency: NoticeUrgency.default("normal"),
  changedAt: Timestamp,
};

/** `channels.json` of a profile: where its notices go. It is in no export. */
export const ProfileChannels = z.strictObject({
  ntfy: z.strictObject({ ...common, topic: Topic, token: SealedSecret.optional() }).optional(),
  smtp: z.strictObject({ ...common, to: MailAddress }).optional(),
  webhook: z.strictObject({ ...common, url: HttpUrl, secret: SealedSecret }).optional(),
});
export type ProfileChannels = z.infer<typeof ProfileChannels>;

const Secret = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .regex(/^[\x21-\x7e]+$/, "a token has no spaces");
const leastUrgency = NoticeUrgency.optional();

/** A change of a profile's channel, or a new one. An absent secret is kept, unless the server changes. */
export const ChannelEdit = z.discriminatedUnion("channel", [
  z.strictObject({
    channel: z.literal("ntfy"),
    leastUrgency,
    topic: Topic,
    /** The access token of a protected topic; null removes it. */
    token: Secret.nullable().optional(),
  }),
  z.strictObject({ channel: z.literal("smtp"), leastUrgency, to: MailAddress }),
  z.strictObject({
    channel: z.literal("webhook"),
    leastUrgency,
    url: HttpUrl,
    /** Makes a new secret for the signature. */
    renewSecret: z.boolean().optional(),
  }),
]);
export type ChannelEdit = z.infer<typeof ChannelEdit>;

/** The servers of the installation; what is absent stays. */
export const ChannelServersEdit = z.strictObject({
  ntfy: z.strictObject({ enabled: z.boolean().optional(), server: HttpUrl.optional() }).optional(),
  smtp: z
    .strictObject({
      enabled: z.boolean().optional(),
      host: HostName.optional(),
      port: z.int().min(1).max(65_535).optional(),
      security: SmtpSecurity.optional(),
      username: z.string().trim().max(254).optional(),
      /** null removes it. */
      password: z.string().min(1).max(2_000).nullable().optional(),
      from: MailAddress.optional(),
    })
    .optional(),
  webhook: z.strictObject({ enabled: z.boolean() }).optional(),
  pageUrl: HttpUrl.or(z.literal("")).optional(),
});
export type ChannelServersEdit = z.infer<typeof ChannelServersEdit>;

/** The last delivery on a channel. */
export const LastDelivery = z.strictObject({
  state: z.enum(["pending", "delivered", "failed"]),
  at: Timestamp.optional(),
  error: z.string().optional(),
});
export type LastDelivery = z.infer<typeof LastDelivery>;

const stateOf = {
  /** Whether the owner of the installation has turned the channel on. */
  available: z.boolean(),
  /** Whether notices of this profile are delivered there. */
  enabled: z.boolean(),
  leastUrgency: NoticeUrgency,
  last: LastDelivery.nullable(),
};

/** One channel of a profile, without secrets. */
export const ChannelState = z.discriminatedUnion("channel", [
  z.strictObject({
    channel: z.literal("ntfy"),
    ...stateOf,
    topic: z.string(),
    server: z.string(),
    hasToken: z.boolean(),
  }),
  z.strictObject({ channel: z.literal("smtp"), ...stateOf, to: z.string(), sender: z.string() }),
  z.strictObject({ channel: z.literal("webhook"), ...stateOf, url: z.string() }),
]);
export type ChannelState = z.infer<typeof ChannelState>;

/** The servers of the installation, without the password. */
export const ChannelServers = z.strictObject({
  ntfy: z.strictObject({ enabled: z.boolean(), server: z.string() }),
  smtp: z.strictObject({
    enabled: z.boolean(),
    host: z.string(),
    port: z.int(),
    security: SmtpSecurity,
    username: z.string(),
    from: z.string(),
    hasPassword: z.boolean(),
  }),
  webhook: z.strictObject({ enabled: z.boolean() }),
  pageUrl: z.string(),
});
export type ChannelServers = z.infer<typeof ChannelServers>;

/** The channels of a profile; `servers` for owners only. */
export const ChannelsAnswer = z.strictObject({
  channels: z.array(ChannelState),
  /** Why `channels.json` of the profile is not used. */
  problem: z.string().optional(),
  servers: ChannelServers.optional(),
});
export type ChannelsAnswer = z.infer<typeof ChannelsAnswer>;

/** `secret` is shown once, when it was made: receivers check signatures with it. */
export const ChannelAnswer = z.strictObject({ channel: ChannelState, secret: z.string().optional() });
export type ChannelAnswer = z.infer<typeof ChannelAnswer>;

export const ChannelQuery = z.strictObject({ channel: NoticeChannel });

/** The duration of a test message. */
export const ChannelTestAnswer = z.strictObject({
  delivered: z.literal(true),
  latencyMs: z.number().nonnegative(),
});
export type ChannelTestAnswer = z.infer<typeof ChannelTestAnswer>;
