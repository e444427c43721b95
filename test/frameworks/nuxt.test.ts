import { requires } from '../requirements.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

requires(...needsOf(frameworks.nuxt))('the application on Nuxt', suiteOf(frameworks.nuxt));
