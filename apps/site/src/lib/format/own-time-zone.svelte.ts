/**
 * The time zone of this browser. It is read when the page has nothing else to do, because a slow phone takes 60 ms to create
 * the first formatter.
 */
class OwnTimeZone {
  /** Absent on the server, and until it is read. */
  name = $state<string>();
  #isAsked = false;

  read(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const read = () => {
      this.name = Intl.DateTimeFormat().resolvedOptions().timeZone;
    };
    if ("requestIdleCallback" in window) requestIdleCallback(read, { timeout: 1_000 });
    else setTimeout(read);
  }
}

export const ownTimeZone = new OwnTimeZone();
