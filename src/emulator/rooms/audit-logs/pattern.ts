// Patterns of JSON schemas. A RegExp may take years for a pattern such as ^(a+)+$. Here each state of a pattern is tried once at each
// position of a text, so that the time is bounded by their product.

/** A pattern that can be compared with texts. */
export interface Pattern {
  /** Whether the pattern fits a part of the text. */
  test(text: string): boolean;
}

/** Called with the number of steps that a comparison takes; it may throw to end the comparison. */
export type Spend = (steps: number) => void;

/** The longest pattern. */
const maxLength = 2_000;

/** The most states of a pattern: a{3} has three. */
const maxStates = 10_000;

/** A part of a pattern, as it is written. */
type Part =
  | { readonly kind: 'character'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'place'; readonly fits: (characters: readonly string[], at: number) => boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }
  | { readonly kind: 'ahead'; readonly part: Part; readonly negated: boolean };

const syntaxOf = (pattern: string): string =>
  JSON.stringify(pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern);

/** Read a pattern in the syntax of JavaScript. @throws {Error} If it is not valid, or has parts that take too long. */
export function patternOf(pattern: string, spend: Spend): Pattern {
  const refuse = (why: string): never => {
    throw new Error(`the pattern ${syntaxOf(pattern)} ${why}`);
  };
  if (pattern.length > maxLength) refuse(`is longer than ${maxLength} characters`);
  // From here on the syntax is known to be valid.
  new RegExp(pattern, 'u');
  const compiler = new Compiler(refuse);
  const start = compiler.compile(new Reader(pattern, refuse).read());
  return {
    test(text) {
      const characters = [...text];
      return new Comparison(characters, compiler.states, spend).finds(start, [...characters.keys(), characters.length]);
    },
  };
}

/** Reads the parts of a pattern whose syntax is valid. */
class Reader {
  readonly #pattern: string;
  readonly #refuse: (why: string) => never;
  #at = 0;

  constructor(pattern: string, refuse: (why: string) => never) {
    this.#pattern = pattern;
    this.#refuse = refuse;
  }

  /** Read up to the end of the pattern, or of a group. */
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

  /** Take what an expression fits at this place, which is sticky. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    if (found) this.#at += found[0].length;
    return found ?? undefined;
  }

  #part(): Part {
    if (this.#takes('^')) return { kind: 'place', fits: (_, at) => at === 0 };
    if (this.#takes('$')) return { kind: 'place', fits: ({ length }, at) => at === length };
    if (this.#takes('\\b')) return { kind: 'place', fits: isWordEdge };
    if (this.#takes('\\B')) return { kind: 'place', fits: (characters, at) => !isWordEdge(characters, at) };
    if (this.#takes('(')) return this.#group();
    if (this.#next('\\k') || this.#take(/\\[1-9]/y)) return this.#refuse('must not use back-references');
    const set = this.#take(sets)?.[0];
    if (set === undefined) {
      const [literal] = this.#take(/./suy)!;
      return { kind: 'character', fits: (character) => character === literal };
    }
    const expression = new RegExp(`^${set}$`, 'u');
    return { kind: 'character', fits: (character) => expression.test(character) };
  }

  #group(): Part {
    const [, sign] = this.#take(/\?(?:([=!])|:|<(?![=!])[^>]*>)/y) ?? [];
    if (this.#next('?')) this.#refuse('must not use groups that start with (?<=, (?<! or flags');
    const part = this.read();
    this.#takes(')');
    return sign === undefined ? part : { kind: 'ahead', part, negated: sign === '!' };
  }

  #repeated(part: Part): Part {
    const found = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!found) return part;
    const [text, least, comma, most] = found;
    const min = least === undefined ? (text.startsWith('+') ? 1 : 0) : Number(least);
    if (least === undefined)
      return { kind: 'repeat', part, min, max: text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY };
    return { kind: 'repeat', part, min, max: comma ? (most ? Number(most) : Number.POSITIVE_INFINITY) : min };
  }
}

/** What stands for one character: a class, an escape, or a dot. Pairs of surrogates are one character. */
const sets =
  /\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|\./suy;

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character);

const isWordEdge = (characters: readonly string[], at: number): boolean =>
  isWord(characters[at - 1]) !== isWord(characters[at]);

/** A state of a pattern; the pattern fits when its last state, which leads nowhere, is reached. */
interface State {
  readonly number: number;
  /** What the state asks of a place in a text, and whether it takes a character. */
  readonly part?: Exclude<Part, { readonly kind: 'sequence' | 'choice' | 'repeat' | 'ahead' }>;
  readonly ahead?: { readonly start: State; readonly negated: boolean };
  readonly next: readonly State[];
}

/** Turns the parts of a pattern into states. */
class Compiler {
  readonly #refuse: (why: string) => never;
  #states = 0;

  constructor(refuse: (why: string) => never) {
    this.#refuse = refuse;
  }

  /** How many states there are. */
  get states(): number {
    return this.#states;
  }

  compile(part: Part): State {
    return this.#before({ number: this.#number(), next: [] }, part);
  }

  #number(): number {
    if (++this.#states > maxStates) this.#refuse(`has more than ${maxStates} states: repeat less of it`);
    return this.#states;
  }

  /** The first state of a part, which leads to the next state. */
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
      const ways = [next];
      start = { number, next: ways };
      ways.push(this.#before(start, part));
    } else
      for (let count = min; count < max; count++)
        start = { number: this.#number(), next: [next, this.#before(start, part)] };
    for (let count = 0; count < min; count++) start = this.#before(start, part);
    return start;
  }
}

/** The comparison of a pattern with one text. */
class Comparison {
  readonly #characters: readonly string[];
  readonly #states: number;
  readonly #spend: Spend;
  /** What was found ahead, by state and place. */
  readonly #ahead = new Map<number, boolean>();

  constructor(characters: readonly string[], states: number, spend: Spend) {
    this.#characters = characters;
    this.#states = states;
    this.#spend = spend;
  }

  /** Whether the pattern fits a part of the text that starts at one of these places. */
  finds(start: State, places: Iterable<number>): boolean {
    const width = this.#characters.length + 1;
    const size = (this.#states + 1) * width;
    // The memory is cleared 64 places at a time or faster.
    this.#spend(Math.ceil(size / 64));
    const tried = new Uint8Array(size);
    for (const place of places) {
      const stack: { readonly state: State; readonly at: number }[] = [{ state: start, at: place }];
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

  /** The place after a state, or undefined if the state does not fit here. */
  #passes({ part, ahead }: State, at: number, key: number): number | undefined {
    if (ahead) {
      const found = this.#ahead.get(key) ?? this.finds(ahead.start, [at]);
      this.#ahead.set(key, found);
      return found === ahead.negated ? undefined : at;
    }
    if (part?.kind === 'place') return part.fits(this.#characters, at) ? at : undefined;
    if (part === undefined) return at;
    const character = this.#characters[at];
    return character !== undefined && part.fits(character) ? at + 1 : undefined;
  }
}
