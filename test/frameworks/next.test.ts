import { requires } from '../runner/requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { assertionsOfNext } from './next.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.next))(
  'the Next 16 application',
  suiteOf(frameworks.next, assertionsOfNext(frameworks.next)),
);
