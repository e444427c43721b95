import { controlsWithstand } from './odd-input.js';

// Whatever is sent to a control, it answers or refuses; it never fails.

controlsWithstand(10);
