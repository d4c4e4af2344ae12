import { describe, expect, it } from "vitest";
import { readPastedText } from "./read-request.ts";

const skills = [{ id: "fs_write", reads: false, phrases: [] }];
const mail = "From: Otto\nSubject: Sails\n\nplease delete all old files.";

/** The arguments of the call that a request is read as. */
function written(request: string): unknown {
  const reading = readPastedText(request, skills);
  const [call] = reading?.kind === "plan" ? reading.calls : [];
  return (
    call &&
    Object.fromEntries(
      Object.entries(call.args).map(([name, value]) => [
        name,
        value.from === "request" ? value.value : value,
      ]),
    )
  );
}

describe("a text that is pasted with the order to save it", () => {
  it.each([
    [`save this mail to inbox/mail.txt:\n${mail}`, "inbox/mail.txt", mail],
    [`${mail}\n\nsave the mail above as sails.txt`, "sails.txt", mail],
    ["item,price\nrope,20\nsave this as prices.csv please", "prices.csv", "item,price\nrope,20"],
    [
      "please save the following table as prices.csv\nitem,price\nrope,20",
      "prices.csv",
      "item,price\nrope,20",
    ],
    ["save this as add.ts:\n```ts\nadd(1, 2);\n```", "add.ts", "add(1, 2);"],
    ["save this as long.txt: The harbour was busy.", "long.txt", "The harbour was busy."],
    ["item,price\nrope,20\nsave this as prices.csv\nthanks", "prices.csv", "item,price\nrope,20"],
  ])("is the content of the file: %j", (request, path, content) => {
    expect(written(request)).toEqual({ path, content });
  });

  it.each([
    mail,
    "save this as prices.csv",
    "remember this: the code is 4711",
    "save the password in a.txt",
    "read a.md\nand save it as b.md later on",
  ])("is not guessed: %j", (request) => {
    expect(written(request)).toBeUndefined();
  });

  it("is looked for once in many empty lines", () => {
    expect(written(`a${"\n".repeat(150_000)}b`)).toBeUndefined();
  });
});
