import type { FileManager } from "@metahuman/boot/file-manager";

/** The media types of pictures that a page may show; every other file is only bytes. */
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
 * A file of the workspace as a download, streamed as fast as it is read. Opened by itself it is saved and runs nothing,
 * whatever is in it. Throws what `FileManager.open` throws, before the response begins.
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
        // Fails for a reader who has left, to whom it need not be told.
        await writer.abort(error).catch(() => undefined);
        throw error;
      }
    },
    signal,
  );
  // After the response has begun, an error ends its stream; the reader sees that.
  sending.catch((error: unknown) => response.reject(error));
  return await response.promise;
}

function headersOf(name: string): Record<string, string> {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const plain = name.replaceAll(/[^\w .()-]/g, "_");
  // RFC 8187: what `encodeURIComponent` leaves but a header's value may not hold.
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
