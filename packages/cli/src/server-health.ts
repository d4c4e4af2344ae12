import { Health } from "@metahuman/core/contract/http";
import { announcedServer } from "@metahuman/boot/server-notice";

/** How the server of a data root stands. */
export type ServerState =
  | ({ running: true; url: string } & Health)
  /** `url`: where it would answer; `taken`: a server of other data does. */
  | { running: false; url: string; taken: boolean };

/** Finds the server of this data root wherever it said that it answers; one of other data does not count. */
export async function serverState(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServerState> {
  const announced = await announcedServer(home);
  const health = announced === undefined ? undefined : await healthAt(announced);
  if (announced !== undefined && health !== undefined) return { running: true, url: announced, ...health };
  const url = `http://127.0.0.1:${env["PORT"]?.trim() || "4321"}`;
  return { running: false, url, taken: (await healthAt(url)) !== undefined };
}

/** The state in words. */
export function serverWords(state: ServerState): string {
  if (state.running) return `running at ${state.url}`;
  return state.taken
    ? `not running for this data; ${state.url} serves other data`
    : `not running (would be ${state.url})`;
}

/** The server's own word; undefined when none answers there, or something else does. */
async function healthAt(url: string): Promise<Health | undefined> {
  try {
    const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(1_000) });
    return Health.safeParse(await response.json()).data;
  } catch {
    // Refused, timed out or not JSON: in each case no server of ours answers there, which is the finding itself.
    return undefined;
  }
}
