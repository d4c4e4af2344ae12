export interface ThinkingSink {
  text(text: string): void;
  thinking(text: string): void;
  /** All text so far was thinking: its closing mark, the last `markLength` characters, came without an opening one. */
  restart(markLength: number): void;
}

const OPENING = /^<think(?:ing)?>/iu;
const CLOSING = /<\/think(?:ing)?>/iu;
/** Some servers open the thinking in their own template, so that only its closing mark is sent, at the start of a line. */
const LONE_CLOSING = /^[ \t]*<\/think(?:ing)?>/imu;
const ANY_OPENING = /<think/iu;
const LONGEST_MARK = "</thinking>".length;

/**
 * Separates `<think>…</think>` in front of an answer from the answer, while it streams. Only text that may turn out to be
 * a mark is held back. Marks further on in the text are part of it.
 */
export function createThinkingFilter(sink: ThinkingSink) {
  let state: "start" | "thinking" | "text" = "start";
  let held = "";
  /** The current line of text, and whether a lone closing mark may still come. */
  let line = "";
  let mayRestart = true;

  function atStart(): boolean {
    held = held.trimStart();
    const opening = OPENING.exec(held);
    if (opening) {
      mayRestart = false;
      state = "thinking";
      held = held.slice(opening[0].length);
      return held !== "";
    }
    const lower = held.toLowerCase();
    if ("<thinking>".startsWith(lower) || "<think>".startsWith(lower)) return false;
    state = "text";
    return true;
  }

  function inThinking(): boolean {
    const closing = CLOSING.exec(held);
    if (closing) {
      if (closing.index > 0) sink.thinking(held.slice(0, closing.index));
      held = held.slice(closing.index + closing[0].length);
      state = "start";
      return held !== "";
    }
    const from = held.lastIndexOf("<");
    const keep = from !== -1 && held.length - from < LONGEST_MARK ? from : held.length;
    if (keep > 0) sink.thinking(held.slice(0, keep));
    held = held.slice(keep);
    return false;
  }

  function inText(): boolean {
    const before = line.length;
    const text = held;
    held = "";
    if (mayRestart) {
      line += text;
      const closing = LONE_CLOSING.exec(line);
      mayRestart = !closing && !ANY_OPENING.test(line);
      if (closing && !ANY_OPENING.test(line.slice(0, closing.index))) {
        const end = closing.index + closing[0].length;
        sink.text(text.slice(0, end - before));
        sink.restart(closing[0].length);
        held = line.slice(end);
        state = "start";
        return held !== "";
      }
      line = line.slice(line.lastIndexOf("\n") + 1);
    }
    sink.text(text);
    return false;
  }

  const step = { start: atStart, thinking: inThinking, text: inText };

  return {
    write(text: string): void {
      held += text;
      while (step[state]());
    },
    /** Passes on what was held back: it was no mark. */
    end(): void {
      if (held === "") return;
      if (state === "thinking") sink.thinking(held);
      else sink.text(held);
      held = "";
    },
  };
}
