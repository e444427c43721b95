import { requires } from '../runner/requirements.js';
import { ofRouters } from './assertions/routers.js';
import { assertionsOf } from './assertions.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

const { tanstackStart } = frameworks;

requires(...needsOf(tanstackStart))(
  'the TanStack Start application',
  suiteOf(tanstackStart, [...assertionsOf(tanstackStart), ...ofRouters]),
);
