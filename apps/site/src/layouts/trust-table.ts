import { decide } from "@metahuman/boot/decide";
import { ACTS, type TrustTable } from "../state/rules.ts";
import type { TrustLevel } from "@metahuman/core/contract/trust";

/** What each trust level answers to each kind of act, asked of the policy itself. */
export function trustTable(): TrustTable {
  return ACTS.map(({ act, examples, asksPerHost = false, ...kind }) => {
    const hosts = asksPerHost ? ["example.org"] : [];
    const call = { skill: "example", ...kind, requiresApproval: false, asksPerHost, paths: [], hosts };
    const answer = (trustLevel: TrustLevel) =>
      decide(call, { mode: "dual", trustLevel, grants: [], now: new Date(0) }).decision;
    return {
      act,
      examples,
      decisions: {
        observe: answer("observe"),
        suggest: answer("suggest"),
        supervised_auto: answer("supervised_auto"),
        bounded_auto: answer("bounded_auto"),
      },
    };
  });
}
