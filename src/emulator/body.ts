// What dist/emulator-body.cjs holds, from which both forms of the emulator and the command line take their parts.

export * as commandLine from './command-line.js';
export * from './index.js';
