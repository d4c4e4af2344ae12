import type { ArchiveDetail } from "@metahuman/core/contract/archive";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import { describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import { type HttpClient, lazySchemas, path } from "../../lib/api/http-client.ts";

const archive = lazySchemas(() => import("@metahuman/core/contract/archive"));

/** The archive entry in the detail pane: what restoring it brings back. */
export class ArchivedPreview {
  detail = $state.raw<ArchiveDetail>();
  #asked = 0;
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  get entry(): ArchiveEntry | undefined {
    return this.detail?.entry;
  }

  /** Opens an entry. Resolves to why it cannot be read. */
  async open(id: string): Promise<ErrorDescription | undefined> {
    const asked = (this.#asked += 1);
    try {
      const detail = await this.#http.request(archive("ArchiveDetail"), "GET", path`/api/archive/${id}`);
      if (asked === this.#asked) this.detail = detail;
      return undefined;
    } catch (error) {
      return describeError(error);
    }
  }

  close(): void {
    this.#asked += 1;
    this.detail = undefined;
  }
}
