import type { Connection } from "../http/connection.ts";

const NAME = "metahuman_session";

/** The session's secret, when the request carries one. */
export function sessionToken(headers: Headers): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(/; */);
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) || undefined;
}

/** `Set-Cookie` for a new session: out of reach of scripts, never sent along from another site. */
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
