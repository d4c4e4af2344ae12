import { InvalidRequestError } from "@metahuman/boot/errors";

/**
 * The path a request names, decoded once. Refuses what is no plain path: an absolute target (we are nobody's proxy),
 * escapes that do not decode, and whatever would still be read differently by another decoder (a second encoding, a
 * backslash, a mark that ends a path, a control character, a dot segment). Nothing we serve has such a name. Throws `InvalidRequestError`.
 */
export function requestPath(target: string | undefined): string {
  const encoded = /^(\/[^?#]*)/.exec(target ?? "")?.[1];
  if (encoded === undefined || encoded.startsWith("//")) throw unusable();
  const path = decoded(encoded);
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  if (/[\u0000-\u001f\u007f\\%?#]/.test(path) || /%2f/i.test(encoded)) throw unusable();
  if (path.split("/").some((segment) => segment === "." || segment === "..")) throw unusable();
  return path;
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(cause?: unknown): InvalidRequestError {
  return new InvalidRequestError("The address is not one that can be read in only one way.", { cause });
}
