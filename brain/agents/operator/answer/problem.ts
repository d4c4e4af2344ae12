/** An unsupported claim of a sentence. */
export interface Problem {
  /** One short sentence about it. */
  text: string;
  /**
   * True when the record of the run contradicts the claim, or would contain what it names. False for a doubt: code finds
   * nothing that shows the claim, but it may follow in a way that code does not know.
   */
  isRefuted: boolean;
}

export const refuted = (text: string): Problem => ({ text, isRefuted: true });

export const doubted = (text: string): Problem => ({ text, isRefuted: false });
