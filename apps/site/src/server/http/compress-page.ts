import { acceptedCodings } from "./content-codings.ts";

/**
 * A page in gzip where its reader takes that: it carries its styles, which shrink to a fifth. No secret stands in it that
 * its length could give away.
 */
export function compressPage(page: Response, acceptEncoding: string | null): Response {
  const { body, status, statusText } = page;
  if (!body || !page.headers.get("Content-Type")?.startsWith("text/html")) return page;
  const headers = new Headers(page.headers);
  headers.append("Vary", "Accept-Encoding");
  if (!acceptedCodings(acceptEncoding).has("gzip"))
    return new Response(body, { status, statusText, headers });
  headers.set("Content-Encoding", "gzip");
  return new Response(body.pipeThrough(new CompressionStream("gzip")), { status, statusText, headers });
}
