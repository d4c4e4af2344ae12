import { createHmac } from "node:crypto";
import type { SmtpSecurity } from "@metahuman/core/contract/channels";
import type { Notice } from "@metahuman/core/contract/notice";
import { RateLimitedError } from "@metahuman/core/errors/access-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { NetworkError } from "@metahuman/core/errors/service-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { SMTPTransportOptions } from "nodemailer/lib/smtp-transport";
import { z } from "zod";
import type { WebResponse } from "../network/exchange.ts";
import type { Web } from "../network/web.ts";

/** The destination of a message, with everything that is needed to send it. */
export type ChannelTarget =
  | { channel: "ntfy"; server: string; topic: string; token?: string }
  | {
      channel: "smtp";
      host: string;
      port: number;
      security: SmtpSecurity;
      auth?: { user: string; pass: string };
      from: string;
      to: string;
    }
  | { channel: "webhook"; url: string; secret: string };

export interface ChannelMessage extends Pick<Notice, "id" | "title" | "body" | "urgency"> {
  /** An absolute address. */
  link?: string;
  /** ISO 8601. */
  at: string;
}

/** Sends messages over the channels of people. */
export interface ChannelSender {
  /**
   * Resolves when the server has accepted the message. Throws `NetworkError`, `TimeoutError` or `RateLimitedError` where another
   * attempt may succeed; `PermissionDeniedError` for a private address that the owner has not named, and
   * `InvalidArgsError` for what the server refuses. No error contains a secret.
   */
  send(target: ChannelTarget, message: ChannelMessage, signal: AbortSignal): Promise<void>;
}

/** The longest text of a push message, in bytes; ntfy turns longer ones into attachments. */
const MAX_PUSH_BYTES = 3_500;
/** The maximum length of a response that is read, in bytes. */
const MAX_ANSWER_BYTES = 4_096;
/** The priorities of ntfy: 2 is low, 3 is the default, 4 is high. */
const NTFY_PRIORITY = { low: 2, normal: 3, high: 4 } as const;

/** Node's error codes for TLS and certificates. */
const TLS_ERROR = /^(?:ERR_SSL|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_)/u;
const CERTIFICATE_PROBLEMS = [
  [/^CERT_HAS_EXPIRED$/u, "Its certificate has expired."],
  [/^CERT_NOT_YET_VALID$/u, "Its certificate is not valid yet."],
  [/^ERR_TLS_CERT_ALTNAME/u, "Its certificate is for another host name."],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/u,
    "Its certificate is not signed by an authority that this machine knows.",
  ],
] as const;
/** Node's error codes for a connection that the other side closed. */
const CLOSED: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

/** Sends through the guarded network: private addresses are refused unless the owner has named them. */
export function createChannelSender(web: Pick<Web, "post" | "connect">): ChannelSender {
  return {
    async send(target, message, signal) {
      switch (target.channel) {
        case "ntfy":
          return requireAccepted(
            new URL(target.server).host,
            await web.post(target.server, ntfyRequest(target, message, signal)),
          );
        case "webhook":
          return requireAccepted(
            new URL(target.url).host,
            await web.post(target.url, webhookRequest(target, message, signal)),
          );
        case "smtp":
          return await sendMail(web, target, message, signal);
        default:
          return target satisfies never;
      }
    },
  };
}

function ntfyRequest(
  { topic, token }: Extract<ChannelTarget, { channel: "ntfy" }>,
  { title, body, link, urgency }: ChannelMessage,
  signal: AbortSignal,
) {
  return {
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      topic,
      title,
      // ntfy shows the word "triggered" for an empty message.
      message: truncateToBytes(body) || title,
      priority: NTFY_PRIORITY[urgency],
      ...(link !== undefined && { click: link }),
    }),
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  };
}

