// Entry of dist/emulator-body.cjs, which the ESM and CommonJS builds of the emulator and the command line share.

export * as commandLine from './command-line.js';
export * from './index.js';
