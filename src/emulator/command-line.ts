// Internal exports for the command line.

export { isWebUri, redirectUriProblem } from '../redirect-uris/rules.js';
export { Codec, expectationOf, isObject, isOfKind, join as joinPath, kindOfValue } from '../service/describe/codec.js';
export { type Dialect, dialectOf, dialects } from '../service/describe/dialect.js';
export { emulatedOf } from '../service/describe/emulated-dialect.js';
export { descriptorOf, grantTypeOf, type Operation, pathOf } from '../service/describe/operation.js';
export { operations } from '../service/operations.js';
export { publicStatusOf } from '../service/public-statuses.js';
export { createEmulatorWith } from './emulator.js';
export { type NamedControl, namedControlsOf, parametersOf } from './http/control.js';
export { argumentsOf, type ControlArgument, typeOf } from './http/control-fields.js';
export { isLoopback } from './http/loopback.js';
export { sendControl } from './http/remote-controls.js';
export { readPayload } from './http/serve-controls.js';
export { administratorControls, controls } from './registry.js';
export { schemeWarning } from './rooms/redirect-uris/records.js';
export { reportProblems, type Source, sourceOf } from './seed/source.js';
export { parserOf } from './store/parser.js';
export { type Duration, millisecondsOf } from './world/clock.js';
export type { DeliveryFailure, DevSettings } from './world/settings.js';
