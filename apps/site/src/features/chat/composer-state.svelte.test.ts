import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Api } from "../shell/api.ts";
import { ChatState } from "./chat-state.svelte.ts";
import { ComposerState } from "./composer-state.svelte.ts";
import { Drafts } from "./drafts.ts";
import { HttpClient } from "../../lib/api/http-client.ts";
import {
  CONVERSATION,
  conversationWith,
  OTHER_RUN,
  RUN,
  runOf,
  summaryOf,
} from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";

let server: ScriptedServer;
let chat: ChatState;
/** The problems of conversations that were left meanwhile. */
let elsewhere: { conversationId: string | undefined; text: string }[];

const reportElsewhere = ({ text }: { text: string }, conversationId: string | undefined): void =>
  void elsewhere.push({ conversationId, text });

beforeEach(async () => {
  memory.clear();
  server = await startScriptedServer();
  elsewhere = [];
  chat = new ChatState({
    api: new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
    feed: { watch: () => () => undefined },
    loadRenderer: async () => undefined,
    onCreated: () => undefined,
    onAccepted: () => undefined,
    onSettled: () => undefined,
    onProblemElsewhere: reportElsewhere,
  });
  server.on("POST /api/operator", () => ({ runId: RUN, conversationId: CONVERSATION, status: "queued" }));
});

afterEach(() => server.close());

const memory = new Map<string, string>();
const storage = {
  getItem: (key: string) => memory.get(key) ?? null,
  setItem: (key: string, value: string) => void memory.set(key, value),
  removeItem: (key: string) => void memory.delete(key),
  clear: () => memory.clear(),
  key: (index: number) => [...memory.keys()][index] ?? null,
  get length() {
    return memory.size;
  },
};

describe("a conversation that was left", () => {
  const OTHER = `conv-${"2".repeat(26)}`;

  beforeEach(async () => {
    const running = summaryOf(RUN, { lastSeq: 1 });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(running));
    server.on(`GET /api/runs/${RUN}`, () => runOf(running));
    server.on(`GET /api/conversations/${OTHER}`, () => conversationWith());
    await chat.open(CONVERSATION);
  });

  /** Answers a route with an error once the other conversation is open. */
  function failLater(path: string): () => Promise<void> {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    server.on(`POST ${path}`, async (_, response) => {
      await opened;
      return problem(response, 503, "STORAGE_FULL", "The disk is full.");
    });
    return async () => {
      await chat.open(OTHER);
      open();
    };
  }

  for (const [action, path] of [
    ["stop", `/api/runs/${RUN}/cancel`],
    ["resume", `/api/runs/${RUN}/resume`],
    ["continueRun", `/api/runs/${RUN}/continue`],
  ] as const)
    it(`reports a failed ${action} as its own, and not in the open one`, async () => {
      const [turn] = chat.turns;
      if (!turn) throw new Error("The conversation has no turn.");
      const leave = failLater(path);
      const acted = chat[action](turn);
      await leave();
      await acted;
      expect(chat.problem).toBeUndefined();
      expect(elsewhere).toEqual([{ conversationId: CONVERSATION, text: "The disk is full." }]);
    });

  it("has its draft after a reload, whatever is saved before it is open", () => {
    const drafts = new Drafts(storage, "ada");
    drafts.write(CONVERSATION, "an unfinished thought");
    const composer = new ComposerState(chat, drafts, reportElsewhere);
    composer.saveDraft();
    composer.open(CONVERSATION);
    expect(composer.text).toBe("an unfinished thought");
  });

  it("gets a text that could not be sent as its draft", async () => {
    const drafts = new Drafts(storage, "ada");
    const composer = new ComposerState(chat, drafts, reportElsewhere);
    const leave = failLater("/api/operator");
    composer.text = "make sandwich file";
    const sent = composer.sendTyped();
    await leave();
    composer.open(OTHER);
    await sent;
    expect([chat.problem, composer.text]).toEqual([undefined, ""]);
    expect(drafts.read(CONVERSATION)).toBe("make sandwich file");
    expect(elsewhere).toEqual([{ conversationId: CONVERSATION, text: "The disk is full." }]);
  });

  it("does not block sending in the open one", async () => {
    const composer = new ComposerState(chat, new Drafts(storage, "ada"), reportElsewhere);
    const leave = failLater("/api/operator");
    composer.text = "make sandwich file";
    const sent = composer.sendTyped();
    await chat.open(OTHER);
    composer.open(OTHER);
    expect(composer.sending).toBe(false);
    await leave();
    await sent;
    expect(composer.sending).toBe(false);
  });
});

