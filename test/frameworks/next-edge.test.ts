import { requires } from '../runner/requirements.js';
import { type Framework, frameworks, needsOf } from './frameworks.js';
import { asMiddleware } from './next-files.js';
import { suiteOf } from './suite.js';

// The proxy of Next 16 runs only on Node. Next 16 can still run middleware at the edge. Its actions and components run on Node as in
// next.test.ts, so the assertions for them are left out.
const edge: Framework = {
  ...frameworks.next,
  suite: 'short',
  files: { ...frameworks.next.files, ...asMiddleware },
};

requires(...needsOf(edge))('the Next 16 application with edge middleware', suiteOf(edge));
