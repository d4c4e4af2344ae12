import { MAX_INBOX_BYTES } from "@metahuman/core/contract/limits";
import type { App } from "../shell/app.svelte.ts";
import { formatBytes } from "../../lib/format/format.ts";

/** Sends files to `inbox/`, one after the other. The paths of those that arrived; of the others it is said why not. */
export async function uploadFiles(
  app: Pick<App, "attempt" | "background" | "notices">,
  files: Iterable<File>,
): Promise<string[]> {
  const paths: string[] = [];
  for (const file of files) {
    if (file.size > MAX_INBOX_BYTES) {
      app.notices.show(`${file.name} is larger than ${formatBytes(MAX_INBOX_BYTES)}; nothing was sent.`, {
        tone: "risk",
      });
      continue;
    }
    await app.attempt(async () => {
      const { path } = await app.background.sendFile(file);
      paths.push(path);
    });
  }
  if (paths.length > 0)
    app.notices.show(`Put into ${paths.join(", ")}, from where it is taken into memory.`, { tone: "good" });
  return paths;
}
