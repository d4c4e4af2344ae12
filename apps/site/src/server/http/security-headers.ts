import type { ServerResponse } from "node:http";

/**
 * On every answer, static files and refusals included. Pages bring their own content policy (with the hashes of their
 * inline scripts), which takes the place of the one here: nothing else we answer may load or run anything.
 */
const headers: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Origin-Agent-Cluster": "?1",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Responses are private to the signed-in user; built files set their own headers.
  "Cache-Control": "no-store",
};

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** The same, for an answer written without a `ServerResponse`. */
export const securityHeaderLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
