export interface ThinkingSink {
  text(text: string): void;
  thinking(text: string): void;
  /** All text so far was thinking: a closing tag, the last `tagLength` characters, had no opening tag. */
  restart(tagLength: number): void;
}

const OPENING = /^<think(?:ing)?>/iu;
const CLOSING = /<\/think(?:ing)?>/iu;
/** Some servers open the thinking in their template and send only the closing tag, at the start of a line. */
const LONE_CLOSING = /^[ \t]*<\/think(?:ing)?>/imu;
const ANY_OPENING = /<think/iu;
const MAX_TAG_LENGTH = "</thinking>".length;

/**
 * Separates `<think>…</think>` before an answer from the answer while it streams. Buffers only text that may be
 * a tag. Later tags are part of the text.
 */
export function createThinkingFilter(sink: ThinkingSink) {
  let state: "start" | "thinking" | "text" = "start";
  let buffer = "";
  /** The current line of text, and whether a lone closing tag may still follow. */
  let line = "";
  let mayRestart = true;

  function processStart(): boolean {
    buffer = buffer.trimStart();
    const opening = OPENING.exec(buffer);
    if (opening) {
      mayRestart = false;
      state = "thinking";
      buffer = buffer.slice(opening[0].length);
      return buffer !== "";
    }
    const lower = buffer.toLowerCase();
    if ("<thinking>".startsWith(lower) || "<think>".startsWith(lower)) return false;
    state = "text";
    return true;
  }

  function processThinking(): boolean {
    const closing = CLOSING.exec(buffer);
    if (closing) {
      if (closing.index > 0) sink.thinking(buffer.slice(0, closing.index));
      buffer = buffer.slice(closing.index + closing[0].length);
      state = "start";
      return buffer !== "";
    }
    const from = buffer.lastIndexOf("<");
    const emittedLength = from !== -1 && buffer.length - from < MAX_TAG_LENGTH ? from : buffer.length;
    if (emittedLength > 0) sink.thinking(buffer.slice(0, emittedLength));
    buffer = buffer.slice(emittedLength);
    return false;
  }

  function processText(): boolean {
    const before = line.length;
    const text = buffer;
    buffer = "";
    if (mayRestart) {
      line += text;
      const closing = LONE_CLOSING.exec(line);
      mayRestart = !closing && !ANY_OPENING.test(line);
      if (closing && !ANY_OPENING.test(line.slice(0, closing.index))) {
        const end = closing.index + closing[0].length;
        sink.text(text.slice(0, end - before));
        sink.restart(closing[0].length);
        buffer = line.slice(end);
        state = "start";
        return buffer !== "";
      }
      line = line.slice(line.lastIndexOf("\n") + 1);
    }
    sink.text(text);
    return false;
  }

  const step = { start: processStart, thinking: processThinking, text: processText };

  return {
    write(text: string): void {
      buffer += text;
      while (step[state]());
    },
    /** Emits the buffered text: it was not a tag. */
    end(): void {
      if (buffer === "") return;
      if (state === "thinking") sink.thinking(buffer);
      else sink.text(buffer);
      buffer = "";
    },
  };
}
