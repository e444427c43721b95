import { requires } from '../runner/requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.sveltekit))('the SvelteKit application', suiteOf(frameworks.sveltekit));
