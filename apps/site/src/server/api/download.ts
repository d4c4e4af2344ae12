import type { FileManager } from "@metahuman/boot/file-manager";

/** The media types of images that a page may show. Every other file is sent as bytes. */
const PICTURES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bmp: "image/bmp",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  webp: "image/webp",
};

/**
 * Streams a file of the workspace as a download, with backpressure. A browser saves the file and never executes it.
 * Throws what `FileManager.open` throws, before the response begins.
 */
export async function downloadResponse(
  files: Pick<FileManager, "open">,
  path: string,
  signal: AbortSignal,
): Promise<Response> {
  const response = Promise.withResolvers<Response>();
  const sending = files.open(
    path,
    async (file) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const name = file.path.split("/").at(-1) ?? "file";
      response.resolve(new Response(readable, { headers: headersOf(name) }));
      const writer = writable.getWriter();
      try {
        for await (const chunk of file.chunks()) await writer.write(chunk);
        await writer.close();
      } catch (error) {
        // Rejects if the client has disconnected, which needs no report.
        await writer.abort(error).catch(() => undefined);
        throw error;
      }
    },
    signal,
  );
  // After the response has begun, an error ends the stream, which the client notices.
  sending.catch((error: unknown) => response.reject(error));
  return await response.promise;
}

function headersOf(name: string): Record<string, string> {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const plain = name.replaceAll(/[^\w .()-]/g, "_");
  // RFC 8187: characters that `encodeURIComponent` keeps but a header value must not contain.
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    "Content-Type": PICTURES[extension] ?? "application/octet-stream",
    "Content-Disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "no-store",
  };
}
