import { read, sectionOf } from '../docs/markdown.js';

/** A row of the last table of docs/moving.md: a method of @workos-inc/node, and its counterpart here. */
export interface MethodRow {
  /** The room and the name, such as `sso.getProfile`. */
  readonly method: string;
  readonly here: string;
  readonly how: string;
}

/** Returns the rows of a page under "Every method". */
export const methodRowsOf = (page: string): MethodRow[] =>
  [...sectionOf(page, 'Every method').matchAll(/^\| `([\w.]+)` \| (\w+) \| (?:(.*) )?\|$/gm)].map(
    ([, method = '', here = '', how = '']) => ({ method, here, how }),
  );

/** Returns the methods of the missing parts of @workos-inc/node, such as `vault.encrypt`. */
export const missingMethodsOf = (page: string): string[] =>
  [...sectionOf(page, 'Missing parts').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].flatMap(([, part, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${part}.${name}`),
  );

/** A row of the table of options: options of a method of @workos-inc/node, and their counterparts here. */
export interface OptionRow {
  /** The method, or `new WorkOS`. */
  readonly method: string;
  readonly options: readonly string[];
  readonly here: string;
}

/** Returns the rows of a page under "Every option". */
export const optionRowsOf = (page: string): OptionRow[] =>
  [...sectionOf(page, 'Every option').matchAll(/^\| `([\w. ]+)` \| (.*) \| (.*) \|$/gm)].map(
    ([, method = '', names = '', here = '']) => ({
      method,
      options: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      here,
    }),
  );

export const movingPage = (): string => read('docs/moving.md');