/** A request by the specification of Standard Webhooks: HMAC-SHA-256 of id, time and body. */
function webhookRequest(
  { secret }: Extract<ChannelTarget, { channel: "webhook" }>,
  { id, title, body, link, urgency, at }: ChannelMessage,
  signal: AbortSignal,
) {
  const timestamp = String(Math.floor(Date.parse(at) / 1_000));
  const content = JSON.stringify({
    type: "notice",
    timestamp: at,
    data: { id, title, body, urgency, ...(link !== undefined && { link }) },
  });
  const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${content}`).digest("base64");
  return {
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body: content,
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  };
}

/** Throws unless the server has accepted the message. */
function requireAccepted(host: string, { status }: WebResponse): void {
  if (status >= 200 && status < 300) return;
  if (status === 429) throw new RateLimitedError(`${host} does not accept more messages at the moment.`);
  if (status >= 500 || status === 408) throw new NetworkError(`${host} answered with an error (${status}).`);
  const isRefused = status === 401 || status === 403;
  throw new InvalidArgsError(`${host} did not accept the message (${status}).`, {
    suggestions: [isRefused ? "Check the token or the secret." : "Check the address."],
  });
}

async function sendMail(
  web: Pick<Web, "connect">,
  { host, port, security, auth, from, to }: Extract<ChannelTarget, { channel: "smtp" }>,
  { id, title, body, link, urgency }: ChannelMessage,
  signal: AbortSignal,
): Promise<void> {
  // Loaded with the first message, because most installations send none.
  const { createTransport } = await import("nodemailer");
  const connection = await web.connect(host, port, signal);
  const server: SMTPTransportOptions = {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(auth && { auth }),
    getSocket: (_options, callback) => callback(null, { connection }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transport = createTransport(server);
  const stop = () => void connection.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await transport.sendMail({
      from: { name: "MetaHuman OS", address: from },
      to,
      subject: title.replaceAll(/\s+/gu, " "),
      text: [body, ...(link === undefined ? [] : [link])].join("\n\n"),
      // The same for every attempt, so that a mailbox recognizes a repeated message.
      messageId: `<${id}@${from.split("@")[1] ?? host}>`,
      headers: { "Auto-Submitted": "auto-generated" },
      ...(urgency === "high" && { priority: "high" }),
    });
  } catch (error) {
    if (signal.aborted)
      throw new TimeoutError(`${host} did not accept the message in time.`, {
        suggestions: ["Check the port and the encryption of the server."],
        cause: error,
      });
    throw mailError(error, host);
  } finally {
    signal.removeEventListener("abort", stop);
    transport.close();
    connection.destroy();
  }
}

/**
 * Converts an SMTP error. A permanent error (5xx) is final; others may be temporary. Omits the text of the server,
 * which may repeat the message.
 */
function mailError(error: unknown, host: string): MetahumanError {
  if (error instanceof MetahumanError) return error;
  const { code, originalCode, responseCode, command } = codesOf(error);
  const isTemporary = responseCode !== undefined && responseCode < 500;
  if (code === "EAUTH" && !isTemporary)
    return new InvalidArgsError(`${host} refused the username or the password.`, { cause: error });
  const isClosed = CLOSED.has(originalCode) || (originalCode === "" && command === "CONN");
  if (responseCode === undefined && isClosed)
    return new NetworkError(`${host} closed the connection before it accepted the message.`, {
      cause: error,
    });
  if (code === "ETLS" || TLS_ERROR.test(originalCode)) {
    const reason = CERTIFICATE_PROBLEMS.find(([pattern]) => pattern.test(originalCode))?.[1];
    return new InvalidArgsError(
      [
        `An encrypted connection to ${host} could not be established.`,
        ...(reason === undefined ? [] : [reason]),
      ].join(" "),
      {
        suggestions: [
          reason === undefined
            ? "Check the port and the encryption of the server."
            : "Check the certificate and the host name of the server.",
        ],
        cause: error,
      },
    );
  }
  if (responseCode !== undefined && responseCode >= 500)
    return new InvalidArgsError(`${host} refused the message (${responseCode}).`, {
      suggestions: ["Check the sender and the address that it goes to."],
      cause: error,
    });
  const answer = responseCode === undefined ? "" : ` (${responseCode})`;
  return new NetworkError(`${host} did not accept the message${answer}.`, { cause: error });
}

const MailErrorCodes = z.object({
  code: z.string().catch(""),
  /** The error code of the socket or of TLS. */
  originalCode: z.string().catch(""),
  responseCode: z.int().optional().catch(undefined),
  /** The failed operation; `CONN` if the connection ended. */
  command: z.string().catch(""),
});

function codesOf(error: unknown): z.output<typeof MailErrorCodes> {
  const parsed = MailErrorCodes.safeParse(error);
  return parsed.success ? parsed.data : MailErrorCodes.parse({});
}

function truncateToBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_PUSH_BYTES) return text;
  return `${bytes
    .subarray(0, MAX_PUSH_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "")}…`;
}
