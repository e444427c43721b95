/** A construction that makes a sentence hard to read, by its name. */
export interface Habit {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Words that are never right: each has a plainer one. */
export const forbidden: readonly Habit[] = [
  { name: 'whoever: name the user, the caller or the program', pattern: /\b(?:whoever|whomever|whosoever)\b/i },
  { name: 'anew: again', pattern: /\banew\b/i },
  {
    name: 'hence, thereby, whereby, wherein, thereof, lest: two sentences',
    pattern: /\b(?:hence|thereby|whereby|wherein|thereof|lest)\b/i,
  },
  { name: 'undefined where: undefined if', pattern: /\b(?:undefined|null|empty|absent) where\b/i },
  {
    name: 'is told, hears of, says so: calls, reports, receives',
    pattern: /\b(?:is|are|be|was|were) told\b|\bhears? of\b|\bsays? so\b/i,
  },
  {
    name: 'goes by, stands in: the plain verb',
    pattern: /\b(?:goes|go|went) by\b|\bstands? (?:in|inside|beside|there|below|above|under|among)\b/i,
  },
  { name: 'of ours, of theirs: our, their', pattern: /\bof (?:ours|theirs|yours)\b/i },
];

/** Constructions that are right once in a while, and hard to read as a habit. */
export const habits: readonly Habit[] = [
  ...forbidden,
  {
    name: 'a clause as the subject',
    pattern:
      /(?:^|[.:;]\s+|\*\s+)(?:What|Who|Whatever|Where|Of|By|To|For) (?!(?:to|if|happens|about|does|do|can|example|you|each|every|all|more|details|instance|use|a|an|the|this|these|some)\b)[^.;:]{3,60}? (?:is|are|was|were|has|have|does|do|comes|goes|gets|may|can|will|must|counts|becomes|stays)\b/,
  },
  {
    name: '"what is" as a noun',
    pattern:
      /\b(?:of|with|by|from|in|on|than|and|to|for|that|as|knows?|says?|tells?|holds?|reads?|takes?|gives?|keeps?|makes?|finds?|shows?) what (?:is|was|are|were|has|had|have|stands|comes|goes|came|becomes|belongs)\b/i,
  },
  { name: 'whatever', pattern: /\bwhatever\b/i },
  { name: 'somebody, nobody, everybody: the user, the caller', pattern: /\b(?:some|no|every|any)body\b/i },
  { name: 'of its own: its own', pattern: /\bof (?:its|their|your|our|one's) own\b/i },
  { name: 'says it, speaks of', pattern: /\bsays? it\b|\bspeaks? of\b/i },
  {
    name: 'by which, of whom: two sentences',
    pattern: /\b(?:by|of|for|in|to|at|with|from|on|under|behind) (?:which|whom)\b/i,
  },
  {
    name: 'none for what',
    pattern: /\b(?:none|false|true) where\b|\b(?:undefined|null|empty|none|false|true|absent) for (?:what|one)\b/i,
  },
  {
    name: 'is no: is not',
    pattern:
      /\b(?:is|are|was|were) no (?!longer\b|more\b|way\b|need\b|reason\b|such\b|other\b|one\b|difference\b|guarantee\b)[a-z]+/i,
  },
  {
    name: 'one that, those who',
    pattern: /\b(?:one|those|that) (?:who|that|which) (?:is|are|has|have|was|were|may|can|does|do)\b/i,
  },
  { name: 'beside, nevertheless: besides, but', pattern: /\b(?:beside|nevertheless|dearer|nought)\b/i },
  { name: 'for it: because it', pattern: /, for (?:it|they|he|she|there|that|this|nobody|nothing|what) /i },
  {
    name: 'have it done: do it',
    pattern: /(?:^|\*\s+|[.:;]\s+)(?:Have|Has|Lets?) (?:the|a|an|it|them|that|others|nobody)\b/,
  },
];

/** A comment, message or title, and where it is. */
export interface Sentence {
  readonly file: string;
  readonly line: number;
  readonly kind: 'comment' | 'message' | 'title';
  readonly words: string;
}

const isSentence = (words: string): boolean => /[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}/.test(words);
const isMessage = (text: string): boolean => /^[A-Z]/.test(text) && /[a-z] [a-z]+ [a-z]/.test(text) && text.length > 20;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const pieces =
  /\/\*\*?([\s\S]*?)\*\/|(?<![:'"`\w])\/\/ ?(.*)|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
const titles =
  /\b(?:test|it|describe)(?:\.(?:each|skip|only|skipIf|runIf|concurrent|sequential)(?:\([^()]*\))?)*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** The comments, messages and test titles of a file of code. */
export function sentencesIn(file: string, code: string): Sentence[] {
  const lineAt = (index: number): number => code.slice(0, index).split('\n').length;
  const found: Sentence[] = [];
  for (const { index, 1: block, 2: line, 3: single, 4: double, 5: template } of code.matchAll(pieces)) {
    const text = single ?? double ?? template ?? '';
    const comment = block?.replace(/@example[\s\S]*$/, '').replace(/^\s*\* ?/gm, ' ') ?? line;
    if (comment !== undefined) found.push({ file, line: lineAt(index), kind: 'comment', words: oneLine(comment) });
    else if (isMessage(text)) found.push({ file, line: lineAt(index), kind: 'message', words: oneLine(text) });
  }
  for (const { index, 2: title = '' } of code.matchAll(titles))
    found.push({ file, line: lineAt(index), kind: 'title', words: oneLine(title) });
  return found.filter(({ words }) => isSentence(words));
}

/** The sentences that show one of these habits, each with its place and the habit. */
export const findings = (sentences: readonly Sentence[], among: readonly Habit[]): string[] =>
  sentences.flatMap(({ file, line, words }) => {
    const names = among.filter(({ pattern }) => pattern.test(words)).map(({ name }) => name);
    return names.length > 0 ? [`${file}:${line}: ${words.slice(0, 120)} [${names.join('; ')}]`] : [];
  });
