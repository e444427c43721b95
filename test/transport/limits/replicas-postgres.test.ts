import { requires } from '../../runner/requirements.js';
import { shareLimiter } from './shared-limiter.js';

requires('postgresql', 'test/stores/drivers/node_modules')('eight processes', () => shareLimiter('PostgreSQL'));
