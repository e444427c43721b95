import { requires } from '../runner/requirements.js';
import { type Framework, frameworks, needsOf } from './frameworks.js';
import { assertionsOfNext } from './next.js';
import { asMiddleware } from './next-files.js';
import { suiteOf } from './suite.js';

// The proxy of Next 16 runs on Node alone. At the edge runs its middleware, which it still knows.
const edge: Framework = {
  ...frameworks.next,
  suite: 'short',
  files: { ...frameworks.next.files, ...asMiddleware },
};

requires(...needsOf(edge))(
  'the application on Next 16, its middleware at the edge',
  suiteOf(edge, assertionsOfNext(edge)),
);
