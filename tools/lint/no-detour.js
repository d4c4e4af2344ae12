/** A value's type is found out, not declared by way of `unknown`. @type {import("eslint").Rule.RuleModule} */
export const noDetour = {
  meta: {
    type: "problem",
    docs: { description: "No `value as unknown as Type`." },
    schema: [],
    messages: { detour: "Parse the value with its schema; a detour over unknown hides what it is." },
  },
  create(context) {
    return {
      "TSAsExpression > TSAsExpression[typeAnnotation.type='TSUnknownKeyword']": (
        /** @type {import("eslint").Rule.Node} */ node,
      ) => context.report({ node, messageId: "detour" }),
    };
  },
};
