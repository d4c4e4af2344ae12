import type { LastDelivery } from "../contract/channels.ts";
import type { Notice, NoticeChannel, NoticePage, NoticeUrgency } from "../contract/notice.ts";

/** A message to send to the person of a profile. */
export interface NewNotice {
  title: string;
  body: string;
  /** A path of the page that shows more. */
  link?: string;
  urgency?: NoticeUrgency;
  /** A message with a key that was used before is not sent again. */
  dedupeKey?: string;
  /** It is shown and delivered no earlier. */
  visibleAt?: string;
  /** It is not delivered on this channel, whose failure it is about. */
  exceptChannel?: NoticeChannel;
}

/** A delivery that is to be tried now. */
export interface PendingDelivery {
  notice: Notice;
  channel: NoticeChannel;
  attempts: number;
}

/** Records messages to the person. A message is stored before it is shown or delivered anywhere. */
export interface NoticePort {
  /** Resolves to the messages that are new. */
  send(notices: readonly NewNotice[]): Promise<Notice[]>;
  /** Newest first; those in quiet hours are left out. */
  list(query: {
    unread?: boolean;
    query?: string;
    limit: number;
    cursor?: string;
  }): Promise<NoticePage & { unread: number }>;
  /** Throws `NotFoundError`. */
  get(id: string): Promise<Notice>;
  /** Marks a message as read or unread. Throws `NotFoundError`. */
  markRead(id: string, read: boolean): Promise<Notice>;
  markAllRead(): Promise<number>;
  /**
   * Claims deliveries whose time has come, at most `limit`. Nobody else gets them for `leaseMs` milliseconds; after that, a
   * delivery without a recorded outcome is tried again.
   */
  claimDeliveries(limit: number, leaseMs: number): Promise<PendingDelivery[]>;
  /** When the next delivery is to be tried. */
  nextDelivery(): Promise<string | undefined>;
  /** Stores the outcome of a delivery: delivered, failed with a time for the next attempt, or failed finally. */
  recordDelivery(
    delivery: { noticeId: string; channel: NoticeChannel },
    outcome: { delivered: true } | { error: string; retryAt?: string },
  ): Promise<void>;
  /** The last attempt on each channel. */
  lastDeliveries(): Promise<Map<NoticeChannel, LastDelivery>>;
  /** When a message was last delivered on a channel. */
  lastSuccess(channel: NoticeChannel): Promise<string | undefined>;
  /** Deletes messages that were created before then. */
  prune(before: string): Promise<void>;
}
