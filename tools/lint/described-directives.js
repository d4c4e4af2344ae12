/** A rule is switched off only with its reason: `// eslint-disable-next-line some-rule -- why`. @type {import("eslint").Rule.RuleModule} */
export const describedDirectives = {
  meta: {
    type: "suggestion",
    docs: { description: "Every disabling directive gives its reason after two dashes." },
    schema: [],
    messages: { undescribed: "Say why: `{{directive}} … -- the reason`." },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const directive = /^\s*((?:eslint|oxlint)-disable(?:-next-line|-line)?)\b/.exec(comment.value)?.[1];
          if (!directive || /\s--\s+\S/.test(comment.value) || !comment.loc) continue;
          context.report({ loc: comment.loc, messageId: "undescribed", data: { directive } });
        }
      },
    };
  },
};
