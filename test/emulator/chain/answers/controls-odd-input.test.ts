import { controlsWithstand } from './odd-input.js';

// A control never fails, whatever the input.

controlsWithstand(10);
