import { requires } from '../requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.reactRouter))('the application on React Router', suiteOf(frameworks.reactRouter));
