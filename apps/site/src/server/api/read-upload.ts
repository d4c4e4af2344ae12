import {
  BodyTooLargeError,
  InvalidRequestError,
  UnsupportedMediaTypeError,
} from "@metahuman/core/errors/request-errors";

/**
 * Returns the body of a request as a stream. Throws `UnsupportedMediaTypeError` for other media types, and
 * `BodyTooLargeError` as soon as the body exceeds the limit.
 */
export function readUpload(
  request: Request,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
): AsyncIterable<Uint8Array> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!types.includes(type)) throw new UnsupportedMediaTypeError(`Send the body as ${types.join(" or ")}.`);
  if (request.body === null) throw new InvalidRequestError("The body is empty.");
  return bounded(request.body, maxBytes);
}

async function* bounded(body: ReadableStream<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new BodyTooLargeError(`The body can have at most ${maxBytes} bytes.`, { context: { maxBytes } });
    yield chunk;
  }
}
