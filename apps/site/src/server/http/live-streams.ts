/** A response that stays open. */
export interface LiveStream {
  /** The session or token it was opened with. */
  credentialId: string;
  /** Sends a comment that keeps the connection alive. */
  sendHeartbeat(): void;
  end(): void;
}

/** All open streams of this server. They share one heartbeat timer and end with their session. */
export interface LiveStreams {
  /** Returns a function that removes the stream. */
  add(stream: LiveStream): () => void;
  endOf(credentialIds: readonly string[]): void;
  /** Ends all streams, and each stream added later. */
  close(): void;
}

/** Shorter than the idle timeouts of proxies and browsers, in milliseconds. */
const HEARTBEAT_MS = 15_000;

export function createLiveStreams(): LiveStreams {
  const streams = new Set<LiveStream>();
  let isClosed = false;
  const heartbeat = setInterval(() => {
    for (const stream of streams) stream.sendHeartbeat();
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    add: (stream) => {
      if (isClosed) stream.end();
      else streams.add(stream);
      return () => streams.delete(stream);
    },
    endOf: (credentialIds) => {
      for (const stream of streams) if (credentialIds.includes(stream.credentialId)) stream.end();
    },
    close: () => {
      isClosed = true;
      clearInterval(heartbeat);
      for (const stream of streams) stream.end();
    },
  };
}
