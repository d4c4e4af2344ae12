import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { extname, join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import Negotiator from "negotiator";

/** The media types of built files; other files are served as downloads. */
const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** The encodings that the build creates next to the files (compress-assets.mjs), best first. */
const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

interface StaticFile {
  type: string;
  etag: string;
  /** The contents by encoding; without the plain content if that is compressed with gzip, too. */
  contents: ReadonlyMap<string, Buffer>;
}

/** Responds to a request for a built file. Returns whether there is one. */
export type ServeStatic = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Loads the built client files into memory. They are small, no file path is ever built from a request, and a new build
 * cannot remove the files of a running server. (sirv opens the files on disk for each request.) Compressed files are kept
 * compressed, a third of their size, because nearly all clients accept that.
 */
export async function loadStaticFiles(folder: string): Promise<ServeStatic> {
  const files = await readAll(folder);
  return (path, request, response) => {
    const file = files.get(path);
    if (!file || (request.method !== "GET" && request.method !== "HEAD")) return false;
    response.setHeader("Vary", "Accept-Encoding");
    response.setHeader("ETag", file.etag);
    // Names under /assets/ contain a hash of the content.
    response.setHeader(
      "Cache-Control",
      path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    );
    // The policy of a worker comes with its script.
    if (path === "/service-worker.js")
      response.setHeader("Content-Security-Policy", "default-src 'none'; connect-src 'self'");
    if (request.headers["if-none-match"] === file.etag) {
      response.writeHead(304).end();
      return true;
    }
    const { encoding, bytes } = chooseEncoding(file, request);
    if (encoding !== "identity") response.setHeader("Content-Encoding", encoding);
    response.writeHead(200, { "Content-Type": file.type, "Content-Length": bytes.length });
    response.end(request.method === "HEAD" ? undefined : bytes);
    return true;
  };
}

async function readAll(folder: string): Promise<Map<string, StaticFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)),
  );
  const files = new Map<string, StaticFile>();
  for (const [path, bytes] of contents) {
    if (encodings.some(({ suffix }) => path.endsWith(suffix))) continue;
    const versions = new Map<string, Buffer>();
    for (const { name, suffix } of encodings) {
      const compressed = contents.get(path + suffix);
      if (compressed) versions.set(name, compressed);
    }
    if (!versions.has("gzip")) versions.set("identity", bytes);
    files.set(`/${relative(folder, path).split(sep).join("/")}`, {
      type: types[extname(path)] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
      contents: versions,
    });
  }
  return files;
}

function chooseEncoding(
  { contents }: StaticFile,
  { headers }: IncomingMessage,
): { encoding: string; bytes: Buffer } {
  const accepted = new Negotiator({ headers }).encodings(encodings.map(({ name }) => name));
  for (const { name } of encodings) {
    const bytes = accepted.includes(name) ? contents.get(name) : undefined;
    if (bytes) return { encoding: name, bytes };
  }
  const compressed = contents.get("gzip");
  const plain = contents.get("identity") ?? (compressed && gunzipSync(compressed));
  return { encoding: "identity", bytes: plain ?? Buffer.alloc(0) };
}
