import type { Stage } from './stage.js';

/** Something that must hold for an application, whatever its framework. */
export interface Assertion {
  /** A sentence whose subject is the subject of its file, or the application. */
  readonly title: string;
  /** `all`: made of every framework, for it differs from one to another. `full`: only where the suite runs in full. */
  readonly of: 'all' | 'full';
  /** Fails unless it holds. Shares the application and the service with all others: it brings its own people. */
  readonly holds: (stage: Stage) => Promise<void>;
}
