import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Who signed in; undefined without a password. */
  user: string | undefined;
  isEncrypted: boolean;
  /** Headers and text as they arrived. */
  source: string;
}

export interface MailServer {
  port: number;
  received: ReceivedMail[];
  /** Answers the next messages with this SMTP error; undefined to accept them again. */
  refuseWith(code: number | undefined): void;
  close(): Promise<void>;
}

/** The authority that has signed the certificates of the mail servers, in PEM. */
export const readTestAuthority = () => readFile(new URL("ca.pem", FIXTURES), "utf8");

const FIXTURES = new URL("../fixtures/mail/", import.meta.url);

/** A mail server on loopback that accepts messages for every recipient and stores them. */
export async function startMailServer({
  security = "none",
  certificate = "server",
  password,
  closesAt,
}: {
  /** `starttls` offers STARTTLS; `tls` accepts TLS connections only. */
  security?: "none" | "starttls" | "tls";
  /** `server` is for 127.0.0.1 and valid. All are signed by the test authority, except the one that is self-signed. */
  certificate?: "server" | "other-host" | "expired" | "self-signed";
  /** Required of everybody who sends. */
  password?: string;
  /** Where the server closes the connection instead of answering. */
  closesAt?: "greeting" | "handshake" | "password" | "message";
} = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let refusal: number | undefined;
  const closes = (at: typeof closesAt): boolean => {
    if (at !== closesAt) return false;
    for (const socket of sockets) socket.destroy();
    return true;
  };
  const server = new SMTPServer({
    logger: false,
    authOptional: password === undefined,
    secure: security === "tls",
    key: await readFile(new URL("server-key.pem", FIXTURES)),
    cert: await readFile(new URL(`${certificate}.pem`, FIXTURES)),
    ...(security === "none" && { disabledCommands: ["STARTTLS"] }),
    allowInsecureAuth: true,
    onSecure: (_socket, _session, callback) => {
      if (!closes("handshake")) callback(null);
    },
    onConnect: (_session, callback) => {
      if (!closes("greeting")) callback(null);
    },
    onAuth: ({ username, password: given }, _session, callback) => {
      if (closes("password")) return;
      if (given === password) callback(null, { user: username ?? "" });
      else callback(new Error("wrong password"));
    },
    onData: (stream, session, callback) => {
      if (closes("message")) return;
      const { mailFrom, rcptTo } = session.envelope;
      text(stream).then(
        (source) => {
          if (refusal !== undefined)
            return callback(Object.assign(new Error("not now"), { responseCode: refusal }));
          received.push({
            from: mailFrom === false ? "" : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            user: typeof session.user === "string" ? session.user : undefined,
            isEncrypted: session.secure,
            source,
          });
          return callback(null);
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error("the message broke off")),
      );
    },
  });
  // A client that refuses the certificate ends the connection in the middle of the handshake.
  server.on("error", () => undefined);
  const listening = server.listen(0, "127.0.0.1");
  listening.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await once(listening, "listening");
  const address = listening.address();
  if (address === null || typeof address === "string") throw new TypeError("the mail server has no port");
  return {
    port: address.port,
    received,
    refuseWith: (code) => (refusal = code),
    close: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(resolve);
      return promise;
    },
  };
}
