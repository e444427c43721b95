import type { Stage } from './stage.js';

/** A requirement for the application of any framework. */
export interface Assertion {
  /** A sentence whose subject is the subject of its file, or the application. */
  readonly title: string;
  /** `all`: runs for every framework, because its outcome depends on it. `full`: runs only where the suite runs in full. */
  readonly of: 'all' | 'full';
  /** Fails unless it holds. Shares the application and the service with all others: it brings its own people. */
  readonly holds: (stage: Stage) => Promise<void>;
}
