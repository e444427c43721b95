/** A step that a reader of a page takes, or a result that they see. */
export type Step =
  /** Type a command. */
  | { readonly kind: 'run'; readonly command: string }
  /** The output of the last command, line by line. `…` matches anything. */
  | { readonly kind: 'printed'; readonly text: string }
  /** Write this text to a file. */
  | { readonly kind: 'write'; readonly file: string; readonly text: string }
  /** Use a signed-out browser until the end of the paragraph. */
  | { readonly kind: 'private'; readonly isPrivate: boolean }
  | { readonly kind: 'open'; readonly url: string }
  /** Press a button or follow a link. */
  | { readonly kind: 'press'; readonly name: string }
  | { readonly kind: 'enter'; readonly text: string; readonly label: string }
  | { readonly kind: 'see'; readonly text: string }
  /** The output of the running program since the last such step. */
  | { readonly kind: 'says'; readonly text: string }
  /** Press Ctrl+C in the terminal of the running program. */
  | { readonly kind: 'interrupt' };

/** A step, and its line on the page. */
export type PlacedStep = Step & { readonly line: number };

/** The sentences that are followed. All other text is explanation. */
const phrases: readonly (readonly [RegExp, (...words: string[]) => Step])[] = [
  [/\bopen <(http[^>]+)>/iy, (url = '') => ({ kind: 'open', url })],
  [/\bpress \*\*([^*]+)\*\*/iy, (name = '') => ({ kind: 'press', name })],
  [/\benter `([^`]+)` as \*\*([^*]+)\*\*/iy, (text = '', label = '') => ({ kind: 'enter', text, label })],
  [/\byou see `([^`]+)`/iy, (text = '') => ({ kind: 'see', text })],
  [/\bfirst terminal says `([^`]+)`/iy, (text = '') => ({ kind: 'says', text })],
  [/\bpress Ctrl\+C/iy, () => ({ kind: 'interrupt' })],
  [/\bin a private window/iy, () => ({ kind: 'private', isPrivate: true })],
];

/** Words that must not occur outside of these sentences, because a misspelled step would count as explanation. */
const unfollowed = /\*\*[^*]+\*\*|<http[^>]+>/y;

/** Read the steps of a page in Markdown, in order. @throws {Error} A block or an emphasis belongs to no step. */
export function stepsOf(markdown: string): readonly PlacedStep[] {
  const steps: PlacedStep[] = [];
  let paragraph = '';
  for (const { line, text } of partsOf(markdown)) {
    const [, language, code = ''] = /^```(\w*)\n([\s\S]*)^```$/m.exec(text) ?? [];
    const found =
      language === undefined ? stepsInText(text, line) : [stepsInBlock(language, code, paragraph, line)].flat();
    steps.push(...found.map((step) => ({ ...step, line })));
    paragraph = text;
  }
  return steps;
}

/** The blocks of code and the paragraphs of a page, without its headings. */
const partsOf = (markdown: string): readonly { readonly line: number; readonly text: string }[] =>
  [...markdown.matchAll(/^```\w*\n[\s\S]*?^```$|^(?!#|```|\n).+(?:\n(?!```|#).+)*/gm)].map(({ 0: text, index }) => ({
    line: markdown.slice(0, index).split('\n').length,
    text,
  }));

function stepsInBlock(language: string, code: string, paragraph: string, line: number): readonly Step[] {
  if (language === 'sh')
    return code
      .trim()
      .split('\n')
      .map((command) => ({ kind: 'run', command }));
  if (language === 'text') return [{ kind: 'printed', text: code }];
  const [file] = [...paragraph.matchAll(/`([\w./[\]-]+\.\w+)`/g)].map(([, name = '']) => name).slice(-1);
  if (file === undefined || !paragraph.endsWith(':'))
    throw new Error(`line ${line}: the paragraph above this block does not end with the name of its file and a colon`);
  return [{ kind: 'write', file, text: code }];
}

function stepsInText(text: string, line: number): readonly Step[] {
  const sentence = text.replaceAll('\n', ' ');
  const steps: Step[] = [];
  for (let at = 0; at < sentence.length; ) {
    const [step, end] = phraseAt(sentence, at) ?? [undefined, at + 1];
    if (step) steps.push(step);
    unfollowed.lastIndex = at;
    if (!step && unfollowed.test(sentence))
      throw new Error(`line ${line}: nobody knows what to do with ${sentence.slice(at, unfollowed.lastIndex)}`);
    at = end;
  }
  const isPrivate = steps.some(({ kind }) => kind === 'private');
  return isPrivate ? [...steps, { kind: 'private', isPrivate: false }] : steps;
}

function phraseAt(sentence: string, at: number): readonly [Step, number] | undefined {
  for (const [pattern, stepOf] of phrases) {
    pattern.lastIndex = at;
    const [, ...words] = pattern.exec(sentence) ?? [];
    if (pattern.lastIndex > at) return [stepOf(...words), pattern.lastIndex];
  }
  return undefined;
}
