import { takesLong } from '../runner/requirements.js';
import { races } from './race.js';

takesLong('races at length', () => races({ refreshes: 100, exchanges: 10 }));
