import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ChannelAnswer, ChannelsAnswer } from "@metahuman/core/contract/channels";
import { NoticePage } from "@metahuman/core/contract/notice";
import { ScheduleAnswer } from "@metahuman/core/contract/schedule";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { type MailServer, readTestAuthority, startMailServer } from "../support/mail-server.ts";
import { startServerHere, type TestServer } from "../support/server.ts";
import { startWebServer, type WebServer } from "../support/web-server.ts";

const TOKEN = "tk_0123456789abcdefghij";

let web: WebServer;
let mail: MailServer;
let status = 200;
let received: { path: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
let server: TestServer;
let owner: Client;

beforeAll(async () => {
  web = await startWebServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(status).end("{}");
    });
  });
  mail = await startMailServer();
  const home = await mkdtemp(join(tmpdir(), "metahuman-channels-"));
  await mkdir(join(home, "etc"));
  // Retries would outlast the test.
  await writeFile(join(home, "etc/channels.json"), JSON.stringify({ retryAfterSeconds: [] }));
  server = await startServerHere({ home });
  owner = await server.owner();
});
beforeEach(() => {
  received = [];
  status = 200;
});
afterAll(async () => {
  await server.dispose();
  await web.close();
  await mail.close();
  await rm(server.home, { recursive: true, force: true });
});

const channels = async () => ChannelsAnswer.parse((await owner.get("/api/channels")).body);
const notices = async () => NoticePage.parse((await owner.get("/api/notices")).body).items;
const put = async (body: object) => {
  const { status: code, body: answer } = await owner.send("PUT", "/api/channels", body);
  expect([code, answer]).toMatchObject([200, {}]);
  return ChannelAnswer.parse(answer);
};
/** A reminder that is delivered at once. */
async function remind(words: string): Promise<void> {
  const created = await owner.post("/api/schedules", {
    what: { kind: "reminder", text: words },
    when: { kind: "at", at: new Date(Date.now() + 86_400_000).toISOString() },
  });
  const { schedule } = ScheduleAnswer.parse(created.body);
  expect((await owner.post(`/api/schedules/${schedule.id}/run`, {})).status).toBe(202);
}

