import { auditedModelControl } from "@metahuman/boot/audited-model-control";
import type { Brain, ModelControl } from "@metahuman/boot/brain";
import type { Caller } from "./caller.ts";
import { startOptions } from "./surface.ts";

/** The control of models in a caller's hand: what they do with it stands in their audit. */
export function modelControlOf({ modelControl }: Brain, caller: Caller): ModelControl {
  const { surface } = startOptions(caller);
  return auditedModelControl(modelControl, caller.profile.audit, { actor: caller.me.username, surface });
}
