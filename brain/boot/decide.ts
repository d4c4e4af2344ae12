// What the policy decides, for surfaces that explain it.
export { decide } from "@metahuman/core/policy/decide";
