import { Health } from "@metahuman/core/contract/http";

/** Where the server of this environment answers. */
export function serverAddress(env: Readonly<Record<string, string | undefined>>): string {
  return `http://127.0.0.1:${env["PORT"] ?? "4321"}`;
}

/** The running server's own word; undefined when none answers, or something else does. */
export async function serverHealth(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Health | undefined> {
  try {
    const response = await fetch(`${serverAddress(env)}/api/health`, { signal: AbortSignal.timeout(1_000) });
    return Health.safeParse(await response.json()).data;
  } catch {
    // Refused, timed out or not JSON: in each case no server of ours answers there, which is the finding itself.
    return undefined;
  }
}
