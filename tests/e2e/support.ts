import { join } from "node:path";
import { test as base, expect, type Browser, type BrowserContext, type Page } from "@playwright/test";
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

/** A page that stays open from test to test: leading it elsewhere costs half of what a new one does. */
interface Tab {
  page: Page;
  /** Where it is noted what the browser complains about. */
  complaints: string[];
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
  /** The tab at a place, where its owner is signed in. */
  tabAt: (place: Place) => Promise<Tab>;
}

interface TestFixtures {
  /** Where the test takes place. */
  place: Place;
  server: TestServer;
  /** The owner, over HTTP: sets scenes that are not what a test is about. */
  owner: Client;
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

/** Every test is that of a visitor, with a browser of their own, and fails when the browser complains about anything. */
export const visitorTest = base.extend<TestFixtures, WorkerFixtures>({
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
  tabAt: [
    async ({ browser }, use) => {
      const tabs = new Map<Place, Promise<Tab>>();
      await use((place) => {
        const tab = tabs.get(place) ?? openTab(browser, place);
        tabs.set(place, tab);
        return tab;
      });
    },
    { scope: "worker" },
  ],
  place: async ({ plain }, use) => use(plain),
  server: async ({ place }, use) => use(place.server),
  owner: async ({ place }, use) => use(place.owner),
  baseURL: async ({ server }, use) => use(server.url),
  expectedComplaints: [undefined, { option: true }],
  complaints: async ({ expectedComplaints }, use) => {
    const complaints: string[] = [];
    await use(complaints);
    const unexpected = complaints.filter((one) => expectedComplaints?.test(one) !== true);
    expect(unexpected, "what the browser complained about").toEqual([]);
  },
  context: async ({ context, complaints }, use) => {
    await watch(context, (complaint) => complaints.push(complaint));
    await use(context);
  },
});

const SIZE = { width: 1280, height: 720 };

/** Every test is signed in as the owner, in a tab whose next page knows nothing of the test before. */
export const test = visitorTest.extend({
  page: async ({ place, tabAt, complaints }, use) => {
    const tab = await tabAt(place);
    tab.complaints = complaints;
    await use(tab.page);
    await clear(tab.page);
  },
});

/** The page of a server that has a double of Ollama beside it. */
export const stagedTest = test.extend({
  place: async ({ stage }, use) => use(stage),
});

async function openTab(browser: Browser, { server, owner }: Place): Promise<Tab> {
  const context = await browser.newContext({ baseURL: server.url, viewport: SIZE });
  await signIn(context, owner);
  const tab: Tab = { page: await context.newPage(), complaints: [] };
  await watch(context, (complaint) => tab.complaints.push(complaint));
  return tab;
}

/** Leaves nothing of a test to the next page: neither what it did to the tab nor what a page keeps in the browser. */
async function clear(page: Page): Promise<void> {
  await Promise.all([
    page.unrouteAll({ behavior: "ignoreErrors" }),
    page.evaluate("localStorage.clear()"),
    page.context().clearCookies({ name: "theme" }),
  ]);
  const { width, height } = page.viewportSize() ?? SIZE;
  if (width !== SIZE.width || height !== SIZE.height) await page.setViewportSize(SIZE);
}

/** Reports to the console what the content policy refused, even where whoever tried it kept quiet. */
const REFUSALS = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("refused by the content policy: " + event.violatedDirective + " " + event.blockedURI));`;

/** Tells what the console, uncaught errors and the content policy say, in every page of a context. */
async function watch(context: BrowserContext, note: (complaint: string) => void): Promise<void> {
  await context.addInitScript(REFUSALS);
  context.on("weberror", (error) => {
    const { message } = error.error();
    // The browser's own word for a change of pages that came too late to be animated.
    if (!message.startsWith("Transition was ")) note(`uncaught: ${message}`);
  });
  context.on("console", (message) => {
    if (message.text() === "Service Worker registration blocked by Playwright") return;
    if (message.type() === "error" || message.type() === "warning") note(message.text());
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
