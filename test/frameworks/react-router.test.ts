import { requires } from '../runner/requirements.js';
import { ofRouters } from './assertions/routers.js';
import { assertionsOf } from './assertions.js';
import { frameworks, needsOf } from './frameworks.js';
import { suiteOf } from './suite.js';

const { reactRouter } = frameworks;

requires(...needsOf(reactRouter))(
  'the React Router application',
  suiteOf(reactRouter, [...assertionsOf(reactRouter), ...ofRouters]),
);
