import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { DocumentKind } from "./document.ts";
import { readDocument } from "./read-document.ts";

const { kind, text } = z.strictObject({ kind: DocumentKind, text: z.string() }).parse(workerData);
parentPort?.postMessage(readDocument(kind, text));
