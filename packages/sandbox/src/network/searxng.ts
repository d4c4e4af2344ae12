import { NetworkError } from "@metahuman/core/errors/service-errors";
import { z } from "zod";
import { createWeb } from "./web.ts";

/** A search result; untrusted text. */
export interface WebResult {
  title: string;
  url: string;
  snippet: string;
}

export interface WebSearch {
  /** The host of the configured server, in the form of `URL.host`; undefined without one. */
  host(): string | undefined;
  /** Best first. Throws `NetworkError`, `TimeoutError`, the reason of `signal`. */
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<WebResult[]>;
}

const MAX_BYTES = 2_000_000;
const MAX_TITLE = 300;
const MAX_SNIPPET = 1_000;

/** The fields of a SearXNG reply that are read. Results without a URL are ignored. */
const Reply = z.object({
  results: z.array(
    z.object({ title: z.string().nullish(), url: z.string().nullish(), content: z.string().nullish() }),
  ),
});

/** Searches with the configured server. Reads the configuration at every search. */
export function createWebSearch(config: () => { url: string; timeoutMs: number }): WebSearch {
  const server = () => {
    const { url } = config();
    return url === "" ? undefined : new URL(url);
  };
  // The owner chose its address, so it may be on this machine.
  const web = createWeb(() => {
    const host = server()?.host;
    return { privateHosts: host === undefined ? [] : [host], timeoutMs: config().timeoutMs };
  });

  return {
    host: () => server()?.host,
    async search(query, { limit, signal }) {
      const base = server();
      if (!base) throw new NetworkError("No search server is configured.");
      const url = new URL("search", base.href.endsWith("/") ? base : `${base.href}/`);
      url.search = new URLSearchParams({ q: query, format: "json" }).toString();
      const { status, body } = await web.get(url.href, {
        headers: { accept: "application/json" },
        maxBytes: MAX_BYTES,
        signal,
      });
      if (status !== 200) {
        throw new NetworkError(`The search server answered with status ${status}.`, {
          suggestions:
            status === 403 ? ["Allow the format json on the search server."] : ["Try again later."],
        });
      }
      return parseReply(body.toString("utf8"))
        .results.flatMap(({ title, url: found, content }) =>
          found && URL.canParse(found)
            ? [
                {
                  title: (title ?? found).slice(0, MAX_TITLE),
                  url: found,
                  snippet: (content ?? "").slice(0, MAX_SNIPPET),
                },
              ]
            : [],
        )
        .slice(0, limit);
    },
  };
}

function parseReply(text: string): z.infer<typeof Reply> {
  const problem = "The search server's response contains no results.";
  try {
    const reply = Reply.safeParse(JSON.parse(text));
    if (reply.success) return reply.data;
  } catch (error) {
    throw new NetworkError(problem, { cause: error });
  }
  throw new NetworkError(problem);
}
