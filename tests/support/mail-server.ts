import { once } from "node:events";
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
  /** Answers the next messages with this SMTP error; undefined to take them again. */
  refuseWith(code: number | undefined): void;
  close(): Promise<void>;
}

/** A mail server on loopback that takes messages for everybody and keeps them. */
export async function startMailServer({
  offersTls = false,
  password,
}: {
  /** Offers STARTTLS, with a certificate that nobody has signed. */
  offersTls?: boolean;
  /** Required of everybody who sends. */
  password?: string;
} = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: number | undefined;
  const server = new SMTPServer({
    logger: false,
    authOptional: password === undefined,
    ...(!offersTls && { disabledCommands: ["STARTTLS"] }),
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, callback) => {
      if (given === password) callback(null, { user: username ?? "" });
      else callback(new Error("wrong password"));
    },
    onData: (stream, session, callback) => {
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
