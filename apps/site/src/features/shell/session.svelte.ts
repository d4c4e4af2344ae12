import type { ModelSituation } from "@metahuman/core/contract/models";
import type { Me } from "@metahuman/core/contract/profile";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import type { Api } from "./api.ts";

/** The signed-in person, with mode, trust level and models. */
export class Session {
  me: Me;
  models: ModelSituation;
  /** Whether the session has expired while the page is open. */
  ended = $state(false);
  /** Whether the mode allows no changes. */
  readonly readOnly = $derived.by(() => this.me.mode === "emulation");

  #waiting: PromiseWithResolvers<unknown> | undefined;

  constructor(me: Me, models: ModelSituation) {
    this.me = $state.raw(me);
    this.models = $state.raw(models);
  }

  /** Shows the sign-in dialog; resolves when the person has signed in. */
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

  /** Loads the account again. */
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
