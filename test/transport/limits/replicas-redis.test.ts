import { requires } from '../../runner/requirements.js';
import { shareLimiter } from './shared-limiter.js';

requires('redis-server', 'test/stores/drivers/node_modules')('eight processes', () => shareLimiter('Redis'));
