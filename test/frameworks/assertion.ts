import type { Stage } from './stage.js';

/** A requirement for the application of any framework. */
export interface Assertion {
  /** A predicate whose subject is the application, such as `sets no cookie`. */
  readonly title: string;
  /** `all`: runs for every framework, because its outcome depends on it. `full`: runs only in full suites. */
  readonly of: 'all' | 'full';
  /** Rejects if the requirement is not met. It creates its own users, because all assertions share the application and the service. */
  readonly holds: (stage: Stage) => Promise<void>;
}

/** The assertions with these titles. Throws if there is none with one of them. */
export const titled = (assertions: readonly Assertion[], ...titles: readonly string[]): Assertion[] =>
  titles.map((title) => {
    const found = assertions.find((one) => one.title === title);
    if (!found) throw new Error(`No assertion has the title "${title}".`);
    return found;
  });
