import { takesLong } from '../../runner/requirements.js';
import { controlsWithstand } from './odd-input.js';

takesLong('with a hundred odd bodies for each control,', () => controlsWithstand(100));
