/** Characters that show nothing, or turn the text around: what a reader does not see, a model still reads. */
const HIDDEN =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]/u;
/** Control characters other than tab and line ends. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** Whether a text holds something that a reader cannot see. Joiners inside words and emoji are writing, not hiding. */
export function holdsHiddenText(text: string): boolean {
  return HIDDEN.test(text) || CONTROL.test(text);
}
