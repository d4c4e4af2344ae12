import type { ChannelEdit, ChannelServersEdit } from "@metahuman/core/contract/channels";
import type { NoticeChannel } from "@metahuman/core/contract/notice";
import { type HttpClient, lazySchemas } from "../../lib/api/http-client.ts";

const channels = lazySchemas(() => import("@metahuman/core/contract/channels"));

/** The channels that deliver notices outside the page. Throws as `HttpClient` does. */
export class ChannelsApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  list() {
    return this.#http.request(channels("ChannelsAnswer"), "GET", "/api/channels");
  }

  save(body: ChannelEdit) {
    return this.#http.request(channels("ChannelAnswer"), "PUT", "/api/channels", { body });
  }

  remove(channel: NoticeChannel) {
    return this.#http.request(channels("ChannelAnswer"), "DELETE", "/api/channels", { query: { channel } });
  }

  /** Sends a test message. */
  test(channel: NoticeChannel) {
    return this.#http.request(channels("ChannelTestAnswer"), "POST", "/api/channels/test", {
      body: { channel },
    });
  }

  /** For owners. */
  saveServers(body: ChannelServersEdit) {
    return this.#http.request(channels("ChannelServers"), "PUT", "/api/channels/servers", { body });
  }
}
