type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** What is typed while the palette is still on its way, so that a fast typist loses no key. */
export class KeyBuffer {
  text = "";
  /** Enter was pressed after the text. */
  entered = false;

  /** True when the key was taken; others are left to the page. */
  take({ key, ctrlKey, metaKey, altKey }: Key): boolean {
    if (this.entered || ctrlKey || metaKey || altKey) return false;
    if (key === "Enter") this.entered = true;
    else if (key === "Backspace") this.text = this.text.slice(0, -1);
    else if (key.length === 1) this.text += key;
    else return false;
    return true;
  }
}
