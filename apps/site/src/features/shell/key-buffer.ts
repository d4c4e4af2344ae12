type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** Buffers keys while the palette loads, so that a fast typist loses none. */
export class KeyBuffer {
  text = "";
  /** Whether Enter was pressed after the text. */
  entered = false;

  /** Returns true if the key was buffered; the page handles the others. */
  take({ key, ctrlKey, metaKey, altKey }: Key): boolean {
    if (this.entered || ctrlKey || metaKey || altKey) return false;
    if (key === "Enter") this.entered = true;
    else if (key === "Backspace") this.text = this.text.slice(0, -1);
    else if (key.length === 1) this.text += key;
    else return false;
    return true;
  }
}
