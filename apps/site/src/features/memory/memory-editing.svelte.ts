import { copy } from "./copy.ts";
import { z } from "zod";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { ApiProblem } from "../../lib/api/api-problem.ts";
import { FormState } from "../../lib/ui/form-state.svelte.ts";
import type { MemoryApi } from "./memory-api.ts";
import { importanceLabel } from "./memory-labels.ts";
import { MemoryEdit } from "@metahuman/core/contract/http";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { issueSentence } from "@metahuman/core/text/issue-sentence";

/** The fields of a memory that people may change. */
export const Editable = MemoryEdit.omit({ version: true });
export type Editable = Omit<MemoryEdit, "version">;

/** The editable fields of a memory as JSON text. */
export function editableText(record: Editable): string {
  const fields = Object.entries(record).filter(([field]) => Object.hasOwn(Editable.shape, field));
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

/**
 * The editable fields of a memory as people read them: the content, then a line for each other field with a value.
 * `linked` has the titles of linked records.
 */
export function readableText(
  record: Editable,
  linked: readonly { id: string; title: string }[] = [],
): string {
  const titles = new Map(linked.map(({ id, title }) => [id, title]));
  const { content = "", tags = [], importance, pinned, links = [] } = record;
  const { entities = [], context = {}, metadata = {} } = record;
  const lines = [
    ["Tags", tags.join(", ")],
    [
      "Importance",
      importance === undefined ? "" : `${importanceLabel(importance).toLowerCase()} (${importance})`,
    ],
    ["Pinned", pinned === true ? "yes" : ""],
    ["Linked to", links.map(({ id, relation }) => `${titles.get(id) ?? id} (${relation})`).join(", ")],
    ["Names", entities.join(", ")],
    [
      "Belongs to",
      Object.entries(context)
        .map(([kind, name]) => `${kind} ${name}`)
        .join(", "),
    ],
    ["Metadata", Object.keys(metadata).length === 0 ? "" : JSON.stringify(metadata)],
  ].flatMap(([label, value]) => (value === "" ? [] : [`${label}: ${value}`]));
  return lines.length === 0 ? content : `${content}\n\n${lines.join("\n")}`;
}

/** Parses the JSON text of a memory's fields: the edit, or the problem. */
export function readEdit(
  text: string,
): { edit: Editable; problem?: undefined } | { edit?: undefined; problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: copy.notJson(error instanceof Error ? error.message : copy.unreadable) };
  }
  const parsed = Editable.safeParse(json, { error: plainIssue });
  if (parsed.success) return { edit: parsed.data };
  const [{ path, message } = { path: [], message: copy.unreadable }] = parsed.error.issues;
  return { problem: issueSentence(path.map(String).join("."), message) };
}

/** The fields with controls of their own. Their values may still be refused, such as an empty content. */
const RecordFields = z.object({
  content: z.string().catch(""),
  tags: z.array(z.string()).catch([]),
  importance: z.number().catch(0),
  links: z.array(z.object({ id: z.string(), relation: z.string() })).catch([]),
});
type RecordFields = z.infer<typeof RecordFields>;

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // While somebody types, the text is temporarily not valid JSON; `readEdit` reports it.
    return undefined;
  }
}

function readFields(text: string): RecordFields | undefined {
  return RecordFields.safeParse(parseObject(text)).data;
}

/** The editing of a memory as JSON: the text is kept until it is saved or discarded. */
export class MemoryEditing {
  text = $state("");
  /** The record from which the text was created. */
  base = $state.raw<MemoryRecord>();
  /** A version that somebody else saved meanwhile; nothing is saved until the conflict is resolved. */
  theirs = $state.raw<MemoryRecord>();
  readonly form = new FormState();

  readonly read = $derived(readEdit(this.text));
  /** The fields with controls of their own; absent while the text is not JSON of that shape. */
  readonly fields = $derived(readFields(this.text));
  readonly dirty = $derived(this.base !== undefined && this.text !== editableText(this.base));
  /** Fields that both sides changed. */
  readonly both = $derived.by(() => {
    const { base, theirs, read } = this;
    if (!base || !theirs || !read.edit) return [];
    const mine = changed(base, read.edit);
    return Object.keys(changed(base, theirsOf(theirs))).filter((field) => Object.hasOwn(mine, field));
  });

  readonly #api: Pick<MemoryApi, "edit" | "get">;

  constructor(api: Pick<MemoryApi, "edit" | "get">, record: MemoryRecord) {
    this.#api = api;
    this.base = record;
    this.text = editableText(record);
  }

  /** Changes some fields of the text and leaves the others as typed. */
  change(fields: Partial<RecordFields>): void {
    if (this.fields) this.text = JSON.stringify(Object.assign({}, parseObject(this.text), fields), null, 2);
  }

  /** Resolves to the saved record; undefined if the server refused, or somebody else saved first. */
  async save(): Promise<MemoryRecord | undefined> {
    const { base, read } = this;
    if (!base || !read.edit || this.form.busy || this.theirs) return undefined;
    const edit = changed(base, read.edit);
    if (Object.keys(edit).length === 0) return base;
    let saved: MemoryRecord | undefined;
    await this.form.submit(async () => {
      try {
        saved = (await this.#api.edit(base.id, { ...edit, version: base.version ?? 1 })).memory;
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.code !== "STALE_VERSION") throw error;
        this.theirs = (await this.#api.get(base.id)).memory;
      }
    });
    return saved;
  }

  /** Rebases the text onto the other version: only the changed fields, or all of them. */
  keepMine(what: "changes" | "all"): void {
    const { base, theirs, read } = this;
    if (!base || !theirs || !read.edit) return;
    if (what === "changes") this.text = editableText({ ...theirs, ...changed(base, read.edit) });
    this.base = theirs;
    this.theirs = undefined;
  }

  /** Discards the text in favor of the other version. */
  takeTheirs(): void {
    if (!this.theirs) return;
    this.base = this.theirs;
    this.text = editableText(this.theirs);
    this.theirs = undefined;
  }
}

/** The fields of `edit` that differ from the record. */
function changed(record: MemoryRecord, edit: Editable): Editable {
  const before = new Map<string, unknown>(Object.entries(record));
  return Object.fromEntries(
    Object.entries(edit).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before.get(field)),
    ),
  );
}

function theirsOf(record: MemoryRecord): Editable {
  return readEdit(editableText(record)).edit ?? {};
}
