import { createHmac } from "node:crypto";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type MailServer,
  readTestAuthority,
  startMailServer,
} from "../../../../tests/support/mail-server.ts";
import { startWebServer, type WebServer } from "../../../../tests/support/web-server.ts";
import { createWeb } from "../network/web.ts";
import { type ChannelMessage, type ChannelTarget, createChannelSender } from "./channel-sender.ts";

const message: ChannelMessage = {
  id: "notice-01kaswk2p0000000000000000a",
  title: "Water the plants",
  body: "Reminder for Friday 27 November 2026 at 09:00.",
  urgency: "high",
  link: "https://home.example/automations?id=1",
  at: "2026-11-27T09:00:00.000Z",
};
const SECRET = `whsec_${Buffer.from("a shared secret of many bytes").toString("base64")}`;

let web: WebServer;
let mail: MailServer | undefined;
let status = 200;
let location: string | undefined;
let requests: { url: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];

beforeEach(async () => {
  status = 200;
  location = undefined;
  requests = [];
  web = await startWebServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ url: request.url ?? "", headers: request.headers, body });
      response.writeHead(status, location === undefined ? {} : { location }).end("{}");
    });
  });
});
afterEach(async () => {
  await web.close();
  await mail?.close();
  mail = undefined;
});

function send(
  target: ChannelTarget,
  privateHosts: readonly string[],
  { signal = new AbortController().signal, ...rest }: Partial<ChannelMessage> & { signal?: AbortSignal } = {},
): Promise<void> {
  const sender = createChannelSender(createWeb(() => ({ privateHosts, timeoutMs: 5_000 })));
  return sender.send(target, { ...message, ...rest }, signal);
}
const ntfy = (): ChannelTarget => ({
  channel: "ntfy",
  server: `http://${web.host}`,
  topic: "ada",
  token: "tk_secret123",
});
const webhook = (): ChannelTarget => ({
  channel: "webhook",
  url: `http://${web.host}/hook?key=abc`,
  secret: SECRET,
});
const smtp = ({ port }: MailServer, rest: object = {}): ChannelTarget => ({
  ...{ channel: "smtp", host: "127.0.0.1", port, security: "none" },
  ...{ from: "os@home.example", to: "ada@home.example" },
  ...rest,
});

describe("ntfy", () => {
  it("receives title, text, urgency and link in its own format, with the token", async () => {
    await send(ntfy(), [web.host]);
    expect(requests[0]?.headers.authorization).toBe("Bearer tk_secret123");
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      topic: "ada",
      title: "Water the plants",
      message: "Reminder for Friday 27 November 2026 at 09:00.",
      priority: 4,
      click: "https://home.example/automations?id=1",
    });
  });

  it("receives no more text than it accepts as a message", async () => {
    await send(ntfy(), [web.host], { body: "ø".repeat(4_000) });
    expect(Buffer.byteLength(requests[0]?.body ?? "")).toBeLessThan(4_000);
    expect(requests[0]?.body).not.toContain("\uFFFD");
  });
});

describe("a webhook", () => {
  it("receives a body with a signature made with its secret", async () => {
    await send(webhook(), [web.host]);
    const [request] = requests;
    const {
      "webhook-id": id,
      "webhook-timestamp": at,
      "webhook-signature": signature,
    } = request?.headers ?? {};
    const expected = createHmac("sha256", "a shared secret of many bytes")
      .update(`${String(id)}.${String(at)}.${request?.body}`)
      .digest("base64");
    expect(signature).toBe(`v1,${expected}`);
    expect(id).toBe(message.id);
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      type: "notice",
      data: { title: "Water the plants" },
    });
  });

  it("is not sent to another address after a redirect", async () => {
    status = 307;
    location = "http://127.0.0.1:1/elsewhere";
    await expect(send(webhook(), [web.host])).rejects.toMatchObject({ code: "INVALID_ARGS" });
    expect(requests).toHaveLength(1);
  });

  it.each([
    [404, "INVALID_ARGS"],
    [401, "INVALID_ARGS"],
    [429, "RATE_LIMITED"],
    [503, "NETWORK_ERROR"],
  ])("fails with a reason when it responds with %i, without its full address", async (given, code) => {
    status = given;
    const error: unknown = await send(webhook(), [web.host]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/key=abc|whsec_/u);
  });
});

