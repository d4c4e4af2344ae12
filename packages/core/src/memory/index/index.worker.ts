import { parentPort, workerData } from "node:worker_threads";
import { MetahumanError } from "../../errors/metahuman-error.ts";
import { openIndex } from "./open-index.ts";
import { IndexSettings } from "./protocol.ts";
import type { IndexMethod, IndexReply, IndexRequest } from "./protocol.ts";

/** The thread that owns `memory.db`: whatever it does keeps no request waiting. */
if (!parentPort) throw new Error("the index worker needs a thread of its own");
const port = parentPort;

const reply = (message: IndexReply): void => port.postMessage(message);
const index = openIndex(IndexSettings.parse(workerData), (error) =>
  reply({ warning: describe(error).message }),
);

port.on("message", (request: IndexRequest) => void answer(request));

async function answer<Method extends IndexMethod>(request: IndexRequest<Method>): Promise<void> {
  const { number, method } = request;
  try {
    reply({ number, result: await index.call<Method>(method, request.params) });
  } catch (error) {
    reply({ number, failure: describe(error) });
  }
  if (method === "close") port.close();
}

function describe(error: unknown): { code: string; message: string } {
  if (error instanceof MetahumanError) return { code: error.code, message: error.message };
  return {
    code: "UNEXPECTED_ERROR",
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
}
