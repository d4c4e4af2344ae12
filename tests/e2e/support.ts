import { join } from "node:path";
import { test as base, expect, type BrowserContext, type Page } from "@playwright/test";
import type { Client } from "../support/client.ts";
import { openModelStage, type ModelStage } from "../support/model-stage.ts";
import { OWNER, startTestServer, type TestServer } from "../support/server.ts";
import { signIn } from "../support/sign-in.ts";

export { expect, OWNER, signIn };

/** A server whose owner is signed in over HTTP. */
interface Place {
  server: TestServer;
  owner: Client;
}

/**
 * What tests of a worker share, each made when the first asks for it. All are named here: tests that share other things are
 * given a worker of their own, which starts and reads everything anew.
 */
interface WorkerFixtures {
  /** No model answers here. */
  plain: Place;
  /** A double of Ollama beside the server. */
  stage: ModelStage;
  /** Another, for words that no other test wants to find. */
  hostileStage: ModelStage;
}

interface TestFixtures {
  /** Where the test takes place. */
  place: Place;
  server: TestServer;
  /** The owner, over HTTP: sets scenes that are not what a test is about. */
  owner: Client;
  /** Whose session the browser has. */
  session: Client | undefined;
  /** What the browser complained about: scripts refused by the policy, errors nobody caught. */
  complaints: string[];
  /** A test that provokes refusals says what of them may show in the console. */
  expectedComplaints: RegExp | undefined;
}

async function withStage(
  { browserName: _none }: { browserName: string },
  use: (stage: ModelStage) => Promise<void>,
): Promise<void> {
  const stage = await openModelStage();
  await use(stage);
  await stage.close();
}

/** Every test is signed in as the owner, and fails when the browser complains about anything. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  plain: [
    async ({ browserName: _none }, use) => {
      const server = await startTestServer();
      await use({ server, owner: await server.owner() });
      await server.dispose();
    },
    { scope: "worker" },
  ],
  stage: [withStage, { scope: "worker" }],
  hostileStage: [withStage, { scope: "worker" }],
  place: async ({ plain }, use) => use(plain),
  server: async ({ place }, use) => use(place.server),
  owner: async ({ place }, use) => use(place.owner),
  session: async ({ owner }, use) => use(owner),
  baseURL: async ({ server }, use) => use(server.url),
  expectedComplaints: [undefined, { option: true }],
  complaints: async ({ browserName: _none }, use) => use([]),
  context: async ({ context, session, complaints, expectedComplaints }, use) => {
    if (session) await signIn(context, session);
    await watch(context, complaints);
    await use(context);
    const unexpected = complaints.filter((one) => expectedComplaints?.test(one) !== true);
    expect(unexpected, "what the browser complained about").toEqual([]);
  },
});

/** The page of a server that has a double of Ollama beside it. */
export const stagedTest = test.extend({
  place: async ({ stage }, use) => use(stage),
});

/** Reports to the console what the content policy refused, even where whoever tried it kept quiet. */
const REFUSALS = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("refused by the content policy: " + event.violatedDirective + " " + event.blockedURI));`;

/** Notes what the console, uncaught errors and the content policy say, in every page of a context. */
async function watch(context: BrowserContext, complaints: string[]): Promise<void> {
  await context.addInitScript(REFUSALS);
  context.on("weberror", (error) => {
    const { message } = error.error();
    // The browser's own word for a change of rooms that came too late to be animated.
    if (!message.startsWith("Transition was ")) complaints.push(`uncaught: ${message}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
}

/** Types a request and sends it, as a person does. */
export async function ask(page: Page, request: string): Promise<void> {
  const composer = page.getByLabel("Your request");
  await composer.fill(request);
  await composer.press("Enter");
}

/** The newest entry of the conversation. */
export function lastEntry(page: Page) {
  return page.getByRole("article").last();
}

/** Waits until the newest entry's run has ended. */
export async function answered(page: Page): Promise<void> {
  await expect(lastEntry(page).getByRole("button", { name: "Ask again", exact: true })).toBeVisible();
}

/** Waits until the page answers to keys and clicks. */
export async function alive(page: Page): Promise<void> {
  await expect(page.getByTestId("announcement")).toHaveAttribute("data-alive", "true");
}

/** Opens the chat on a new conversation, alive. */
export async function openChat(page: Page): Promise<void> {
  await page.goto("/");
  await alive(page);
}

/** A request carried out over HTTP; the answer's body. */
export async function carryOut(
  client: Client,
  goal: string,
): Promise<{ runId: string; conversationId: string }> {
  const { body } = await client.post("/api/operator", { goal });
  if (typeof body !== "object" || body === null || !("runId" in body) || !("conversationId" in body)) {
    throw new Error(`No run came of “${goal}”: ${JSON.stringify(body)}`);
  }
  return { runId: String(body.runId), conversationId: String(body.conversationId) };
}

/** Where the owner's files are on disk. */
export function ownersFile(server: TestServer, path: string): string {
  return join(server.home, "profiles", OWNER.username, path);
}
