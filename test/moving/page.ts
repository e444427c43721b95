import { read, sectionOf } from '../docs/markdown.js';

/** A row of the last table of docs/moving.md: a method of @workos-inc/node, and what it is here. */
export interface MethodRow {
  /** Its room and name, such as `sso.getProfile`. */
  readonly method: string;
  readonly here: string;
  readonly how: string;
}

/** The rows of a page under "Every method". */
export const methodRowsOf = (page: string): MethodRow[] =>
  [...sectionOf(page, 'Every method').matchAll(/^\| `([\w.]+)` \| (\w+) \| (?:(.*) )?\|$/gm)].map(
    ([, method = '', here = '', how = '']) => ({ method, here, how }),
  );

/** The parts of @workos-inc/node that a page lists as missing. */
export const missingPartsOf = (page: string): string[] => {
  const [, names = ''] = /have no methods here: ([^.]+)\./.exec(sectionOf(page, 'Missing parts')) ?? [];
  return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
};

export const movingPage = (): string => read('docs/moving.md');
