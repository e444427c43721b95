import { requires } from '../runner/requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.astro))('the Astro application', suiteOf(frameworks.astro));