describe("channels", () => {
  it("are off until the owner turns them on", async () => {
    const answer = await channels();
    expect(answer.channels.map(({ channel, available, enabled }) => [channel, available, enabled])).toEqual([
      ["ntfy", false, false],
      ["smtp", false, false],
      ["webhook", false, false],
    ]);
    expect(answer.servers).toMatchObject({ ntfy: { enabled: false, server: "https://ntfy.sh" } });
    expect(await owner.send("PUT", "/api/channels", { channel: "ntfy", topic: "ada" })).toMatchObject({
      status: 403,
      body: { error: { code: "FORBIDDEN" } },
    });
  });

  it("are configured by the owner, who names private hosts", async () => {
    const set = await owner.send("PUT", "/api/channels/servers", {
      ntfy: { enabled: true, server: `http://${web.host}` },
      webhook: { enabled: true },
      smtp: { enabled: true, host: "127.0.0.1", port: mail.port, security: "none", from: "os@home.example" },
      pageUrl: "https://home.example",
    });
    expect(set).toMatchObject({ status: 200, body: { smtp: { hasPassword: false } } });
    await put({ channel: "webhook", url: `http://${web.host}/hook` });
    const refused = await owner.post("/api/channels/test", { channel: "webhook" });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "PERMISSION_DENIED" } } });
    expect(received).toEqual([]);
    const network = { privateHosts: [web.host, `127.0.0.1:${mail.port}`] };
    await writeFile(join(server.home, "etc/skills.json"), JSON.stringify({ network }));
    await expect
      .poll(async () => (await owner.post("/api/channels/test", { channel: "webhook" })).status)
      .toBe(200);
    expect(received).toHaveLength(1);
  });

  it("deliver what is due on each of them, with a link to the page", async () => {
    const { secret } = await put({ channel: "webhook", url: `http://${web.host}/hook`, renewSecret: true });
    expect(secret).toMatch(/^whsec_/u);
    expect(await put({ channel: "webhook", url: `http://${web.host}/hook` })).not.toHaveProperty("secret");
    await put({ channel: "ntfy", topic: "ada", token: TOKEN });
    await put({ channel: "smtp", to: "ada@home.example" });
    await remind("Water the plants");
    await expect.poll(() => received.map(({ path }) => path).sort()).toEqual(["/", "/hook"]);
    await expect.poll(() => mail.received).toHaveLength(1);
    const pushed = received.find(({ path }) => path === "/");
    expect(pushed?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(pushed?.body).toContain('"click":"https://home.example/automations?id=');
    expect(mail.received[0]?.source).toContain("Water the plants");
    await expect
      .poll(async () => (await notices())[0]?.deliveries.map(({ channel, state }) => [channel, state]))
      .toEqual([
        ["ntfy", "delivered"],
        ["smtp", "delivered"],
        ["webhook", "delivered"],
      ]);
    expect((await channels()).channels).toMatchObject([
      { topic: "ada", hasToken: true, last: { state: "delivered" } },
      { to: "ada@home.example", last: { state: "delivered" } },
      { last: { state: "delivered" } },
    ]);
  });

  it("report once on the page, and on the other channels, that one does not deliver", async () => {
    status = 404;
    await owner.send("DELETE", "/api/channels?channel=ntfy");
    const before = mail.received.length;
    await remind("Feed the cat");
    const failure = "Notices do not arrive by webhook";
    await expect.poll(async () => (await notices()).map(({ title }) => title)).toContain(failure);
    await remind("Feed the cat again");
    await expect
      .poll(async () =>
        (await notices()).filter(({ deliveries }) => deliveries.some(({ state }) => state === "failed")),
      )
      .toHaveLength(2);
    expect((await notices()).filter(({ title }) => title === failure)).toHaveLength(1);
    await expect.poll(() => mail.received.length).toBe(before + 3);
    expect((await channels()).channels.at(-1)).toMatchObject({ last: { state: "failed" } });
  });

  it("keep every secret out of responses, files, logs, audit and exports", async () => {
    await put({ channel: "ntfy", topic: "ada", token: TOKEN });
    const { secret = "" } = await put({
      channel: "webhook",
      url: `http://${web.host}/hook`,
      renewSecret: true,
    });
    await owner.send("PUT", "/api/channels/servers", {
      smtp: { security: "tls", username: "os", password: "hunter2-hunter2-hunter2" },
    });
    const secrets = [TOKEN, secret, "hunter2-hunter2-hunter2"];
    const answers = JSON.stringify([
      await channels(),
      (await owner.get("/api/audit?limit=200")).body,
      (await owner.get("/api/settings")).body,
    ]);
    const files = await readdir(server.home, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map(async (file) => await readFile(join(file.parentPath, file.name), "latin1")),
    );
    for (const one of secrets) {
      expect(answers).not.toContain(one);
      expect(server.output()).not.toContain(one);
      expect(contents.filter((content) => content.includes(one))).toEqual([]);
    }
    const zip = join(server.home, "export.zip");
    expect(await mh(server.home, ["export", zip])).toMatchObject({ code: 0 });
    expect((await readFile(zip)).toString("latin1")).not.toContain("channels.json");
  });

  it("are refused with a reason for impossible settings", async () => {
    for (const body of [
      { channel: "ntfy", topic: "two words" },
      { channel: "smtp", to: "nobody" },
      { channel: "webhook", url: "ftp://files.example" },
      { channel: "webhook", url: "https://ada:secret@hooks.example" },
    ])
      expect((await owner.send("PUT", "/api/channels", body)).status).toBe(422);
    expect((await owner.send("PUT", "/api/channels", { channel: "pigeon", to: "roof" })).status).toBe(400);
    // A password would be sent unencrypted.
    expect(
      (await owner.send("PUT", "/api/channels/servers", { smtp: { security: "none", username: "os" } }))
        .status,
    ).toBeGreaterThanOrEqual(400);
  });

  it("are set up, tested and turned off by mh channels", async () => {
    const run = (args: string[], input?: string) => mh(server.home, args, {}, input);
    expect((await run(["channels", "list"])).out).toContain("topic ada, with a token");
    expect((await run(["channels", "test", "ntfy"])).out).toMatch(
      /^The server accepted the message after \d+ ms\.$/mu,
    );
    const on = await run(
      ["channels", "on", "ntfy", "--to", "ada2", "--urgency", "high", "--token"],
      "tk_other0123456789\n",
    );
    expect(on).toMatchObject({ code: 0 });
    expect(await run(["channels", "off", "ntfy"])).toMatchObject({ code: 0 });
    expect((await channels()).channels[0]).toMatchObject({ enabled: false, hasToken: false });
    const smtp = [
      "channels",
      "server",
      "smtp",
      "--host",
      "mail.example",
      "--port",
      "587",
      "--security",
      "starttls",
    ];
    expect((await run([...smtp, "--password", "--username", "os"], "hunter3-hunter3\n")).out).toContain(
      "mail.example:587, starttls",
    );
    expect((await run(["channels", "on", "pigeon", "--to", "x"])).code).not.toBe(0);
  });
});

