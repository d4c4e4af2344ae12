import { ConflictError } from "../errors/request-errors.ts";

/** A part that opens at its first use. */
export interface OpensWhenUsed<Part> {
  /** Opens the part unless it is open; after a failure, the next use tries again. Throws `ConflictError` after `close`. */
  use(): Promise<Part>;
  /** The part if it was opened. */
  opened(): Part | undefined;
  /** Closes the part if it was opened or is being opened. */
  close(): Promise<void>;
}

/** `title` names the part in messages: "the memories". */
export function openWhenUsed<Part extends { close(): Promise<void> }>(
  title: string,
  open: () => Promise<Part>,
): OpensWhenUsed<Part> {
  let opening: Promise<Part> | undefined;
  let opened: Part | undefined;
  let closing: Promise<void> | undefined;

  async function openOnce(): Promise<Part> {
    try {
      opened = await open();
      return opened;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  }

  return {
    async use() {
      if (closing !== undefined)
        throw new ConflictError(`The profile is being closed: ${title} cannot be opened.`);
      return await (opening ??= openOnce());
    },
    opened: () => opened,
    close() {
      closing ??= (async () => {
        // The caller of `use` sees why it could not be opened.
        await opening?.catch(() => undefined);
        await opened?.close();
      })();
      return closing;
    },
  };
}
