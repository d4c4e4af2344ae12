import { path, type HttpClient, type ListQuery, lazySchemas } from "../../lib/api/http-client.ts";

const notice = lazySchemas(() => import("@metahuman/core/contract/notice"));

/** Messages of automations to the person. Throws as `HttpClient` does. */
export class NoticesApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  list(query: ListQuery) {
    return this.#http.request(notice("NoticePage"), "GET", "/api/notices", { query: { ...query } });
  }

  markRead(id: string, read: boolean) {
    return this.#http.request(notice("NoticeAnswer"), "POST", path`/api/notices/${id}`, { body: { read } });
  }

  markAllRead() {
    return this.#http.request(notice("NoticesReadAnswer"), "POST", "/api/notices", { body: { read: true } });
  }
}
