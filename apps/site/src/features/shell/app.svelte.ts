import { copy } from "./copy.ts";
import type { ModelSituation } from "@metahuman/core/contract/models";
import type { ObservationMode } from "@metahuman/core/contract/run";
import type { StateStatus } from "@metahuman/core/contract/state-database";
import type { InterruptedImport } from "@metahuman/core/contract/transfer";
import type { Me } from "@metahuman/core/contract/profile";
import { createContext } from "svelte";
import { Api } from "./api.ts";
import { ApiProblem, describeError } from "../../lib/api/api-problem.ts";
import { Appearance, type Theme } from "./appearance.svelte.ts";
import { BackgroundApi } from "./background-api.ts";
import { Drafts } from "../chat/drafts.ts";
import { Feed } from "../../lib/live/feed.svelte.ts";
import { HttpClient } from "../../lib/api/http-client.ts";
import { Inspector } from "./inspector.svelte.ts";
import { Toasts } from "./toasts.svelte.ts";
import { OBSERVATION_MODES } from "../runs/trace-text.ts";
import { Session } from "./session.svelte.ts";

/** The data that the server passes to every page. */
export interface PageData {
  me: Me;
  models: ModelSituation;
  version: string;
  theme: Theme;
  /** Present while the database of runs and conversations cannot be used. */
  stateProblem?: StateStatus | undefined;
  /** Present while an import that was cut off has not been repeated. */
  interruptedImport?: InterruptedImport | undefined;
}

const OBSERVATION_MODE = "observation-mode";
const SINGLE_KEYS = "single-key-shortcuts";

/** The services and state that all features share; created once per page. */
export class App {
  readonly session: Session;
  readonly api: Api;
  /** For the endpoints of one page, which other pages do not load. */
  readonly http: HttpClient;
  readonly background: BackgroundApi;
  readonly feed: Feed;
  readonly toasts = new Toasts();
  readonly inspector = new Inspector();
  readonly appearance: Appearance;
  readonly version: string;
  readonly stateProblem: StateStatus | undefined;
  interruptedImport = $state.raw<InterruptedImport>();
  readonly drafts: Drafts;
  /** The address of the chat: the conversation that this browser had open last. */
  chatAddress = $state("/");

  observationMode = $state<ObservationMode>("narrative");
  /** Single-key shortcuts can interfere with speech input, so they can be turned off. */
  singleKeys = $state(true);
  /** The text of the polite live region for screen readers. */
  announcement = $state("");
  overlay = $state<"palette" | "shortcuts">();

  constructor({ me, models, version, theme, stateProblem, interruptedImport }: PageData) {
    const storage = typeof document === "undefined" ? undefined : localStorage;
    this.session = new Session(me, models);
    const signInAgain = () => this.session.signInAgain();
    const http = new HttpClient({ fetch: (input, init) => fetch(input, init), signInAgain });
    this.http = http;
    this.api = new Api(http);
    this.background = new BackgroundApi(http);
    this.feed = new Feed(this.api, signInAgain);
    this.appearance = new Appearance(theme);
    this.version = version;
    this.stateProblem = stateProblem;
    this.interruptedImport = interruptedImport;
    this.drafts = new Drafts(storage, me.username);
  }

  /** Reads the preferences of this browser. Browser only. */
  readPreferences(): void {
    const saved = localStorage.getItem(OBSERVATION_MODE);
    const mode = OBSERVATION_MODES.find(({ value }) => value === saved);
    if (mode) this.observationMode = mode.value;
    const last = localStorage.getItem(this.#lastConversationKey());
    if (last) this.chatAddress = `/?c=${encodeURIComponent(last)}`;
    this.singleKeys = localStorage.getItem(SINGLE_KEYS) !== "off";
  }

  /** Connects to the updates of the server. Browser only. Returns a function that disconnects. */
  connect(): () => void {
    const reconnectNow = () => this.feed.reconnectNow();
    window.addEventListener("online", reconnectNow);
    const stop = this.feed.start();
    return () => {
      window.removeEventListener("online", reconnectNow);
      stop();
    };
  }

  showObservations(mode: ObservationMode): void {
    this.observationMode = mode;
    localStorage.setItem(OBSERVATION_MODE, mode);
  }

  /** Remembers the open conversation; `undefined` is a new one. */
  rememberConversation(id: string | undefined): void {
    if (id === undefined) localStorage.removeItem(this.#lastConversationKey());
    else localStorage.setItem(this.#lastConversationKey(), id);
  }

  #lastConversationKey(): string {
    return `last-conversation:${this.session.me.username}`;
  }

  useSingleKeys(on: boolean): void {
    this.singleKeys = on;
    localStorage.setItem(SINGLE_KEYS, on ? "on" : "off");
  }

  /** Announces a text to screen readers, also when it repeats the last one. */
  announce(text: string): void {
    this.announcement = this.announcement === text ? `${text}\u00A0` : text;
  }

  /** Executes an action and shows a toast if it fails. Resolves to whether it succeeded. */
  async attempt(action: () => Promise<unknown>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      const { text, suggestions } = describeError(error);
      this.toasts.show([text, ...suggestions].join(" "), { variant: "danger" });
      return false;
    }
  }

  /**
   * Restores an item from the archive; with `replace`, a file that is at its path now is archived first, and without it the
   * person is asked. A replacement can be undone, after which `onundone` is called. Resolves to whether the archive no longer
   * has the item, also because it was restored before.
   */
  async restore(
    archiveId: string,
    title: string,
    { replace = false, onundone }: { replace?: boolean; onundone?: (() => void) | undefined } = {},
  ): Promise<boolean> {
    let taken: string | undefined;
    const done = await this.attempt(async () => {
      try {
        const { replaced } = await this.api.restore(archiveId, { replace });
        const undo = async () => {
          if (replaced && (await this.restore(replaced.id, title, { replace: true, onundone }))) onundone?.();
        };
        this.toasts.show(`Restored “${title}”.`, {
          variant: "success",
          about: archiveId,
          action: replaced && { label: "Undo", restores: replaced.id, run: () => void undo() },
        });
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        // A record whose id is taken cannot replace the other one.
        if (error.code === "ALREADY_EXISTS" && !replace) taken = error.message;
        else if (error.status === 404) this.toasts.show(copy.notInArchive(title));
        else throw error;
      }
    });
    if (taken === undefined) return done;
    return (await this.#asksToReplace(taken)) && this.restore(archiveId, title, { replace: true, onundone });
  }

  /** Asks whether to replace the existing file. */
  #asksToReplace(problem: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.toasts.show(copy.replaces(problem), {
        action: { label: "Replace", run: () => resolve(true) },
        onclose: () => resolve(false),
      });
    });
  }

  async signOut(): Promise<void> {
    try {
      await this.api.signOut();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
    }
    this.drafts.clear();
    location.assign("/login");
  }
}

const [getApp, setApp] = createContext<App>();

export { getApp };

/** Creates the app from the data of the page and provides it to the components below the caller. */
export function createApp(pageData: () => PageData): App {
  const app = new App(pageData());
  setApp(app);
  return app;
}
