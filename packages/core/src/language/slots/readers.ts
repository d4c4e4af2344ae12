import type { SlotType } from "../phrase.ts";
import { readDate } from "./date.ts";
import { readDescription } from "./description.ts";
import { readFilename } from "./filename.ts";
import { readFolder } from "./folder.ts";
import { readPriority, readStatus } from "./levels.ts";
import { readNumber } from "./number.ts";
import { readPath } from "./path.ts";
import { readQuery, readReference } from "./search.ts";
import type { SlotReader } from "./slot-reader.ts";
import { readTag } from "./tag.ts";
import { readText, readTitle, readWording } from "./text.ts";

export const SLOT_READERS: Readonly<Record<SlotType, SlotReader>> = {
  path: readPath,
  filename: readFilename,
  folder: readFolder,
  text: readText,
  wording: readWording,
  title: readTitle,
  query: readQuery,
  description: readDescription,
  date: readDate,
  priority: readPriority,
  status: readStatus,
  number: readNumber,
  tag: readTag,
  reference: readReference,
};

/** The types whose slots take words that anything could stand for. */
export const OPEN_TYPES: ReadonlySet<SlotType> = new Set<SlotType>([
  "filename",
  "text",
  "wording",
  "title",
  "query",
  "description",
  "reference",
]);
