import { controlsWithstand } from './odd-input.js';

// A control answers or refuses any input. It never fails.

controlsWithstand(10);