describe("ComposerState", () => {
  it("restores a text that could not be sent, before what was typed meanwhile", async () => {
    server.on("POST /api/operator", (_, response) =>
      problem(response, 503, "STORAGE_FULL", "The disk is full."),
    );
    const composer = new ComposerState(chat, new Drafts(undefined, "ada"), reportElsewhere);
    composer.text = "make sandwich file";
    await composer.sendTyped();
    expect(composer.text).toBe("make sandwich file");
    expect(chat.problem?.text).toBe("The disk is full.");
    const again = composer.sendTyped();
    composer.text = "something new";
    await again;
    expect(composer.text).toBe("make sandwich file\nsomething new");
  });

  it("sends attached files as what the request is about, and keeps them in the draft", async () => {
    const drafts = new Drafts(storage, "ada");
    const composer = new ComposerState(chat, drafts, reportElsewhere);
    composer.open(undefined);
    composer.text = "who has not paid?";
    composer.attach(["inbox/fees.csv", "inbox/fees.csv", "inbox/old.csv"]);
    composer.detach("inbox/old.csv");
    composer.saveDraft();
    const reloaded = new ComposerState(chat, drafts, reportElsewhere);
    reloaded.open(undefined);
    expect([reloaded.text, reloaded.files]).toEqual(["who has not paid?", ["inbox/fees.csv"]]);
    await reloaded.sendTyped();
    expect(server.asked.at(-1)?.body).toMatchObject({ goal: "in inbox/fees.csv: who has not paid?" });
    expect([reloaded.text, reloaded.files]).toEqual(["", []]);
  });

  /** A conversation whose requests reach the server, and whose responses are lost. */
  function openLossyChat(): { lossy: ChatState; connection: { isLost: boolean } } {
    const connection = { isLost: true };
    const lossy = new ChatState({
      api: new Api(
        new HttpClient({
          fetch: async (...request) => {
            const response = await server.fetch(...request);
            if (connection.isLost) throw new TypeError("The connection was lost.");
            return response;
          },
          signInAgain: async () => undefined,
        }),
      ),
      feed: { watch: () => () => undefined },
      loadRenderer: async () => undefined,
      onCreated: () => undefined,
      onAccepted: () => undefined,
      onSettled: () => undefined,
      onProblemElsewhere: reportElsewhere,
    });
    return { lossy, connection };
  }

  it("removes a text whose run started although the server gave no response, and names its new conversation", async () => {
    const { lossy, connection } = openLossyChat();
    const composer = new ComposerState(lossy, new Drafts(undefined, "ada"), reportElsewhere);
    const goalOf = async (): Promise<string> => "make sandwich file";
    const [before, begun] = [
      summaryOf(RUN, { conversationId: `conv-${"2".repeat(26)}` }),
      summaryOf(OTHER_RUN),
    ];
    await composer.confirm([before], goalOf);
    composer.text = "make sandwich file";
    await composer.sendTyped();
    connection.isLost = false;
    expect(composer.text).toBe("make sandwich file");
    // An earlier run with the same words confirms nothing, and neither does a later one with others.
    expect(await composer.confirm([before], goalOf)).toBeUndefined();
    expect(await composer.confirm([begun, before], async () => "list my tasks")).toBeUndefined();
    expect(composer.text).toBe("make sandwich file");
    expect(await composer.confirm([begun, before], goalOf)).toBe(CONVERSATION);
    expect(composer.text).toBe("");
    expect(lossy.problem).toBeUndefined();
  });

  it("removes a text as soon as the conversation shows it as a turn", async () => {
    const { lossy, connection } = openLossyChat();
    connection.isLost = false;
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN)));
    await lossy.open(CONVERSATION);
    const shown = lossy.turns.length;
    const composer = new ComposerState(lossy, new Drafts(undefined, "ada"), reportElsewhere);
    connection.isLost = true;
    composer.text = "make sandwich file";
    await composer.sendTyped();
    connection.isLost = false;
    composer.confirmShown();
    // An earlier turn with the same words confirms nothing.
    expect(composer.text).toBe("make sandwich file");
    const begun = summaryOf(OTHER_RUN);
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN), begun));
    await lossy.refresh();
    expect(lossy.turns.length).toBe(shown + 1);
    composer.confirmShown();
    expect([composer.text, lossy.problem]).toEqual(["", undefined]);
  });

  it("says that a request may not have been sent once the server answers again", async () => {
    const { lossy, connection } = openLossyChat();
    const composer = new ComposerState(lossy, new Drafts(undefined, "ada"), reportElsewhere);
    const goalOf = async (): Promise<string> => "list my tasks";
    const known = [summaryOf(RUN)];
    await composer.confirm(known, goalOf);
    composer.text = "make sandwich file";
    await composer.sendTyped();
    connection.isLost = false;
    await composer.confirm(known, goalOf);
    expect(lossy.problem?.text).toBe("The server cannot be reached.");
    // The page has no update yet after it opened.
    await composer.confirm(undefined, goalOf);
    expect(lossy.problem?.text).toBe("The server cannot be reached.");
    await composer.confirm([...known], goalOf);
    expect(lossy.problem).toEqual({
      text: "The server can be reached again. Your request may not have been sent: it is below.",
      suggestions: [],
    });
    expect([composer.text, composer.isTextUnconfirmed]).toEqual(["make sandwich file", true]);
    await composer.sendTyped();
    expect(lossy.problem).toBeUndefined();
  });

  it("puts a request that was not typed and could not be sent before the text of the composer", async () => {
    server.on("POST /api/operator", (_, response) =>
      problem(response, 503, "STORAGE_FULL", "The disk is full."),
    );
    const composer = new ComposerState(chat, new Drafts(undefined, "ada"), reportElsewhere);
    await composer.send("list my tasks");
    expect(composer.text).toBe("list my tasks");
    composer.text = "something new";
    await composer.send("list my tasks");
    expect(composer.text).toBe("list my tasks\nsomething new");
  });

  it("answers an open question, and sends a request if there is none", async () => {
    const waiting = summaryOf(RUN, {
      status: "waiting",
      pending: { kind: "question", question: "Which day do you mean?", options: [] },
    });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(waiting));
    server.on(`GET /api/runs/${RUN}`, () => runOf(waiting));
    server.on(`POST /api/runs/${RUN}/answer`, () => ({}));
    await chat.open(CONVERSATION);
    expect(chat.asks).toBe(true);
    const composer = new ComposerState(chat, new Drafts(undefined, "ada"), reportElsewhere);
    composer.text = "30 November";
    await composer.sendTyped();
    const answers = server.asked.filter(({ path }) => path === `/api/runs/${RUN}/answer`);
    expect(answers.map(({ body }) => body)).toEqual([{ text: "30 November" }]);
    expect([chat.turns.length, composer.text]).toEqual([1, ""]);
    await composer.send("list my tasks");
    expect(chat.turns.map(({ request }) => request)).toEqual(["make sandwich file", "list my tasks"]);
  });

  it("sends words that name no option as a request, and stops the run that asks", async () => {
    const options = ["pay rent", "to pay rent"];
    const waiting = summaryOf(RUN, {
      status: "waiting",
      pending: { kind: "question", question: "Which task do you mean?", options },
    });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(waiting));
    server.on(`GET /api/runs/${RUN}`, () => runOf(waiting));
    server.on(`POST /api/runs/${RUN}/cancel`, () => ({}));
    await chat.open(CONVERSATION);
    for (const answer of ["the second one", "the one where I pay rent", "none of them", "2"])
      expect(chat.isLikelyRequest(answer), answer).toBe(false);
    expect(chat.isLikelyRequest("move the library card task to the top")).toBe(true);
    expect(chat.isLikelyRequest("show my notes for tomorrow, too")).toBe(true);
    const composer = new ComposerState(chat, new Drafts(undefined, "ada"), reportElsewhere);
    composer.text = "what is due this week?";
    expect(chat.isLikelyRequest(composer.text)).toBe(true);
    await composer.sendAsRequest();
    const sent = server.asked.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(sent).toEqual([`/api/runs/${RUN}/cancel`, "/api/operator"]);
  });

  it("keeps a text that was typed before the conversation opened, after its draft", () => {
    const drafts = new Drafts(storage, "ada");
    drafts.write(undefined, "buy lamps");
    const composer = new ComposerState(chat, drafts, reportElsewhere);
    composer.text = " and oil";
    composer.open(undefined);
    expect(composer.text).toBe("buy lamps and oil");
    composer.open(CONVERSATION);
    expect(composer.text).toBe("");
  });

  it("sends nothing for an empty text", async () => {
    const composer = new ComposerState(chat, new Drafts(undefined, "ada"), reportElsewhere);
    composer.text = " \n ";
    await composer.sendTyped();
    expect(server.asked).toEqual([]);
  });
});
