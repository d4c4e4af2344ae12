import type { ServerResponse } from "node:http";

/**
 * The headers of every response, including static files and errors. Pages replace the content security policy with
 * one that contains the hashes of their inline scripts; no other response may load or execute anything.
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

/** The same headers for a response that is written without a `ServerResponse`. */
export const securityHeaderLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
