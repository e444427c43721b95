import { expect, test } from 'vitest';
import { stepsOf } from './steps.js';

const page = `# A page

## 1. Begin

Some words, \`code\` among them.

\`\`\`sh
cd harbour
npm run dev
\`\`\`

When the first terminal says \`Ready\`, open
<http://localhost:3000/account> and press **Continue**. You see \`Hello Ada\`.

In a private window, enter \`ada@acme.test\` as **Email address**.

Write \`app/[id]/page.tsx\`:

\`\`\`tsx
const a = '**bold**';
\`\`\`

It prints:

\`\`\`text
done in … ms
\`\`\`

Then press Ctrl+C.
`;

test("a page is parsed into an ordered list of the reader's steps with line numbers", () => {
  expect(stepsOf(page)).toEqual([
    { line: 7, kind: 'run', command: 'cd harbour' },
    { line: 7, kind: 'run', command: 'npm run dev' },
    { line: 12, kind: 'says', text: 'Ready' },
    { line: 12, kind: 'open', url: 'http://localhost:3000/account' },
    { line: 12, kind: 'press', name: 'Continue' },
    { line: 12, kind: 'see', text: 'Hello Ada' },
    { line: 15, kind: 'private', isPrivate: true },
    { line: 15, kind: 'enter', text: 'ada@acme.test', label: 'Email address' },
    { line: 15, kind: 'private', isPrivate: false },
    { line: 19, kind: 'write', file: 'app/[id]/page.tsx', text: "const a = '**bold**';\n" },
    { line: 25, kind: 'printed', text: 'done in … ms\n' },
    { line: 29, kind: 'interrupt' },
  ]);
});

test.each([
  [
    'a button without saying what to do with it',
    'Look at **Continue**.',
    'line 3: nobody knows what to do with **Continue**',
  ],
  [
    'a URL without saying what to do with it',
    'See <http://localhost:3000/>.',
    'line 3: nobody knows what to do with <http://localhost:3000/>',
  ],
  ['code without a file name', 'Write this:\n\n```ts\n1;\n```', 'line 5: the paragraph above this block'],
])('the parser of the tutorial rejects a page that shows %s', (_, text, message) => {
  expect(() => stepsOf(`# A page\n\n${text}\n`)).toThrow(message);
});
