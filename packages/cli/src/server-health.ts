import { Health } from "@metahuman/core/contract/http";
import { announcedServer } from "@metahuman/boot/server-notice";

/** The state of a data root's server. */
export type ServerState =
  | ({ running: true; url: string } & Health)
  /** `url` is the address that a server would use; `taken` means that a server of other data uses it. */
  | { running: false; url: string; taken: boolean };

/** Finds the server of this data root at its announced address. A server of other data does not count. */
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

/** Describes the state in one phrase. */
export function describeServer(state: ServerState): string {
  if (state.running) return `running at ${state.url}`;
  return state.taken
    ? `not running for this data; the server at ${state.url} uses other data`
    : `not running (would be ${state.url})`;
}

/** Requests a server's health. Resolves to undefined if no MetaHuman OS server answers. */
async function healthAt(url: string): Promise<Health | undefined> {
  try {
    const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(1_000) });
    return Health.safeParse(await response.json()).data;
  } catch {
    // A refused or timed-out connection, or a reply that is not JSON, means that no server of ours answers.
    return undefined;
  }
}
