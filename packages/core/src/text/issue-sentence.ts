import { capitalize } from "./format.ts";

/** An issue as a sentence about its field: "Title must not be empty.", "Tag 2 is missing.", "Id of link 1 …". */
export function issueSentence(path: string, message: string): string {
  const field = fieldName(path);
  const words = message.replace(/^this is missing/u, "is missing");
  const isPredicate = /^(?:must|has|is) /u.test(words);
  const sentence =
    field === "" || words.startsWith("there is no ") ? words : `${field}${isPredicate ? "" : ":"} ${words}`;
  return `${capitalize(sentence)}${/[.!?]$/u.test(sentence) ? "" : "."}`;
}

/** `body.links.0.timeZone` as "time zone of link 1". */
function fieldName(path: string): string {
  const parts = path
    .split(".")
    .filter((part, index) => part !== "" && !(index === 0 && REQUEST_PARTS.has(part)));
  const names: string[] = [];
  for (const part of parts) {
    const before = names.at(-1);
    if (/^\d+$/u.test(part) && before !== undefined)
      names[names.length - 1] = `${before.replace(/s$/u, "")} ${Number(part) + 1}`;
    else names.push(part.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`));
  }
  return names.toReversed().join(" of ");
}

const REQUEST_PARTS: ReadonlySet<string> = new Set(["body", "query"]);
