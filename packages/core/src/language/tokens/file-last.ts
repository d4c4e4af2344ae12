import { outsideQuotations, PATH } from "./reorder.ts";

const FILE_FIRST = new RegExp(
  String.raw`^(?:in|inside|on|from|according to|check|look (?:in|at|into)) (?:the )?(?:file )?(${PATH})\s*[,:;]?\s+(?:and |then |please )*(?!and |then )(\S.*)$`,
  "isu",
);
const ANY_PATH = new RegExp(PATH, "u");

/**
 * Puts the file that a request names first at its end: "in members.csv, has Gerda paid?", "in a.md replace x with y".
 * Undefined for any other request, and for one that names another file.
 */
export function withFileLast(request: string): string | undefined {
  const last = outsideQuotations(request, (masked) => {
    const [, path = "", rest = ""] = FILE_FIRST.exec(masked.trim()) ?? [];
    if (path === "" || ANY_PATH.test(rest)) return masked;
    return `${rest.replace(/[\s.?!]+$/u, "")} in ${path}`;
  });
  return last === request ? undefined : last;
}
