/** The longest request a person may send, in UTF-16 code units. */
export const MAX_GOAL = 200_000;

/** The largest file that `inbox/` takes from outside, in bytes: what memory takes in. */
export const MAX_INBOX_BYTES = 5_000_000;
