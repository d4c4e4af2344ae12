import { z } from "zod";
import { startTestServer } from "../support/server.ts";
import { keepScreen, look } from "./looking.ts";
import { alive, expect, signIn, test, visitorTest } from "./support.ts";

const Manifest = z.looseObject({
  display: z.literal("standalone"),
  icons: z.array(z.object({ src: z.string(), sizes: z.string() }).loose()),
});

test.setTimeout(240_000);

test("the page can be installed, with icons of the sizes that it names", async ({ page }) => {
  await page.goto("/runs");
  await expect(page.locator('link[rel="manifest"]')).toHaveAttribute("href", "/manifest.webmanifest");
  const manifest = Manifest.parse(await (await page.request.get("/manifest.webmanifest")).json());
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate<unknown>(
      `new Promise((resolve) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth + "x" + image.naturalHeight); image.src = ${JSON.stringify(src)}; })`,
    );
    expect([src, size]).toEqual([src, sizes === "any" ? "32x32" : sizes]);
  }
});

test.describe("with the worker of the page", () => {
  visitorTest.setTimeout(240_000);
  visitorTest.use({ expectedComplaints: /ERR_CONNECTION_REFUSED|status of 503/ });

  visitorTest(
    "reports that the server cannot be reached, caches no page, and returns to the page later",
    async ({ browser }) => {
      const before = await startTestServer();
      const context = await browser.newContext({ baseURL: before.url, serviceWorkers: "allow" });
      try {
        await signIn(context, await before.owner());
        const page = await context.newPage();
        await page.goto("/files");
        await alive(page);
        await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
        await page.goto("/runs");
        await alive(page);
        expect(await page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
        expect(await page.evaluate("caches.keys()")).toEqual([]);
        await before.end("SIGKILL");
        await page.goto("/runs").catch(() => undefined);
        await expect(page.getByRole("heading", { name: "The server cannot be reached" })).toBeVisible();
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 720 });
          await keepScreen(page, `offline-light-${width}`);
          await page.emulateMedia({ colorScheme: "dark" });
          await keepScreen(page, `offline-dark-${width}`);
          await page.emulateMedia({ colorScheme: "light" });
        }
        const after = await startTestServer({ home: before.home, env: { PORT: new URL(before.url).port } });
        // It returns by itself; the link is for who does not want to wait.
        await expect(page.getByRole("link", { name: "Try again" })).toBeHidden();
        await expect(page).toHaveURL(/\/runs$/);
        await alive(page);
        await after.dispose();
      } finally {
        await context.close();
        await before.dispose();
      }
    },
  );
});

test.describe("a page that the server cannot render", () => {
  test.use({ expectedComplaints: /status of 500/ });

  test("shows its error page in both themes", async ({ page }) => {
    const response = await page.goto("/500");
    expect(response?.status()).toBe(500);
    await expect(page.getByRole("link", { name: "Try again" })).toBeVisible();
    await look(page, "server-error");
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, "server-error");
  });
});
