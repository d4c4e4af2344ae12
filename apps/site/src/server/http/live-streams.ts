/** A response that stays open. */
export interface LiveStream {
  /** The session or token it was opened with. */
  credentialId: string;
  /** Sends a comment that keeps the connection alive. */
  sendHeartbeat(): void;
  end(): void;
}

/** A request that is being answered for a session or token. */
export interface LiveRequest {
  readonly credentialId: string;
  /** Called when its session or token ends. */
  onEnd(): void;
}

/** All open streams of this server. They share one heartbeat timer and end with their session. */
export interface LiveStreams {
  /** Returns a function that removes the stream. A stream whose session has ended since its request began ends at once. */
  add(stream: LiveStream): () => void;
  /** Registers a request for as long as it is answered. Returns a function that removes it. */
  begin(request: LiveRequest): () => void;
  endOf(credentialIds: readonly string[]): void;
  /** Ends all streams, and each stream added later. */
  close(): void;
}

/** Shorter than the idle timeouts of proxies and browsers, in milliseconds. */
const HEARTBEAT_MS = 15_000;

export function createLiveStreams(): LiveStreams {
  const streams = new Set<LiveStream>();
  const requests = new Set<LiveRequest>();
  /** The requests whose session or token ended after they began. */
  const ended = new Set<LiveRequest>();
  let isClosed = false;
  const heartbeat = setInterval(() => {
    for (const stream of streams) stream.sendHeartbeat();
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    add: (stream) => {
      if (isClosed || [...ended].some(({ credentialId }) => credentialId === stream.credentialId))
        stream.end();
      else streams.add(stream);
      return () => streams.delete(stream);
    },
    begin: (request) => {
      requests.add(request);
      return () => {
        requests.delete(request);
        ended.delete(request);
      };
    },
    endOf: (credentialIds) => {
      for (const request of requests) {
        if (!credentialIds.includes(request.credentialId)) continue;
        ended.add(request);
        request.onEnd();
      }
      for (const stream of streams) if (credentialIds.includes(stream.credentialId)) stream.end();
    },
    close: () => {
      isClosed = true;
      clearInterval(heartbeat);
      for (const stream of streams) stream.end();
    },
  };
}
