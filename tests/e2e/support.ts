import { join } from "node:path";
import {
  test as base,
  expect,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from "@playwright/test";
import type { Client } from "../support/client.ts";
import { openModelHarness, type ModelHarness } from "../support/model-harness.ts";
import { OWNER, startOwnedServer, type TestServer } from "../support/server.ts";
import { signIn } from "../support/sign-in.ts";

export { expect, OWNER, signIn };

/** A server whose owner is signed in over HTTP. */
interface Place {
  server: TestServer;
  owner: Client;
}

/** A tab that tests share: navigating it takes half the time of opening a new one. */
interface Tab {
  page: Page;
  /** Console errors, uncaught errors and violations of the content policy during the current test. */
  complaints: string[];
}

/** A run with its conversation. */
interface Run {
  runId: string;
  conversationId: string;
}

/** The number of runs or conversations that a list loads first (`PAGE_LENGTH` of the page). */
const LISTED = 50;

/**
 * What the tests of a worker share, created on first use. All shared fixtures are declared here, because Playwright starts a new worker
 * for tests with other worker fixtures.
 */
interface WorkerFixtures {
  /** A server without a model. */
  plain: Place;
  /** A server with a double of Ollama. */
  harness: ModelHarness;
  /** Another one, for hostile content that other tests must not find. */
  hostileHarness: ModelHarness;
  /** A server without a model, whose lists of runs and conversations are longer than a page of them. */
  longHistory: Place & { oldest: Run };
  /** The tab of a server, signed in as its owner. */
  tabAt: (place: Place) => Promise<Tab>;
}

interface TestFixtures {
  /** The server of the test, and its owner. */
  place: Place;
  server: TestServer;
  /** The owner over HTTP, for the setup of a test. */
  owner: Client;
  /** Console errors, uncaught errors and violations of the content policy. */
  complaints: string[];
  /** The complaints that the test provokes. */
  expectedComplaints: RegExp | undefined;
}

async function withHarness(
  { browserName: _none }: { browserName: string },
  use: (harness: ModelHarness) => Promise<void>,
): Promise<void> {
  const harness = await openModelHarness();
  await use(harness);
  await harness.close();
}

/** A test of a visitor in a new browser context. It fails if the browser complains about anything. */
export const visitorTest = base.extend<TestFixtures, WorkerFixtures>({
  plain: [
    async ({ browserName: _none }, use) => {
      const place = await startOwnedServer();
      await use(place);
      await place.server.dispose();
    },
    { scope: "worker" },
  ],
  harness: [withHarness, { scope: "worker" }],
  hostileHarness: [withHarness, { scope: "worker" }],
  longHistory: [
    async ({ browserName: _none }, use) => {
      const { server, owner } = await startOwnedServer();
      const oldest = await carryOut(owner, "add a task to polish the oldest brass");
      for (let count = 0; count < LISTED; count += 1) await carryOut(owner, `what is 3 + ${count}`);
      await use({ server, owner, oldest });
      await server.dispose();
    },
    { scope: "worker" },
  ],
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

/** A test signed in as the owner, in a shared tab without the state of earlier tests. */
export const test = visitorTest.extend({
  page: async ({ place, tabAt, complaints }, use) => {
    const tab = await tabAt(place);
    tab.complaints = complaints;
    await use(tab.page);
    await clear(tab.page);
  },
});

/** A test with a server that has a double of Ollama. */
export const harnessTest = test.extend({
  place: async ({ harness }, use) => use(harness),
});

/** A test with a server whose lists of runs and conversations are longer than a page of them. */
export const longHistoryTest = test.extend({
  place: async ({ longHistory }, use) => use(longHistory),
});

async function openTab(browser: Browser, { server, owner }: Place): Promise<Tab> {
  const context = await browser.newContext({ baseURL: server.url, viewport: SIZE });
  await signIn(context, owner);
  const tab: Tab = { page: await context.newPage(), complaints: [] };
  await watch(context, (complaint) => tab.complaints.push(complaint));
  return tab;
}

/** Removes the routes, storage, theme and size that a test set. */
async function clear(page: Page): Promise<void> {
  await Promise.all([
    page.unrouteAll({ behavior: "ignoreErrors" }),
    page.evaluate("localStorage.clear()"),
    page.context().clearCookies({ name: "theme" }),
  ]);
  const { width, height } = page.viewportSize() ?? SIZE;
  if (width !== SIZE.width || height !== SIZE.height) await page.setViewportSize(SIZE);
}

/** Reports violations of the content policy to the console, including those of scripts that ignore the error. */
const REFUSALS = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("refused by the content policy: " + event.violatedDirective + " " + event.blockedURI));`;

/** Reports console errors, uncaught errors and violations of the content policy in every page of a context. */
async function watch(context: BrowserContext, note: (complaint: string) => void): Promise<void> {
  await context.addInitScript(REFUSALS);
  context.on("weberror", (error) => {
    note(`uncaught: ${error.error().message}`);
  });
  context.on("console", (message) => {
    if (message.text() === "Service Worker registration blocked by Playwright") return;
    if (message.type() === "error" || message.type() === "warning")
      note(`${message.text()} ${message.location().url}`);
  });
}

/** Types a request into the composer and sends it. */
export async function ask(page: Page, request: string): Promise<void> {
  const composer = page.getByLabel(/^Your (?:request|answer)$/);
  await composer.fill(request);
  await composer.press("Enter");
}

/** The newest entry of the conversation. */
export function lastEntry(page: Page) {
  return page.getByRole("article").last();
}

/** Waits until the newest entry's run has ended. */
export async function answered(page: Page): Promise<void> {
  await expect(lastEntry(page).getByRole("button", { name: "More actions" })).toBeVisible();
}

/** Chooses an action from the menu of an entry. */
export async function chooseAction(entry: Locator, name: string): Promise<void> {
  await entry.getByRole("button", { name: "More actions" }).press("Enter");
  await entry.getByRole("button", { name, exact: true }).press("Enter");
}

/** Waits until the page is hydrated. */
export async function alive(page: Page): Promise<void> {
  await expect(page.getByTestId("announcement")).toHaveAttribute("data-alive", "true");
}

/** Opens a new conversation and waits until the page is hydrated. */
export async function openChat(page: Page): Promise<void> {
  await page.goto("/");
  await alive(page);
}

/** Executes a request over HTTP. */
export async function carryOut(client: Client, goal: string): Promise<Run> {
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
