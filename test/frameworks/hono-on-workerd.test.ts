import { requires } from '../runner/requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.honoOnWorkerd))('the Hono application on workerd', suiteOf(frameworks.honoOnWorkerd));
