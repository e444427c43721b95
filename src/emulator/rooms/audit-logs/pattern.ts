// Matches the patterns of JSON schemas in bounded time. A RegExp may take years for a pattern such as ^(a+)+$. This matcher tries
// every state of the pattern at most once at each position of the text.

/** A compiled pattern. */
export interface Pattern {
  /** Test whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/** Called with the number of steps taken. It may throw to stop the match. */
type Spend = (steps: number) => void;

/** Maximum length of a pattern in characters. */
const maxLength = 2_000;

/** Maximum number of states of a pattern. For example, `a{3}` has three. */
const maxStates = 10_000;

/** A part of a pattern as written. */
type Part =
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'position'; readonly matches: (characters: readonly string[], at: number) => boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }
  | { readonly kind: 'ahead'; readonly part: Part; readonly negated: boolean };

const syntaxOf = (pattern: string): string =>
  JSON.stringify(pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern);

/** Compile a pattern in JavaScript syntax. @throws {Error} If it is invalid, too large, or uses features without a time bound. */
export function patternOf(pattern: string, spend: Spend): Pattern {
  const refuse = (why: string): never => {
    throw new Error(`the pattern ${syntaxOf(pattern)} ${why}`);
  };
  if (pattern.length > maxLength) refuse(`is longer than ${maxLength} characters`);
  // This throws if the syntax is invalid, so the reader does not check it.
  new RegExp(pattern, 'u');
  const compiler = new Compiler(refuse);
  const start = compiler.compile(new Reader(pattern, refuse).read());
  return {
    test(text) {
      const characters = [...text];
      return new Matcher(characters, compiler.states, spend).finds(start, [...characters.keys(), characters.length]);
    },
  };
}

/** Parses a pattern with valid syntax. */
class Reader {
  readonly #pattern: string;
  readonly #refuse: (why: string) => never;
  #at = 0;

  constructor(pattern: string, refuse: (why: string) => never) {
    this.#pattern = pattern;
    this.#refuse = refuse;
  }