it("let a member use what the owner turned on, and nothing else", async () => {
  await owner.post("/api/profiles", { username: "ben", password: "correct horse battery" });
  const ben = server.client();
  await ben.signIn({ username: "ben", password: "correct horse battery" });
  expect((await ben.get("/api/channels")).body).not.toHaveProperty("servers");
  expect((await ben.send("PUT", "/api/channels/servers", { webhook: { enabled: true } })).status).toBe(403);
  expect(
    (await ben.send("PUT", "/api/channels", { channel: "webhook", url: `http://${web.host}/ben` })).status,
  ).toBe(200);
  expect(await ben.post("/api/channels/test", { channel: "webhook" })).toMatchObject({ status: 200 });
  // Another person's encrypted secret is unusable in this profile.
  const profiles = join(server.home, "profiles");
  await writeFile(join(profiles, "ben/channels.json"), await readFile(join(profiles, "ada/channels.json")));
  expect(await ben.post("/api/channels/test", { channel: "webhook" })).toMatchObject({ status: 422 });
});

describe("mail with a password", () => {
  const PASSWORD = "hunter4-hunter4";
  let secured: MailServer;

  afterEach(() => secured.close());
  afterAll(() => setDefaultCACertificates(getCACertificates("bundled")));

  async function use(options: Parameters<typeof startMailServer>[0], password = PASSWORD): Promise<void> {
    secured = await startMailServer({ security: "tls", password: PASSWORD, ...options });
    const { port } = secured;
    const { security = "tls" } = options ?? {};
    await writeFile(
      join(server.home, "etc/skills.json"),
      JSON.stringify({ network: { privateHosts: [`127.0.0.1:${port}`] } }),
    );
    const smtp = { enabled: true, host: "127.0.0.1", port, security, username: "os", password };
    const set = await owner.send("PUT", "/api/channels/servers", {
      smtp: { ...smtp, from: "os@home.example" },
    });
    expect(set.status).toBe(200);
    await put({ channel: "smtp", to: "ada@home.example" });
  }
  /** The result of the test button on the page and of the command. */
  async function sentMessage(): Promise<[unknown, string]> {
    const answer = await owner.post("/api/channels/test", { channel: "smtp" });
    const { error } = z.object({ error: z.object({ message: z.string() }) }).parse(answer.body);
    return [error.message, (await mh(server.home, ["channels", "test", "smtp"])).err];
  }

  it("reports why the certificate, the password or the connection was refused, on the page and in the terminal", async () => {
    const unknown =
      "An encrypted connection to 127.0.0.1 could not be established. Its certificate is not signed by";
    await use({});
    expect(await sentMessage()).toEqual([
      expect.stringContaining(unknown) as unknown,
      expect.stringContaining(unknown) as unknown,
    ]);
    setDefaultCACertificates([...getCACertificates(), await readTestAuthority()]);
    await secured.close();
    for (const [options, password, sentence] of [
      [{ certificate: "other-host" }, PASSWORD, "Its certificate is for another host name."],
      [{ security: "starttls" }, "wrong-wrong", "127.0.0.1 refused the username or the password."],
      [{ closesAt: "message" }, PASSWORD, "closed the connection before it accepted the message."],
    ] as const) {
      await use(options, password);
      expect(await sentMessage()).toEqual([
        expect.stringContaining(sentence) as unknown,
        expect.stringContaining(sentence) as unknown,
      ]);
      await secured.close();
    }
    await use({ security: "starttls" });
    expect(await owner.post("/api/channels/test", { channel: "smtp" })).toMatchObject({ status: 200 });
    expect((await mh(server.home, ["channels", "test", "smtp"])).out).toContain(
      "The server accepted the message after",
    );
    expect(secured.received).toMatchObject([{ user: "os", isEncrypted: true }, { user: "os" }]);
  });

  it("shows a refused delivery with its reason at the channel and the notice", async () => {
    await use({}, "wrong-wrong");
    await remind("Oil the hinges");
    await expect
      .poll(async () => (await channels()).channels[1])
      .toMatchObject({
        last: { state: "failed", error: "127.0.0.1 refused the username or the password." },
      });
    expect(secured.received).toEqual([]);
    expect((await mh(server.home, ["channels", "list"])).out).toContain("refused the username");
    expect((await notices()).map(({ title }) => title)).toContain("Notices do not arrive by e-mail");
  });
});
