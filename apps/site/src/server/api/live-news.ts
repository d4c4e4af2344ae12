import type { Profile } from "@metahuman/boot/brain";
import type { LiveNews } from "@metahuman/core/contract/live-news";

interface Listener {
  hear(news: LiveNews): void;
  fail(error: unknown): void;
}

interface Watch {
  /** The last of each kind, for those who come later. */
  known: Map<LiveNews["type"], { news: LiveNews; text: string }>;
  listeners: Set<Listener>;
  timer?: NodeJS.Timeout;
}

/** How often a profile is looked at while somebody watches it, in milliseconds. What the command line does shows as soon. */
const LOOK_MS = 1_000;

const MOST_UNENDED = 200;
const LATEST_RUNS = 20;

const watches = new WeakMap<Profile, Watch>();

/** What changes in a profile besides its runs' events: each kind once at first, then whenever it changed; only the latest. */
export async function* liveNews(profile: Profile, signal: AbortSignal): AsyncGenerator<LiveNews> {
  const unseen = new Map<LiveNews["type"], LiveNews>();
  const failures: unknown[] = [];
  let wake = () => {};
  const leave = watch(profile, {
    hear: (news) => {
      unseen.set(news.type, news);
      wake();
    },
    fail: (error) => {
      failures.push(error);
      wake();
    },
  });
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  try {
    while (!signal.aborted) {
      const [news] = unseen.values();
      if (failures.length > 0) throw failures[0];
      if (news === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
      } else {
        unseen.delete(news.type);
        yield news;
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    leave();
  }
}

/** All who watch one profile share one look at it. Returns the way to stop. */
function watch(profile: Profile, listener: Listener): () => void {
  const watched = watches.get(profile) ?? begin(profile);
  watched.listeners.add(listener);
  for (const { news } of watched.known.values()) listener.hear(news);
  return () => {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0) return;
    clearTimeout(watched.timer);
    end(profile, watched);
  };
}

/** The next who comes begins anew; a watch that somebody began since is left alone. */
function end(profile: Profile, watched: Watch): void {
  if (watches.get(profile) === watched) watches.delete(profile);
}

function begin(profile: Profile): Watch {
  const watched: Watch = { known: new Map(), listeners: new Set() };
  watches.set(profile, watched);
  const look = async (): Promise<void> => {
    for (const news of await newsOf(profile)) {
      const text = JSON.stringify(news);
      if (watched.known.get(news.type)?.text === text) continue;
      watched.known.set(news.type, { news, text });
      for (const listener of watched.listeners) listener.hear(news);
    }
    if (watched.listeners.size > 0) watched.timer = setTimeout(lookAgain, LOOK_MS);
  };
  // Who watches is told, and comes back.
  const giveUp = (error: unknown): void => {
    end(profile, watched);
    for (const listener of watched.listeners) listener.fail(error);
  };
  const lookAgain = (): void => void look().catch(giveUp);
  lookAgain();
  return watched;
}

async function newsOf({ approvals, runs, index, agents, changes }: Profile): Promise<LiveNews[]> {
  const counts = changes();
  const [pending, status, cards, unended, latest] = await Promise.all([
    approvals.list({ status: "pending", limit: 100 }),
    index.status(),
    agents.list(),
    runs.unended(MOST_UNENDED),
    runs.latest(LATEST_RUNS),
  ]);
  return [
    { type: "approvals", items: pending.items, total: pending.total },
    { type: "runs", items: unended },
    { type: "latest-runs", items: latest },
    { type: "changes", counts },
    { type: "index", status },
    { type: "agents", items: cards },
  ];
}
