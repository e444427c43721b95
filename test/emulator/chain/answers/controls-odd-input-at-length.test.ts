import { takesLong } from '../../../runner/requirements.js';
import { controlsWithstand } from './odd-input.js';

takesLong('odd input to controls, a hundred times each', () => controlsWithstand(100));
