import { copy } from "../copy.ts";
/** Puts text on the clipboard. False if the browser does not allow it, as on a page that is not served over HTTPS. */
export async function copyText(text: string): Promise<boolean> {
  if (!("clipboard" in navigator)) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** What is said when `copyText` returns false. */
export const COPY_REFUSED = copy.copyRefused;
