/** Maximum length of a request, in UTF-16 code units. */
export const MAX_GOAL = 200_000;

/** Maximum size of a file uploaded to `inbox/`, in bytes; memory can ingest files up to this size. */
export const MAX_INBOX_BYTES = 5_000_000;

/** Maximum size of a file uploaded to a folder of the workspace, in bytes. */
export const MAX_UPLOAD_BYTES = 25_000_000;
