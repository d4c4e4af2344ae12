import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { extname, join, relative, sep } from "node:path";
import { acceptedCodings } from "./content-codings.ts";

/** The files a build may hold; anything else is served as bytes to download. */
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

/** Best first. The build leaves the compressed forms beside the files (astro.config.mjs). */
const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

interface StaticFile {
  type: string;
  etag: string;
  /** By content encoding; `identity` is the file as it is. */
  forms: ReadonlyMap<string, Buffer>;
}

/** Answers a request for a built file, and says whether it did. */
export type ServeStatic = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * The built client files, held in memory: they are small, no path is ever joined from a request, and a build that
 * replaces them on disk cannot pull them out from under a running server.
 */
export async function loadStaticFiles(folder: string): Promise<ServeStatic> {
  const files = await readAll(folder);
  return (path, request, response) => {
    const file = files.get(path);
    if (!file || (request.method !== "GET" && request.method !== "HEAD")) return false;
    response.setHeader("Vary", "Accept-Encoding");
    response.setHeader("ETag", file.etag);
    // Names under /assets/ carry a hash of what they hold.
    response.setHeader(
      "Cache-Control",
      path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    );
    if (request.headers["if-none-match"] === file.etag) {
      response.writeHead(304).end();
      return true;
    }
    const { encoding, bytes } = bestForm(file, request.headers["accept-encoding"]);
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
    const forms = new Map([["identity", bytes]]);
    for (const { name, suffix } of encodings) {
      const form = contents.get(path + suffix);
      if (form) forms.set(name, form);
    }
    files.set(`/${relative(folder, path).split(sep).join("/")}`, {
      type: types[extname(path)] ?? "application/octet-stream",
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`,
      forms,
    });
  }
  return files;
}

function bestForm(file: StaticFile, accepted: string | undefined): { encoding: string; bytes: Buffer } {
  const accepts = acceptedCodings(accepted);
  for (const { name } of encodings) {
    const bytes = accepts.has(name) ? file.forms.get(name) : undefined;
    if (bytes) return { encoding: name, bytes };
  }
  return { encoding: "identity", bytes: file.forms.get("identity") ?? Buffer.alloc(0) };
}