  /** Read to the end of the pattern or group. */
  read(): Part {
    const options: Part[] = [];
    let parts: Part[] = [];
    while (this.#at < this.#pattern.length && !this.#next(')')) {
      if (this.#takes('|')) {
        options.push({ kind: 'sequence', parts });
        parts = [];
      } else parts.push(this.#repeated(this.#part()));
    }
    return { kind: 'choice', parts: [...options, { kind: 'sequence', parts }] };
  }

  #next(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #takes(text: string): boolean {
    if (!this.#next(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Consume a match of a sticky expression at the current position. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    if (found) this.#at += found[0].length;
    return found ?? undefined;
  }

  #part(): Part {
    if (this.#takes('^')) return { kind: 'position', matches: (_, at) => at === 0 };
    if (this.#takes('$')) return { kind: 'position', matches: ({ length }, at) => at === length };
    if (this.#takes('\\b')) return { kind: 'position', matches: isWordEdge };
    if (this.#takes('\\B')) return { kind: 'position', matches: (characters, at) => !isWordEdge(characters, at) };
    if (this.#takes('(')) return this.#group();
    if (this.#next('\\k') || this.#take(/\\[1-9]/y)) return this.#refuse('must not use back-references');
    const set = this.#take(sets)?.[0];
    if (set === undefined) {
      const [literal] = this.#take(/./suy)!;
      return { kind: 'character', matches: (character) => character === literal };
    }
    const expression = new RegExp(`^${set}$`, 'u');
    return { kind: 'character', matches: (character) => expression.test(character) };
  }

  #group(): Part {
    const [, sign] = this.#take(/\?(?:([=!])|:|<(?![=!])[^>]*>)/y) ?? [];
    if (this.#next('?')) this.#refuse('must not use groups that start with (?<=, (?<! or flags');
    const part = this.read();
    this.#takes(')');
    return sign === undefined ? part : { kind: 'ahead', part, negated: sign === '!' };
  }

  #repeated(part: Part): Part {
    const found = this.#take(/(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y);
    if (!found) return part;
    const [text, lower, comma, upper] = found;
    const min = lower === undefined ? (text.startsWith('+') ? 1 : 0) : Number(lower);
    if (lower === undefined)
      return { kind: 'repeat', part, min, max: text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY };
    return { kind: 'repeat', part, min, max: comma ? (upper ? Number(upper) : Number.POSITIVE_INFINITY) : min };
  }
}

/** An expression for a set of characters: a class, an escape or a dot. A surrogate pair is one character. */
const sets =
  /\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|\./suy;

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character);

const isWordEdge = (characters: readonly string[], at: number): boolean =>
  isWord(characters[at - 1]) !== isWord(characters[at]);

/** A state of a pattern. The pattern matches when it reaches the last state, which has no successors. */
interface State {
  readonly number: number;
  /** The condition at the current position; a `character` part also consumes a character. */
  readonly part?: Exclude<Part, { readonly kind: 'sequence' | 'choice' | 'repeat' | 'ahead' }>;
  readonly ahead?: { readonly start: State; readonly negated: boolean };
  readonly next: readonly State[];
}

/** Compiles the parts of a pattern into states. */
class Compiler {
  readonly #refuse: (why: string) => never;
  #states = 0;

  constructor(refuse: (why: string) => never) {
    this.#refuse = refuse;
  }

  /** Get the number of states so far. */
  get states(): number {
    return this.#states;
  }

  compile(part: Part): State {
    return this.#before({ number: this.#number(), next: [] }, part);
  }

  #number(): number {
    if (++this.#states > maxStates) this.#refuse(`has more than ${maxStates} states; use fewer repetitions`);
    return this.#states;
  }

  /** Create the states of a part in front of the next state, and return the first. */
  #before(next: State, part: Part): State {
    const number = this.#number();
    switch (part.kind) {
      case 'sequence':
        return part.parts.reduceRight((state, one) => this.#before(state, one), next);
      case 'choice':
        return { number, next: part.parts.map((one) => this.#before(next, one)) };
      case 'repeat':
        return this.#repeat(next, part, number);
      case 'ahead':
        return { number, ahead: { start: this.compile(part.part), negated: part.negated }, next: [next] };
      default:
        return { number, part, next: [next] };
    }
  }

  #repeat(next: State, { part, min, max }: Extract<Part, { readonly kind: 'repeat' }>, number: number): State {
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      const successors = [next];
      start = { number, next: successors };
      successors.push(this.#before(start, part));
    } else
      for (let count = min; count < max; count++)
        start = { number: this.#number(), next: [next, this.#before(start, part)] };
    for (let count = 0; count < min; count++) start = this.#before(start, part);
    return start;
  }
}

/** Matches a pattern against one text. */
class Matcher {
  readonly #characters: readonly string[];
  readonly #states: number;
  readonly #spend: Spend;
  /** Results of lookaheads, by state and position. */
  readonly #ahead = new Map<number, boolean>();

  constructor(characters: readonly string[], states: number, spend: Spend) {
    this.#characters = characters;
    this.#states = states;
    this.#spend = spend;
  }

  /** Test whether the pattern matches at one of these positions. */
  finds(start: State, positions: Iterable<number>): boolean {
    const width = this.#characters.length + 1;
    const size = (this.#states + 1) * width;
    // Allocating the array costs about one step per 64 bytes.
    this.#spend(Math.ceil(size / 64));
    const tried = new Uint8Array(size);
    for (const position of positions) {
      const stack: { readonly state: State; readonly at: number }[] = [{ state: start, at: position }];
      for (let top = stack.pop(); top; top = stack.pop()) {
        const { state, at } = top;
        const key = state.number * width + at;
        if (tried[key] === 1) continue;
        tried[key] = 1;
        this.#spend(1);
        const to = this.#passes(state, at, key);
        if (to === undefined) continue;
        if (state.next.length === 0) return true;
        for (const next of state.next) stack.push({ state: next, at: to });
      }
    }
    return false;
  }

  /** Return the position after a state, or undefined if the state does not match here. */
  #passes({ part, ahead }: State, at: number, key: number): number | undefined {
    if (ahead) {
      const found = this.#ahead.get(key) ?? this.finds(ahead.start, [at]);
      this.#ahead.set(key, found);
      return found === ahead.negated ? undefined : at;
    }
    if (part?.kind === 'position') return part.matches(this.#characters, at) ? at : undefined;
    if (part === undefined) return at;
    const character = this.#characters[at];
    return character !== undefined && part.matches(character) ? at + 1 : undefined;
  }
}
