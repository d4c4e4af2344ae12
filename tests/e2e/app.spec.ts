import { z } from "zod";
import { startServerHere } from "../support/server.ts";
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

  visitorTest("says that the server is away, and stores nothing of it", async ({ browser }) => {
    const server = await startServerHere();
    const context = await browser.newContext({ baseURL: server.url, serviceWorkers: "allow" });
    try {
      await signIn(context, await server.owner());
      const page = await context.newPage();
      await page.goto("/files");
      await alive(page);
      await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
      await page.goto("/runs");
      await alive(page);
      expect(await page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
      expect(await page.evaluate("caches.keys()")).toEqual([]);
      await server.dispose();
      await page.goto("/runs").catch(() => undefined);
      await expect(page.getByRole("heading", { name: "The server cannot be reached" })).toBeVisible();
      await expect(page.getByRole("link", { name: "Try again" })).toBeVisible();
    } finally {
      await context.close();
    }
  });
});
