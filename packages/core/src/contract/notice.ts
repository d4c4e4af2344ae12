import { z } from "zod";
import { Page } from "./http.ts";
import { Timestamp } from "./ids.ts";

export const NoticeId = z.string().regex(/^notice-[0-9a-z]{26}$/, "a notice id looks like notice-01jd…");
export type NoticeId = z.infer<typeof NoticeId>;

export const NoticeUrgency = z.enum(["low", "normal", "high"]);
export type NoticeUrgency = z.infer<typeof NoticeUrgency>;

export const NoticeChannel = z.enum(["ntfy", "smtp", "webhook"]);
export type NoticeChannel = z.infer<typeof NoticeChannel>;

/** The delivery of a notice on one channel. */
export const NoticeDelivery = z.strictObject({
  channel: NoticeChannel,
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int().nonnegative(),
  error: z.string().optional(),
  at: Timestamp.optional(),
});
export type NoticeDelivery = z.infer<typeof NoticeDelivery>;

/** A message to the person: a reminder, a result, something that was missed or failed. */
export const Notice = z.strictObject({
  id: NoticeId,
  title: z.string(),
  body: z.string(),
  /** A path of the page that shows more: `/runs?run=…`. */
  link: z.string().optional(),
  urgency: NoticeUrgency,
  createdAt: Timestamp,
  /** It is shown from this moment on; later than `createdAt` when it was sent in quiet hours. */
  visibleAt: Timestamp,
  readAt: Timestamp.optional(),
  deliveries: z.array(NoticeDelivery),
});
export type Notice = z.infer<typeof Notice>;

/** `unread` counts all that are unread; absent in a search. */
export const NoticePage = Page(Notice).extend({ unread: z.int().nonnegative().optional() });
export type NoticePage = z.infer<typeof NoticePage>;

export const NoticeEdit = z.strictObject({ read: z.boolean() });
export type NoticeEdit = z.infer<typeof NoticeEdit>;

/** How many were marked. */
export const NoticesReadAnswer = z.strictObject({ read: z.int().nonnegative() });
export type NoticesReadAnswer = z.infer<typeof NoticesReadAnswer>;

export const NoticeAnswer = z.strictObject({ notice: Notice });
export type NoticeAnswer = z.infer<typeof NoticeAnswer>;
