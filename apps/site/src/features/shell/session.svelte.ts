import type { ModelSituation } from "@metahuman/core/contract/models";
import type { Me } from "@metahuman/core/contract/profile";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import type { Api } from "./api.ts";

/** Who is signed in, and under which rules the operator works for them. */
export class Session {
  me: Me;
  models: ModelSituation;
  /** The session ended under an open page: the person has to sign in again before anything goes on. */
  ended = $state(false);
  /** Nothing but reading and talking is possible. */
  readonly readOnly = $derived.by(() => this.me.mode === "emulation");

  #waiting: PromiseWithResolvers<unknown> | undefined;

  constructor(me: Me, models: ModelSituation) {
    this.me = $state.raw(me);
    this.models = $state.raw(models);
  }

  /** Asks the person to sign in again; resolves when they did. */
  async signInAgain(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    this.ended = true;
    await this.#waiting.promise;
  }

  signedIn(): void {
    this.ended = false;
    this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  }

  /** Reads again what may have been changed elsewhere. */
  async refresh(api: Api): Promise<void> {
    this.me = await api.me();
  }

  async setMode(api: Api, mode: CognitiveMode): Promise<void> {
    await api.setMode(mode);
    this.me = { ...this.me, mode };
  }

  async setTrustLevel(api: Api, trustLevel: TrustLevel): Promise<void> {
    await api.setTrust({ trustLevel });
    this.me = { ...this.me, trustLevel };
  }
}
