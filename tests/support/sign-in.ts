import type { BrowserContext } from "@playwright/test";
import type { Client } from "./client.ts";

/** Gives a browser the session of a client. */
export async function signIn(context: BrowserContext, client: Client): Promise<void> {
  const [name = "", value = ""] = (client.credentials["cookie"] ?? "").split("=");
  await context.addCookies([{ name, value, url: client.url, httpOnly: true, sameSite: "Strict" }]);
}
