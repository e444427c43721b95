import { requires } from '../requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.tanstackStart))('the application on TanStack Start', suiteOf(frameworks.tanstackStart));
