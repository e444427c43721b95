import { requires } from '../runner/requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { assertionsOfNext } from './next.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks['next-15']))(
  'the Next 15 application with edge middleware',
  suiteOf(frameworks['next-15'], assertionsOfNext(frameworks['next-15'])),
);