describe("mail", () => {
  it("arrives with subject, text and link, and one id for all attempts", async () => {
    mail = await startMailServer();
    await send(smtp(mail), ["127.0.0.1"], { title: "Water\r\nBcc: eve@evil.example" });
    const [received] = mail.received;
    expect(received).toMatchObject({ from: "os@home.example", to: ["ada@home.example"], isEncrypted: false });
    expect(received?.source).toContain("Subject: Water Bcc: eve@evil.example");
    expect(received?.source).toContain(`Message-ID: <${message.id}@home.example>`);
    expect(received?.source).toContain("https://home.example/automations?id=");
  });

  it("distinguishes a refusal from a temporary failure", async () => {
    mail = await startMailServer();
    mail.refuseWith(452);
    await expect(send(smtp(mail), ["127.0.0.1"])).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    mail.refuseWith(550);
    await expect(send(smtp(mail), ["127.0.0.1"])).rejects.toMatchObject({ code: "INVALID_ARGS" });
    mail.refuseWith(undefined);
    await send(smtp(mail), ["127.0.0.1"]);
    expect(mail.received).toHaveLength(1);
  });

  it("is not sent without the requested encryption", async () => {
    mail = await startMailServer();
    for (const security of ["starttls", "tls"])
      await expect(
        send(smtp(mail, { security, auth: { user: "ada", pass: "hunter2-hunter2" } }), ["127.0.0.1"]),
      ).rejects.toMatchObject({ code: "INVALID_ARGS" });
    expect(mail.received).toEqual([]);
  });

  describe.each(["starttls", "tls"] as const)("over %s", (security) => {
    const PASSWORD = "hunter2-hunter2";
    const auth = { user: "ada", pass: PASSWORD };
    beforeAll(async () => {
      setDefaultCACertificates([...getCACertificates(), await readTestAuthority()]);
    });
    afterAll(() => setDefaultCACertificates(getCACertificates("bundled")));

    const start = async (options: Parameters<typeof startMailServer>[0]) =>
      (mail = await startMailServer({ security, password: PASSWORD, ...options }));
    const failure = async (rest: object = {}): Promise<unknown> =>
      await send(smtp(mail ?? (await start({})), { security, auth, ...rest }), ["127.0.0.1"]).then(
        () => "sent",
        (error: unknown) => error,
      );

    it("arrives encrypted, with the password, if the certificate is signed by a known authority", async () => {
      await start({});
      expect(await failure()).toBe("sent");
      expect(mail?.received).toMatchObject([{ user: "ada", isEncrypted: true, to: ["ada@home.example"] }]);
    });

    it.each([
      ["self-signed", "Its certificate is not signed by an authority that this machine knows."],
      ["other-host", "Its certificate is for another host name."],
      ["expired", "Its certificate has expired."],
    ] as const)("is not sent if the certificate is not accepted: %s", async (certificate, reason) => {
      await start({ certificate });
      expect(await failure()).toMatchObject({
        code: "INVALID_ARGS",
        message: `An encrypted connection to 127.0.0.1 could not be established. ${reason}`,
      });
      expect(mail?.received).toEqual([]);
    });

    it("reports a refused password without the password", async () => {
      await start({});
      const error = await failure({ auth: { user: "ada", pass: "wrong-wrong" } });
      expect(error).toMatchObject({
        code: "INVALID_ARGS",
        message: "127.0.0.1 refused the username or the password.",
      });
      expect(inspect(error)).not.toContain("wrong-wrong");
    });

    it.each(["greeting", "handshake", "password", "message"] as const)(
      "may be sent again after a server that closes the connection: %s",
      async (closesAt) => {
        await start({ closesAt });
        expect(await failure()).toMatchObject({
          code: "NETWORK_ERROR",
          message: "127.0.0.1 closed the connection before it accepted the message.",
        });
        expect(mail?.received).toEqual([]);
      },
    );
  });

  it("is not sent to a port with the other kind of encryption", async () => {
    mail = await startMailServer({ security: "starttls" });
    await expect(send(smtp(mail, { security: "tls" }), ["127.0.0.1"])).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
    await mail.close();
    mail = await startMailServer({ security: "tls" });
    // Each side waits for the other to begin.
    const signal = AbortSignal.timeout(500);
    await expect(send(smtp(mail, { security: "starttls" }), ["127.0.0.1"], { signal })).rejects.toMatchObject(
      {
        code: "TIMEOUT",
        suggestions: ["Check the port and the encryption of the server."],
      },
    );
  });

  it("reports a refused password without the password", async () => {
    mail = await startMailServer({ password: "hunter2-hunter2" });
    const error: unknown = await send(smtp(mail, { auth: { user: "ada", pass: "wrong-wrong" } }), [
      "127.0.0.1",
    ]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "INVALID_ARGS" });
    expect(error).toHaveProperty("message", "127.0.0.1 refused the username or the password.");
    await send(smtp(mail, { auth: { user: "ada", pass: "hunter2-hunter2" } }), ["127.0.0.1"]);
    expect(mail.received[0]?.user).toBe("ada");
  });
});

it("reaches no private address that the owner has not named", async () => {
  mail = await startMailServer();
  for (const target of [ntfy(), webhook(), smtp(mail), smtp(mail, { host: "localhost" })])
    await expect(send(target, [])).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  expect([requests, mail.received]).toEqual([[], []]);
});

it("reports an unreachable server, and times out on a silent one", async () => {
  await expect(
    send({ channel: "ntfy", server: "http://127.0.0.1:9", topic: "ada" }, ["127.0.0.1"]),
  ).rejects.toMatchObject({ code: "NETWORK_ERROR" });
  const sender = createChannelSender(createWeb(() => ({ privateHosts: ["127.0.0.1"], timeoutMs: 100 })));
  const silent = await startWebServer(() => undefined);
  const port = Number(silent.host.split(":")[1]);
  for (const target of [
    { channel: "ntfy", server: `http://${silent.host}`, topic: "ada" },
    { channel: "smtp", host: "127.0.0.1", port, security: "none", from: "a@b.example", to: "c@d.example" },
  ] satisfies ChannelTarget[])
    await expect(sender.send(target, message, AbortSignal.timeout(2_000))).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:TIMEOUT|NETWORK_ERROR)$/u),
    });
  await silent.close();
});
