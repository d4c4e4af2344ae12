/** An answer that stays open. */
export interface LiveStream {
  /** The session or token it was opened with. */
  credentialId: string;
  /** Shows the other side that the connection lives. */
  beat(): void;
  /** Ends it from our side. */
  end(): void;
}

/** Every open stream of this server: they share one heartbeat, and end when their session does. */
export interface LiveStreams {
  /** Returns the way to leave. */
  join(stream: LiveStream): () => void;
  endOf(credentialIds: readonly string[]): void;
  /** Ends all, and whatever would join later. */
  close(): void;
}

/** Within what proxies and browsers take for dead; in milliseconds. */
const HEARTBEAT_MS = 15_000;

export function createLiveStreams(): LiveStreams {
  const streams = new Set<LiveStream>();
  let closed = false;
  const heart = setInterval(() => {
    for (const stream of streams) stream.beat();
  }, HEARTBEAT_MS);
  heart.unref();
  return {
    join: (stream) => {
      if (closed) stream.end();
      else streams.add(stream);
      return () => streams.delete(stream);
    },
    endOf: (credentialIds) => {
      for (const stream of streams) if (credentialIds.includes(stream.credentialId)) stream.end();
    },
    close: () => {
      closed = true;
      clearInterval(heart);
      for (const stream of streams) stream.end();
    },
  };
}
