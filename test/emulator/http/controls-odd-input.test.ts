import { controlsWithstand } from './odd-input.js';

// No input makes a control fail.

controlsWithstand(10);
