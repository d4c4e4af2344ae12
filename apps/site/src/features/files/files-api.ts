import type { ExistingFile, FileRename, FileSort, FileWrite } from "@metahuman/core/contract/files";
import { buildUrl, type HttpClient, lazySchemas, type ListQuery } from "../../lib/api/http-client.ts";

const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const files = lazySchemas(() => import("@metahuman/core/contract/files"));

/** The endpoints of workspace files. Throws as `HttpClient` does. */
export class FilesApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  list(query: ListQuery & { path: string; sort: FileSort }) {
    return this.#http.request(files("FilePage"), "GET", "/api/files", { query: { ...query } });
  }

  read(path: string) {
    return this.#http.request(files("FileContent"), "GET", "/api/files/content", { query: { path } });
  }

  write(file: FileWrite) {
    return this.#http.request(files("FileWritten"), "PUT", "/api/files/content", { body: file });
  }

  /** Uploads a file of any kind to `path`; `onprogress` is told the fraction that has been sent. */
  upload(
    path: string,
    file: Blob,
    options: { existing: ExistingFile; signal: AbortSignal; onprogress: (fraction: number) => void },
  ) {
    return this.#http.request(files("FileUploaded"), "POST", "/api/files/content", {
      // The media type that the endpoint accepts, whatever the file is.
      upload: new Blob([file], { type: "application/octet-stream" }),
      query: { path, existing: options.existing },
      signal: options.signal,
      fetch: fetchWithProgress(options.onprogress),
    });
  }

  rename(rename: FileRename) {
    return this.#http.request(files("FileRenamed"), "POST", "/api/files", { body: rename });
  }

  remove(path: string, recursive: boolean) {
    return this.#http.request(answers("ArchivedAnswer"), "DELETE", "/api/files", {
      query: { path, recursive },
    });
  }
}

/** The address of a file's bytes. */
export const downloadAddress = (path: string): string =>
  buildUrl("/api/files/content", { path, download: true });

/**
 * A `fetch` of one upload that reports how much of the body has been sent, from 0 to 1, which the platform's `fetch`
 * does not. It sends a URL, a method, headers and a Blob, and takes a signal; other options are ignored.
 */
function fetchWithProgress(onprogress: (fraction: number) => void): typeof fetch {
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    signal?.throwIfAborted();
    return await new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url instanceof Request ? url.url : url);
      request.responseType = "blob";
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      const abort = () => request.abort();
      signal?.addEventListener("abort", abort);
      request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
        if (lengthComputable && total > 0) onprogress(loaded / total);
      };
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError("The request got no response."));
      request.onabort = () => reject(new DOMException("The request was cancelled.", "AbortError"));
      request.onloadend = () => signal?.removeEventListener("abort", abort);
      request.send(body instanceof Blob ? body : null);
    });
  };
}

function responseOf({ response, status, statusText }: XMLHttpRequest): Response {
  return new Response(response instanceof Blob ? response : null, { status, statusText });
}
