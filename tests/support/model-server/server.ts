import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { z } from "zod";
import { ollamaRoute } from "./ollama.ts";
import { openAiRoute } from "./openai.ts";
import type { Verdict } from "../../../brain/agents/operator/answer/critic.ts";
import type { Answer, ChatScript, Exchange, ModelSpec, SeenRequest } from "./script.ts";

/** A model server for tests: a real HTTP server that speaks Ollama's and OpenAI's protocols with scripted replies. */
export interface ModelServer {
  /** The value for `OLLAMA_HOST`. */
  readonly url: string;
  /** The base URL for an `openai-compatible` server. */
  readonly openAiUrl: string;
  /** Every request so far, oldest first. */
  readonly requests: SeenRequest[];
  /** Chat requests that the script answers. */
  chats(): SeenRequest[];
  /** Requests for the verdict on single sentences of an answer, oldest first. */
  sentenceChecks: SeenRequest[];
  /** The reply to such a request. By default, no sentence needs evidence, so that scripts only concern plans and answers. */
  onSentenceCheck: (sentences: readonly string[]) => ChatScript;
  /** Requests for the title of a conversation, oldest first. */
  titleRequests: SeenRequest[];
  /** The reply to such a request. By default, it is not a title, so that conversations keep theirs. */
  onTitleRequest: (request: SeenRequest) => ChatScript;
  /** Replaces the script: a function of the request, or replies in order (the last one repeats). */
  script(answer: Answer | readonly ChatScript[]): void;
  /** Advances every download by one step. */
  advancePull(): void;
  models: ModelSpec[];
  /** While set, embedding requests are answered only when this resolves. */
  embeddingGate: Promise<void> | undefined;
  /** Stops the server: closes connections and refuses new ones. */
  stop(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const Body = z.record(z.string(), z.unknown());

export async function startModelServer(
  options: { models?: ModelSpec[]; answer?: Answer | readonly ChatScript[] } = {},
): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let pullWaiters: (() => void)[] = [];
  let chats = 0;
  let answer: Answer = asAnswer(options.answer ?? [{ say: "All done." }]);
  let port = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const path = new URL(request.url ?? "/", "http://double").pathname;
    const note: Exchange["note"] = (seen) => {
      const noted: SeenRequest = { ...seen, headers: flatHeaders(request), aborted: false };
      requests.push(noted);
      response.on("close", () => {
        noted.aborted = !response.writableEnded;
      });
      return noted;
    };
    const exchange: Exchange = {
      body,
      request,
      response,
      models: server.models,
      note,
      answer: async (seen) => {
        const isForTitle = seen.messages[0]?.content.startsWith("You name a conversation") === true;
        if (isForTitle) {
          const asked = { ...seen, headers: flatHeaders(request), aborted: false };
          server.titleRequests.push(asked);
          return server.onTitleRequest(asked);
        }
        const sentences = checkedSentences(seen);
        if (sentences === undefined) return answer(note(seen), chats++);
        server.sentenceChecks.push({ ...seen, headers: flatHeaders(request), aborted: false });
        return server.onSentenceCheck(sentences);
      },
      mayEmbed: async () => server.embeddingGate,
      nextPullStep: () => new Promise((resolve) => pullWaiters.push(resolve)),
    };
    const done = path.startsWith("/v1/")
      ? await openAiRoute(path, exchange)
      : await ollamaRoute(path, exchange);
    if (!done)
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":"no such endpoint"}');
  };

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // Many scenarios disconnect clients; any other error is a defect of the test.
      if (!response.destroyed) response.destroy(error instanceof Error ? error : undefined);
    });
  });
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  const server: ModelServer = {
    url: "",
    openAiUrl: "",
    requests,
    models: options.models ?? [
      { name: "test-model:latest", contextTokens: 8_192, abilities: ["completion", "tools"] },
    ],
    embeddingGate: undefined,
    titleRequests: [],
    onTitleRequest: () => ({ say: "-" }),
    sentenceChecks: [],
    onSentenceCheck: (sentences) => verdicts(sentences, () => "general"),
    chats: () => requests.filter(({ path }) => path.endsWith("/chat") || path.endsWith("/chat/completions")),
    script(next) {
      answer = asAnswer(next);
      chats = 0;
    },
    advancePull() {
      const waiting = pullWaiters;
      pullWaiters = [];
      for (const resume of waiting) resume();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) =>
        http.close(() => {
          resolve();
        }),
      );
    },
    async start() {
      if (http.listening) return;
      await new Promise<void>((resolve, reject) => {
        http.once("error", reject);
        http.listen(port, "127.0.0.1", resolve);
      });
    },
    close: () => (http.listening ? server.stop() : Promise.resolve()),
  };

  await server.start();
  port = portOf(http.address());
  return Object.assign(server, {
    url: `http://127.0.0.1:${String(port)}`,
    openAiUrl: `http://127.0.0.1:${String(port)}/v1`,
  });
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address) return address.port;
  throw new Error("the model server has no port");
}

/** The sentences whose verdict a request asks for; `undefined` for any other request. */
function checkedSentences({ messages }: Pick<SeenRequest, "messages">): string[] | undefined {
  if (messages[0]?.content.startsWith("You check the sentences") !== true) return undefined;
  const listed = /\nSentences:\n<data>([\s\S]*)<\/data>/u.exec(messages.at(-1)?.content ?? "")?.[1] ?? "";
  return listed.split("\n").map((line) => line.replace(/^\d+\. /u, ""));
}

/** A reply with the verdict on each sentence, and the same words of the evidence for all of them. */
export const verdicts = (
  sentences: readonly string[],
  verdictOn: (sentence: string) => Verdict,
  evidence = "",
): ChatScript => ({
  json: {
    sentences: sentences.map((sentence, index) => ({
      number: index + 1,
      evidence,
      verdict: verdictOn(sentence),
    })),
  },
});

function asAnswer(script: Answer | readonly ChatScript[]): Answer {
  if (typeof script === "function") return script;
  return (_, index) => {
    const reply = script[Math.min(index, script.length - 1)];
    if (!reply) throw new Error("the script of the model server is empty");
    return reply;
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : Body.parse(JSON.parse(text));
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
