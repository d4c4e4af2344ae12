/** Refuses type assertions through `unknown`: a schema must check the value. @type {import("eslint").Rule.RuleModule} */
export const noDoubleAssertion = {
  meta: {
    type: "problem",
    docs: { description: "No `value as unknown as Type`." },
    schema: [],
    messages: { doubleAssertion: "Parse the value with its schema instead of asserting through unknown." },
  },
  create(context) {
    return {
      "TSAsExpression > TSAsExpression[typeAnnotation.type='TSUnknownKeyword']": (
        /** @type {import("eslint").Rule.Node} */ node,
      ) => context.report({ node, messageId: "doubleAssertion" }),
    };
  },
};
