import type { NoticeChannel } from "@metahuman/core/contract/notice";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { NewNotice, NoticePort, PendingDelivery } from "@metahuman/core/notices/notice-port";
import { isTransient } from "../scheduler/outcome-of-run.ts";

/** The maximum time between two checks for deliveries in milliseconds; another process may have added some. */
const MAX_WAIT_MS = 30_000;
/** The number of deliveries claimed at once. */
const BATCH = 20;
/** The additional time in milliseconds before another process may repeat a delivery. */
const LEASE_MARGIN_MS = 60_000;

/** The display names of the channels. */
const LABELS: Record<NoticeChannel, string> = { ntfy: "ntfy", smtp: "e-mail", webhook: "webhook" };

export interface DelivererOptions {
  notices: NoticePort;
  /**
   * Delivers one notice. Throws a `MetahumanError` if it was not accepted, `NotFoundError` if the channel is switched
   * off.
   */
  deliver(delivery: PendingDelivery, signal: AbortSignal): Promise<void>;
  /** The time limit of a delivery, and the delays before its repetitions in seconds. */
  limits(): { timeoutMs: number; retryAfterSeconds: readonly number[] };
  clock: () => Date;
  /** Receives errors that no caller sees. */
  onProblem: (message: string, cause: unknown) => void;
  /** Called when the time of the next delivery has changed; null when there is none. */
  onNextChanged(next: string | null): void;
  /** Whether this process delivers notices automatically: true for a long-lived process. */
  runsTimers: boolean;
  /** Whether a check without a known reason may find anything. Default: it may. */
  mayFindWork?: () => boolean;
  /** Whether a delivery may be due at the first look. Default: it may. */
  mayBeDue?: () => boolean;
}

/** Delivers notices through a person's channels. */
export interface NoticeDeliverer {
  /** Delivers all due notices. Called automatically with `runsTimers`. */
  tick(): Promise<void>;
  /** Checks again after notices were sent. */
  notify(): void;
  /** Stops delivering. Another process or the next start repeats an interrupted delivery. */
  close(): Promise<void>;
}

export function createNoticeDeliverer(options: DelivererOptions): NoticeDeliverer {
  const { notices, clock, onProblem } = options;
  const closing = new AbortController();
  const mayFindWork = options.mayFindWork ?? (() => true);
  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<void> | undefined;
  let isPollRequested = false;
  let reportedNext: string | null | undefined;
  let isFirstLook = true;

  async function deliverDue(): Promise<void> {
    const { timeoutMs } = options.limits();
    for (;;) {
      const claimed = await notices.claimDeliveries(BATCH, BATCH * timeoutMs + LEASE_MARGIN_MS);
      for (const delivery of claimed) {
        if (closing.signal.aborted) return;
        await attempt(delivery, timeoutMs);
      }
      if (claimed.length < BATCH) return;
    }
  }

  async function attempt(delivery: PendingDelivery, timeoutMs: number): Promise<void> {
    const { notice, channel, attempts } = delivery;
    const key = { noticeId: notice.id, channel };
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
      await options.deliver(delivery, signal);
      await notices.recordDelivery(key, { delivered: true });
    } catch (error) {
      if (closing.signal.aborted) return;
      if (!(error instanceof MetahumanError)) throw error;
      const delay = isTransient(error.code) ? options.limits().retryAfterSeconds[attempts] : undefined;
      if (delay !== undefined) {
        const retryAt = new Date(clock().getTime() + delay * 1_000).toISOString();
        return await notices.recordDelivery(key, { error: error.message, retryAt });
      }
      // Reported before it is recorded: a process that ends in between repeats both, and the key prevents a second notice.
      const since = (await notices.lastSuccess(channel)) ?? "never";
      const isOff = error instanceof NotFoundError;
      if (!isOff) await notices.send([failureNotice(channel, error.message, since)]);
      await notices.recordDelivery(key, { error: error.message });
    }
  }

  async function poll(): Promise<void> {
    const isQuiet = isFirstLook && options.mayBeDue?.() === false;
    isFirstLook = false;
    if (options.runsTimers && !isQuiet) await deliverDue();
    const next = (await notices.nextDelivery()) ?? null;
    if (next !== reportedNext) {
      reportedNext = next;
      options.onNextChanged(next);
    }
    schedulePoll(next === null ? Number.POSITIVE_INFINITY : Date.parse(next));
  }

  /**
   * Schedules the next check for this time (milliseconds of the clock), or after `MAX_WAIT_MS` if there may be
   * deliveries.
   */
  function schedulePoll(next: number): void {
    clearTimeout(timer);
    if (!options.runsTimers || closing.signal.aborted) return;
    const check = (): void => {
      if (clock().getTime() >= next || mayFindWork()) notify();
      else schedulePoll(next);
    };
    const waitMs = next - clock().getTime();
    timer = setTimeout(check, Math.min(Math.max(waitMs, 0), MAX_WAIT_MS)).unref();
  }

  function notify(): void {
    if (closing.signal.aborted) return;
    if (ticking) {
      isPollRequested = true;
      return;
    }
    ticking = poll()
      .catch((error: unknown) => {
        onProblem("notices could not be delivered", error);
        schedulePoll(clock().getTime() + MAX_WAIT_MS);
      })
      .finally(() => {
        ticking = undefined;
        if (!isPollRequested) return;
        isPollRequested = false;
        notify();
      });
  }

  return {
    async tick() {
      await ticking;
      await deliverDue();
    },
    notify,
    async close() {
      closing.abort();
      clearTimeout(timer);
      await ticking;
    },
  };
}

/** Sent once for all failures of a channel since it last worked. */
function failureNotice(channel: NoticeChannel, reason: string, since: string): NewNotice {
  return {
    title: `Notices do not arrive by ${LABELS[channel]}`,
    body: `${reason} They stay on the page. Check the channel in the settings.`,
    link: "/settings#notices",
    urgency: "high",
    dedupeKey: `channel/${channel}/${since}`,
    exceptChannel: channel,
  };
}
