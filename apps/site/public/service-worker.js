/// <reference no-default-lib="true" />
/// <reference lib="ES2024" />
/// <reference lib="webworker" />

// Shows an offline page while the server cannot be reached. It stores nothing:
// no page, no response of the API, no file.

/** How often the offline page looks for the server, in milliseconds. */
const RETRY_MS = 3_000;

/** @param {string} nonce */
const offlineHtml = (nonce) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Server not reachable · MetaHuman OS</title>
    <style>
      :root { color-scheme: light dark; }
      body {
        display: grid; place-content: center; gap: 12px; box-sizing: border-box; min-height: 100vh; margin: 0; padding: 24px;
        background: light-dark(#fbfaf7, #15171b); color: light-dark(#22252b, #ecebe6);
        font: 15px/24px ui-sans-serif, system-ui, sans-serif;
      }
      main { max-width: 32rem; }
      h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; }
      p { margin: 0 0 16px; }
      a { color: light-dark(#00696b, #5fc6c4); text-underline-offset: 3px; }
      code { font: 13px/20px ui-monospace, monospace; }
    </style>
  </head>
  <body>
    <main>
      <h1>The server cannot be reached</h1>
      <p>
        MetaHuman OS runs on your machine. Check that it is running where you started it, for example with
        <code>npm start</code>. Your data is safe there; nothing is stored in this browser.
      </p>
      <p>This page opens as soon as it answers. <a href="">Try again</a></p>
    </main>
    <script nonce="${nonce}">
      setInterval(() => {
        const open = ({ ok }) => ok && location.reload();
        fetch("/api/health", { cache: "no-store" }).then(open, () => undefined);
      }, ${RETRY_MS});
    </script>
  </body>
</html>`;

const offlinePage = () => {
  const nonce = crypto.randomUUID();
  return new Response(offlineHtml(nonce), {
    status: 503,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'`,
      "Cache-Control": "no-store",
    },
  });
};

if (!(self instanceof ServiceWorkerGlobalScope))
  throw new TypeError("This script runs only as a service worker.");
/** @type {ServiceWorkerGlobalScope} */
const worker = self;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener("activate", (event) => {
  const activate = async () => {
    // The browser requests the page while this worker starts, so this costs no time.
    if ("navigationPreload" in worker.registration) await worker.registration.navigationPreload.enable();
    await worker.clients.claim();
  };
  event.waitUntil(activate());
});

// Mobile browsers show notifications through this worker; their data is the address to open.
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  /** @type {unknown} */
  const address = event.notification.data;
  if (typeof address === "string" && address.startsWith("/"))
    event.waitUntil(worker.clients.openWindow(address));
});

worker.addEventListener("fetch", (event) => {
  // Everything but pages goes to the server as if there were no worker.
  if (event.request.mode !== "navigate" || event.request.method !== "GET") return;
  const load = async () => {
    /** @type {unknown} */
    const preloaded = await event.preloadResponse;
    return preloaded instanceof Response ? preloaded : fetch(event.request);
  };
  event.respondWith(load().catch(offlinePage));
});
