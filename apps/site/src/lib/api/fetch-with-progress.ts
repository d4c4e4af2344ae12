/**
 * A `fetch` of one upload that reports how much of the body has been sent, from 0 to 1, which the platform's `fetch`
 * does not. It sends a URL, a method, headers and a Blob, and takes a signal; other options are ignored.
 */
export function fetchWithProgress(onprogress: (fraction: number) => void): typeof fetch {
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
