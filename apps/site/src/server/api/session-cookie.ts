import type { Connection } from "../http/connection.ts";

const NAME = "metahuman_session";

/** Returns the secret of the session in the request's cookie, if there is one. */
export function sessionToken(headers: Headers): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) || undefined;
}

/** Returns the `Set-Cookie` header of a new session: `HttpOnly` and `SameSite`. */
export function sessionCookie(
  { token, lifetimeMs }: { token: string; lifetimeMs: number },
  connection: Connection,
): string {
  return cookie(token, Math.floor(lifetimeMs / 1_000), connection);
}

export function endedSessionCookie(connection: Connection): string {
  return cookie("", 0, connection);
}

function cookie(value: string, maxAge: number, { secure }: Connection): string {
  return `${NAME}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}
