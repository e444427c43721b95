import { read, sectionOf } from '../docs/markdown.js';

/** A method of @workos-inc/node in docs/moving.md, and what it is here. */
export interface MethodRow {
  /** The room and the name, such as `sso.getProfile`. */
  readonly method: string;
  readonly here: string;
  readonly how: string;
}

/** The names set as code in a cell. */
const namesIn = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

/** The methods of a page under "Every method": those of the table of parts, and the rows of the table after it. */
export function methodRowsOf(page: string): MethodRow[] {
  const section = sectionOf(page, 'Every method');
  const parts = [...section.matchAll(/^\| `(\w+)` \| (?:(`.*`) )?\| (?:(`.*`) )?\|$/gm)];
  const rows = section.matchAll(/^\| `(\w+\.\w+)` \| (\w+) \| (.*) \|$/gm);
  return [
    ...parts.flatMap(([, part, same = '', missing = '']) => [
      ...namesIn(same).map((name) => ({ method: `${part}.${name}`, here: 'same', how: '' })),
      ...namesIn(missing).map((name) => ({ method: `${part}.${name}`, here: 'missing', how: '' })),
    ]),
    ...[...rows].map(([, method = '', here = '', how = '']) => ({ method, here, how })),
  ];
}

/** Returns the methods of the missing parts of @workos-inc/node, such as `vault.encrypt`. */
export const missingMethodsOf = (page: string): string[] =>
  [...sectionOf(page, 'Missing parts').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].flatMap(([, part, names = '']) =>
    namesIn(names).map((name) => `${part}.${name}`),
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
      options: namesIn(names),
      here,
    }),
  );

export const movingPage = (): string => read('docs/moving.md');
