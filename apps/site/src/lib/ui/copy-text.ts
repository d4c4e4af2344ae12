import { copy } from "../copy.ts";
/**
 * Copies text to the clipboard. Resolves to false if the browser refuses, as on a page that is not served over HTTPS.
 */
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

/** The message if `copyText` resolves to false. */
export const COPY_REFUSED = copy.copyRefused;
