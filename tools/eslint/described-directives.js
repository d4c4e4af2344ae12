/** A rule is switched off only with its reason: `// eslint-disable-next-line some-rule -- why`. @type {import("eslint").Rule.RuleModule} */
export const describedDirectives = {
  meta: {
    type: "suggestion",
    docs: { description: "Every eslint-disable gives its reason after two dashes." },
    schema: [],
    messages: { undescribed: "Say why: `{{directive}} … -- the reason`." },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const directive = /^\s*(eslint-disable(?:-next-line|-line)?)\b/.exec(comment.value)?.[1];
          if (!directive || /\s--\s+\S/.test(comment.value) || !comment.loc) continue;
          // Just before the comment, where a directive that switches off everything does not reach.
          const loc = { start: { line: comment.loc.start.line, column: -1 }, end: comment.loc.end };
          context.report({ loc, messageId: "undescribed", data: { directive } });
        }
      },
    };
  },
};
